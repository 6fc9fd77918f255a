#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# object-storage.sh RANK BUCKET - one rank: nothing but its state is kept on the machine.  Untested.
set -e
job=$(mktemp -d)
aws s3 cp "s3://$2/traces/rank$1.json" - | nprof map --rank "$1" -o "$job" -
aws s3 cp --recursive "$job/states" "s3://$2/job/states"
rm -r "$job"
