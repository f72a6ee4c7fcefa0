#!/bin/sh
#XCE --hold=true
./run
