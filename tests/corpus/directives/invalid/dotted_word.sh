#!/bin/sh
#X.C.E. -q night
./run
