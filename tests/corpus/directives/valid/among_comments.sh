#!/bin/sh
# What this does.

#XCE --queue night
#
# More words about xce and #XCE.
#XCE --name x

./run
