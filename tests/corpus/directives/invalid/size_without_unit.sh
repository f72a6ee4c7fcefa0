#!/bin/sh
#XCE --memory 2
./run
