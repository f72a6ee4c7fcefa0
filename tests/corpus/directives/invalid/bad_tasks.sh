#!/bin/sh
#XCE --tasks none
./run
