#!/bin/sh
#XCE --run-limit 90
./run
