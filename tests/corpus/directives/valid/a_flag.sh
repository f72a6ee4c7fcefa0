#!/bin/sh
#XCE --hold
#XCE --rerun
./run
