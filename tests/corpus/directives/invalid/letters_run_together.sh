#!/bin/sh
#XCEE --queue night
./run
