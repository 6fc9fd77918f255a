/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - the line of a profile in the list, from its stored tables. */
#pragma once

#include "stored/json.h"
#include "stored/opened.h"

typedef struct {
  char *label;           /* of its inputs                                  */
  GPtrArray *decoders;   /* of char *, each once                           */
  gint64 origin_unix_ns; /* or INT64_MIN                                   */
  gint64 start, end;     /* ps; start > end: no row has a time             */
  guint64 rows, size, generation;
  gint64 made_unix_ms;
  gboolean sourceless; /* never removed to make room */
  GArray *devices;     /* of NpDevices                                   */
  gboolean has_device; /* table devices has a row, known or not              */
  gboolean of_logical; /* of logical cores of Neuron: busy, exposed are of their cores together */
  gboolean has_busy, has_mfu, has_exposed, has_step;
  double busy, mfu, exposed;
  char *busy_reason; /* why it is unknown; NULL: it is known, or nothing says it */
  char *mfu_reason;  /* why it is unknown; NULL: it is known            */
  gboolean mfu_least;     /* it is that at least                                */
  const char *mfu_source; /* what it is made of                                 */
  gint64 step_median;      /* ps */
  const char *step_source; /* what tells it                                     */
  GArray *inputs; /* of NpSummaryInput                              */
} NpSummary;

typedef struct {
  char *type;
  guint count;
} NpDevices;

typedef struct {
  char *label, *path; /* path: NULL for a pipe or an upload */
  guint64 bytes, size;
  gint64 mtime_ns;
} NpSummaryInput;

NpSummary *np_summary_new (NpProfile *profile);
void np_summary_free (NpSummary *summary);
/* Returns whether the file lies there as it was read, by its size and time. */
gboolean np_input_present (const NpSummaryInput *input);
/* Tells so of all its inputs. */
gboolean np_source_present (const NpSummary *summary);
