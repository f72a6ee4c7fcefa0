#!/bin/sh
#XCE --queue=night
#XCE --env=A=1
./run
