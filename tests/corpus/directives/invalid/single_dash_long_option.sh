#!/bin/sh
#XCE -queue night
./run
