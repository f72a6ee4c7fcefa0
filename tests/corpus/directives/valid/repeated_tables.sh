#!/bin/sh
#XCE --label case=1
#XCE --label owner=ann
#XCE --env A=1
#XCE --env B=
./run
