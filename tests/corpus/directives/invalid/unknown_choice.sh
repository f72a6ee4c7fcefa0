#!/bin/sh
#XCE --launch task
./run
