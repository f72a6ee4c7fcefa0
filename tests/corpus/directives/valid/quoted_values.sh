#!/bin/sh
#XCE --name "two words"
#XCE -R 'select[type == "X86_64"]'
./run
