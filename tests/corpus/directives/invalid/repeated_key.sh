#!/bin/sh
#XCE --label a=1
#XCE --label a=2
./run
