#!/bin/sh
#XCE --limit stack
./run
