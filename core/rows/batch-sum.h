/* SPDX-License-Identifier: Apache-2.0 */
/* batch-sum.h - what the thread that delivers wants to know of a batch of a decoder: the thread
 * that filled it finds that out, while the columns are in its cache. Another thread that reads a
 * column fetches every line of it from there, which takes as long as decoding the rows. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#define NP_SUM_TRACKS 64

typedef struct {
  nprof_track track;
  guint n;
} NpTrackRows;

typedef struct {
  gint64 first, last; /* of rows that have a time; first > last: none has */
  guint unclosed;     /* spans without an end */
} NpTimes;

typedef struct {
  gboolean known;     /* FALSE: nobody has looked, or rows have changed since */
  gboolean any_facts;
  NpTimes times;
  guint n_tracks;     /* as they come first; 0: they are too many */
  NpTrackRows tracks[NP_SUM_TRACKS];
} NpBatchSum;

void np_batch_sum (NpBatchSum *sum, const struct nprof_batch *batch);
NpTimes np_times_of (const struct nprof_batch *batch);
