#!/bin/sh
#XCE -R rusage[mem=1G]
#XCE -R rusage[mem=2G]
./run
