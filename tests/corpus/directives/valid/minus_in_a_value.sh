#!/bin/sh
#XCE --name -x
./run
