/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h - shows a profile while it is written: rows, first and last, a strip of 512 buckets a
 * track, and the first figures of the analyzers. */
#pragma once

#include "sink.h"

struct store_progress;

struct store_progress *store_progress_new (void);
void store_progress_free (struct store_progress *progress);
void store_progress_row (struct store_progress *progress, nprof_track track, gint64 start,
                         gint64 duration);
/* Takes rows of tables that say how busy devices were and how long steps took; others it passes
 * over. */
void store_progress_table (struct store_progress *progress, struct store_sink *self,
                           const struct nprof_table *table, const struct nprof_cell *cells,
                           guint32 n_rows);
/* Writes the file when the last one is a quarter of a second old, or the first rows have come;
 * tracks by self's host. */
gboolean store_progress_tell (struct store_progress *progress, struct store_sink *self);
