#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# slurm-srun.sh TRACES JOB - one srun: each task takes its share of the profiles.  -K is not given, so
# that one task that fails does not stop the others; run it again after a failure.
srun ${NPROF_SRUN:--n 256} nprof map --shard auto -o "$2" "$1" && nprof reduce "$2"
