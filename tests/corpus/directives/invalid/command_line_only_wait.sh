#!/bin/sh
#XCE -K
./run
