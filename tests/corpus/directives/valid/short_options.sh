#!/bin/sh
#XCE -q night
#XCE -n 4-16
#XCE -M 2G
#XCE -W 2h
./run
