#!/bin/sh
#XCE --queue
./run
