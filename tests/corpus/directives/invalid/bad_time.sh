#!/bin/sh
#XCE --begin soon
./run
