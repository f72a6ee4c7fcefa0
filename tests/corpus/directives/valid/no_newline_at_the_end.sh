#!/bin/sh
#XCE --queue night