#!/bin/sh
#XCE --queu night
#XCE --memory 2
#XCE --name a b
./run
#XCE --hold
