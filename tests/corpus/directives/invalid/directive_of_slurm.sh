#!/bin/sh
#SBATCH --partition night
./run
