#!/bin/sh
#XCE --hold
#XCE --hold
./run
