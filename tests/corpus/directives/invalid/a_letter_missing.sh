#!/bin/sh
# XC -q night
./run
