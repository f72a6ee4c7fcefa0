#!/bin/sh
#XCE -W 1:30
./run
