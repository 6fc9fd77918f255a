/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - rows as lines of events.csv. */
#pragma once

#include "columns.h"
#include "file.h"
#include "value.h"

struct csv_events {
  struct csv_format *format;
  struct csv_file file;
  GArray *columns;            /* of struct csv_column */
  struct nprof_row_columns row_columns;
  gboolean spreads;           /* a picked column is an attribute */
  GArray *tracks;             /* of struct row_track, by handle */
};

/* NULL as stem is stdout.  `picks` is option columns=, or NULL. */
nprof_status csv_events_open (struct csv_events *events, struct csv_format *format,
                              const char *stem, const char *picks);
nprof_status csv_events_consume (struct csv_events *events, const struct nprof_batch *batch);
nprof_status csv_events_finish (struct csv_events *events);
void csv_events_clear (struct csv_events *events);
