#!/bin/sh
#XCE --queue night#XCE --name x
./run
