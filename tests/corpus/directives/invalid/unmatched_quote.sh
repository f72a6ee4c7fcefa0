#!/bin/sh
#XCE --name "two words
./run
