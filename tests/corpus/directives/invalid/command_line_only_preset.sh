#!/bin/sh
#XCE --preset small
./run
