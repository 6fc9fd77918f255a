#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sbatch --array=0-63 slurm-array.sh TRACES JOB, then nprof reduce JOB.  MaxArraySize of Slurm is 1001
# unless it is set: each task takes every 64th profile, however many there are.
exec nprof map --shard auto -o "$2" "$1"
