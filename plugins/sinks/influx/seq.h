/* SPDX-License-Identifier: Apache-2.0 */
/* seq.h - ordinals among rows that are alike, so that no point overwrites another.  Rows come track
 * by track in order of time, so only those of one track and time can be alike: a count is kept for
 * each distinct row of that moment, and never more than there are distinct texts. */
#pragma once

#include <glib.h>

struct seq_counter {
  GHashTable *alike; /* struct seq_key to the next ordinal, of this moment */
  guint64 track;
  gint64 time;
  gboolean begun;
  GHashTable *rounds; /* track to the round in which it was seen last */
  guint round;
};

void seq_init (struct seq_counter *seq);
void seq_clear (struct seq_counter *seq);

/* Returns the ordinal of a row, from 0. *round is 0, and more when the track had ended before and
 * comes again (rows of analyzers follow those that were decoded): round and ordinal together are
 * unique. */
guint64 seq_next (struct seq_counter *seq, guint64 track, gint64 time, guint32 name,
                  guint32 category, guint32 kind, guint *round);
