#!/bin/sh
#XCE --queu night
./run
