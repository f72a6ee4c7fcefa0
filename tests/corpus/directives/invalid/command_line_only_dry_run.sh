#!/bin/sh
#XCE --dry-run
./run
