#!/bin/sh
if true; then
  #XCE --queue night
  ./run
fi
