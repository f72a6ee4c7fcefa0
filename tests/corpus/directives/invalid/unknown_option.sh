#!/bin/sh
#XCE --pony yes
./run
