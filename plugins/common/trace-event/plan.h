/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - what plan.c keeps while it reads. */
#pragma once

#include "trace-event/trace-event.h"

typedef struct {
  uint64_t hash;
  const char *args, *name, *pid, *tid; /* in the input; args NULL: free */
  size_t args_len, name_len, pid_len, tid_len;
} ChSeenArgs;

typedef struct {
  Chrome *c;
  TeScan scan;
  const char *floor; /* events that were looked at end here */
  ChSeenArgs seen[256];
} ChPlan;

nprof_status ch_plan (Chrome *c);
