/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - makes the first answers of a report, a line each, from tables that are finished. */
#pragma once

#include "answers.h"
#include "store.h"

/* Each is NULL where the run has none. */
typedef struct {
  const Table *devices, *step_times, *operators, *mfu, *gaps, *latency; /* mfu: of whole devices */
  const Table *inferences, *kernels;
  const Answers *answers; /* never NULL */
} SummaryOf;

/* Returns the table, transfer full; NULL: there is nothing to say. */
Table *summary_new (const struct nprof_host *host, const SummaryOf *of);
