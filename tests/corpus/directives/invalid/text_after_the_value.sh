#!/bin/sh
#XCE --queue night tonight
./run
