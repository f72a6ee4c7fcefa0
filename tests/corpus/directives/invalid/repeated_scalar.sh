#!/bin/sh
#XCE --queue night
#XCE --queue day
./run
