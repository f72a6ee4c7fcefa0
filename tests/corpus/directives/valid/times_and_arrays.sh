#!/bin/sh
#XCE --begin +2h
#XCE --array 1-100:2%10
#XCE --success-exit 3,5-6
./run
