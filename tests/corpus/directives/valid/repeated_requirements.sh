#!/bin/sh
#XCE -R select[a]
#XCE -R rusage[mem=1G]
./run
