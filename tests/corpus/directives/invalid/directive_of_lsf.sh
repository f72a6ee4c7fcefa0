#!/bin/sh
#BSUB -q night
./run
