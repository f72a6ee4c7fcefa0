#!/bin/sh
#XCE --queue night

#XCE -q night
./run
