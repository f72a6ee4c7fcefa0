#!/bin/sh
#XCE --success-exit 300
./run
