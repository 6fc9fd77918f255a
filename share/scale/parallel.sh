#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# parallel.sh TRACES JOB - all cores of one machine; --resume-failed after a failure does the rest.
find "$1" -type f -print0 | parallel -0 nprof map -o "$2" {} && nprof reduce "$2"
