#!/bin/sh
#XCE
./run
