#!/bin/sh
#XCE --label alone
./run
