#!/bin/sh
#XCE --queue night --name x
./run
