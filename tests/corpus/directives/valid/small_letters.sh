#!/bin/sh
#xce --queue night
./run
