#!/bin/sh
#XCE --array 5-1
./run
