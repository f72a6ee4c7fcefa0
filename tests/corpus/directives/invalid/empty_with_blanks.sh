#!/bin/sh
#XCE   
./run
