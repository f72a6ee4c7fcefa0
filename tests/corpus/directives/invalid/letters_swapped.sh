#!/bin/sh
#XEC --queue night
./run
