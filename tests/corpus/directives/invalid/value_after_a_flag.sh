#!/bin/sh
#XCE --hold yes
./run
