/* SPDX-License-Identifier: Apache-2.0 */
/* sums.h - the figures of a window: rows by name, track, category or operator of the framework, and
 * what they sum to. */
#pragma once

#include "label-class.h"
#include "parts.h"

typedef struct {
  guint32 key; /* string of a name, category or place, number of a track, or group of an operator */
  guint64 count, unclosed;
  gint64 whole, inside, self_inside; /* ps */
  gint64 self_of[NP_N_SHARED]; /* of self_inside what is of rows of a kin that shares its time */
  gint64 work_of[NP_N_WORK];   /* of that of devices what is of a kind of work               */
  guint8 kins;                 /* 1 << NpKin of its rows that have an end                      */
  guint8 works;                /* 1 << NpWorkKind of those of devices, asynchronous ones, too  */
  guint64 ended;               /* of which the following are; 0: not asked for */
  gint64 median, p90, p99, min, max;
  GArray *durations; /* while they are collected; NULL */
} NpSum;

enum { NP_BY_NAME, NP_BY_TRACK, NP_BY_CATEGORY, NP_BY_OPERATOR, NP_BY_PLACE };

typedef struct {
  gint64 t0, t1;
  const GArray *tracks; /* indices; empty: all */
  NpParts *parts;       /* rows of the tracks that count; NULL: all */
  guint by;
  const NpGroups *operators; /* by operator */
  const char *where; /* text of a search; NULL: all */
  gboolean percentiles;
  gboolean counters; /* those of the tracks are asked for, too */
} NpWindow;

/* Returns rows by inside falling, then key; transfer full.  NULL: the query's error, or the
 * reply's, says why. */
GArray *np_sums (NpAsk *ask, const NpWindow *window);
/* Returns the kin whose time the row is a share of; NP_N_SHARED: none, and *why says so
 * (static). */
NpKin np_sum_share (const NpSum *sum, const char **why);
/* Computes percentiles of the rows from .. from + n. */
gboolean np_sums_percentiles (NpAsk *ask, const NpWindow *window, GArray *sums, guint from,
                              guint n);
/* Puts the sums of all rows, as the member `totals`. */
gboolean np_json_totals (NpAsk *ask, const NpWindow *window, const GArray *sums);
