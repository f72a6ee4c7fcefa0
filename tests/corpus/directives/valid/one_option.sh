#!/bin/sh
#XCE --queue night
echo hello
