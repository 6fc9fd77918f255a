/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - rows as events.parquet, or as one folder a value of partition=. */
#pragma once

#include "partition.h"
#include "rest.h"

struct events {
  const struct nprof_host *host;
  struct partition partition;
  gboolean by_track;          /* order=track                                  */
  GArray *columns;            /* of struct sheet_column; NULL before the first row */
  guint first_base[16], attrs, map; /* leaves                                 */
  gint64 origin_ns;           /* or NPROF_NO_EPOCH                            */
  struct pq_sorting sorting[3];
  struct nprof_spread spread;
  GArray *tracks;             /* of struct events_track, by handle            */
  nprof_str kinds[8];
  struct nprof_buf json;
  guint64 n_groups;           /* row groups so far                            */
  struct rest_memo memo;
};

nprof_status events_open (struct events *events);
nprof_status events_consume (struct events *events, const struct nprof_batch *batch);
nprof_status events_finish (struct events *events);
void events_clear (struct events *events);
