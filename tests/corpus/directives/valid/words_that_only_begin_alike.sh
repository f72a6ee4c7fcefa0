#!/bin/sh
#XCELLENT work
# BSUBmission is described elsewhere
./run
# XCEs are fine here
