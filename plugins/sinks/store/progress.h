/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - shows a profile while it is written: rows, first and last, and a strip of 512
 * buckets a track. */
#pragma once

#include "sink.h"

struct store_progress;

struct store_progress *store_progress_new (void);
void store_progress_free (struct store_progress *progress);
void store_progress_row (struct store_progress *progress, nprof_track track, gint64 start,
                         gint64 duration);
/* Writes the file when the last one is a quarter of a second old; tracks by self's host. */
gboolean store_progress_tell (struct store_progress *progress, struct store_sink *self);
