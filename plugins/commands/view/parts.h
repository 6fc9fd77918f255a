/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - rows of tracks that are of some groups (groups.h): what parameter `parts` chooses,
 * where an area lies over rows of a grouped timeline. Its text is BY:GROUPS@TRACKS;..., numbers as
 * 3-17,20; without @TRACKS all that have rows of decoders. */
#pragma once

#include "select/row-filter.h"
#include "groups.h"

typedef struct NpParts NpParts;

/* Reads the text of a parameter; of NULL and an empty one there are none, NULL. FALSE: the reply
 * says what is wrong. Transfer full. */
gboolean np_parts_read (NpAsk *ask, const char *text, NpParts **parts);
void np_parts_free (NpParts *parts);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpParts, np_parts_free)
/* Returns indices of the tracks that they are of, ascending. */
const GArray *np_parts_tracks (const NpParts *parts);
/* Returns indices of the tracks that parameter `parts` names, else those of parameter `tracks`
 * (np_ask_tracks); transfer full, NULL: the reply says what is wrong. */
GArray *np_ask_chosen (NpAsk *ask, NpParts **parts);
/* Returns whether they have a row.  FALSE: the query says why it is not known. */
gboolean np_parts_have (NpParts *parts, NpAsk *ask, const struct nprof_event *event,
                        gboolean *have);

/* Spans with or without an end; a block of them is at most what one call of a function gets. */
typedef struct {
  struct nprof_row row;
  guint32 track, label;
  gint64 start, duration, child; /* ps; duration -1: no end in the file */
} NpPartSpan;
typedef gboolean (*NpPartFunc) (NpAsk *ask, const NpPartSpan *span, gpointer user);
/* Calls fn with the spans of the i-th of these tracks that are of its groups and touch [t0, t1],
 * one lane after the other, by start. FALSE: fn returned it, or the query says why. */
gboolean np_parts_each (NpParts *parts, NpAsk *ask, guint i, gint64 t0, gint64 t1, NpPartFunc fn,
                        gpointer user);
/* Sums how long each of these tracks had such a span open in [t0, t1]. */
gboolean np_parts_busy (NpParts *parts, NpAsk *ask, gint64 t0, gint64 t1, gint64 *busy);

/* Returns the label of a track as --track takes it: all that begin so, because without a * it is a
 * part of any label.  Transfer full. */
char *np_track_pattern (const NpAsk *ask, const struct nprof_store_track *t);

/* Selects the rows of these parts; of whole tracks where the request has parameter `tracks` alone.
 * FALSE: the reply says why no selection does. */
gboolean np_parts_select (NpAsk *ask, NpSelection *selection);
