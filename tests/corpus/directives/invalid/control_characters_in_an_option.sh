#!/bin/sh
#XCE --[31m night
./run
