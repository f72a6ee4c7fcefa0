#!/bin/sh
#XCE -R select[(a]
./run
