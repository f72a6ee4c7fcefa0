#!/bin/sh
#XCE -Z 4
./run
