#!/bin/sh
cat <<E
#XCE --queue night
E
