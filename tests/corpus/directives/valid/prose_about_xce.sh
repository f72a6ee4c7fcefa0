#!/bin/sh
# XCE runs this at night.
#XCE --queue night
./run
# XCE keeps the output.
