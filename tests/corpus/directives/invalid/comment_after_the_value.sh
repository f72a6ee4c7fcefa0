#!/bin/sh
#XCE --queue night # the long one
./run
