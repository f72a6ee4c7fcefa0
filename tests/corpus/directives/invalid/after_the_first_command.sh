#!/bin/sh
./run
#XCE --queue night
