/* SPDX-License-Identifier: Apache-2.0 */
/* told.h - requests that a decoder found: rows of category request, each with all that is known of
 * it. */
#pragma once

#include "columns.h"
#include "devicekit/distribution.h"
#include "traces.h"

#include <nprof/reader.h>

enum {
  TOLD_TTFT,
  TOLD_QUEUE,
  TOLD_PREFILL,
  TOLD_DECODE,
  TOLD_E2E,
  TOLD_TPOT,
  TOLD_TIMES,
  TOLD_PROMPT = TOLD_TIMES,
  TOLD_OUTPUT,
  TOLD_CACHED,
  TOLD_FIGURES,
  TOLD_RID = TOLD_FIGURES,
  TOLD_SERVER,
  TOLD_ERROR,
  TOLD_KEYS
};

typedef struct {
  gint64 arrival, end;          /* ps; end -1: unknown          */
  gint64 figure[TOLD_FIGURES];  /* -1: unknown                  */
  nprof_str rid, server;        /* 0: unknown                   */
  guint32 input;
  bool error;
} Told;

typedef struct {
  const struct nprof_host *host;
  struct nprof_reader pick;
  nprof_str request;
  GArray *all; /* of Told */
} ToldAll;

/* These end in NULL: what they need. */
extern const char *const told_keys[];

nprof_status told_init (ToldAll *t, const struct nprof_host *host);
void told_clear (ToldAll *t);
bool told_is (const ToldAll *t, const struct nprof_batch *batch, uint32_t i);
void told_take (ToldAll *t, const struct nprof_batch *batch, uint32_t i);
/* Adds the times to the first token of an input, and what else is known of it to the row. Returns
 * how many requests it has; those that failed count, but add no times. */
gint64 told_sum (const ToldAll *t, guint32 input, Dist *ttft, struct requests_row *row);
/* Appends when the first tokens of an input came; `first` is of gint64. */
void told_first_tokens (const ToldAll *t, guint32 input, GArray *first);
/* traces: by input. */
nprof_status told_list (ToldAll *t, const struct nprof_table *table, const Traces *traces);
