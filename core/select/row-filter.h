/* SPDX-License-Identifier: Apache-2.0 */
/* row-filter.h - which rows a run looks at: --from --to --step --track --name --where --or. */
#pragma once

#include "rows/attribute-sets.h"
#include "rows/batch.h"
#include "rows/strings.h"
#include "rows/tracks.h"

typedef struct { /* all fields may be unset                                  */
  gboolean has_from, has_to, has_step;
  gboolean clip;   /* sums of analyzers are cut at from and to (nprof/draft/clip.h)      */
  gint64 from, to; /* ps from the origin                                       */
  gint64 step_first, step_last;
  gint64 step_first_nth, step_last_nth; /* 0: the number; n: the n-th there is; -1: the last */
  GPtrArray *tracks, *names; /* of char *: patterns, any of them; NULL: all              */
  GPtrArray *where;          /* of char *: conditions (condition.h), all of them; NULL   */
  GPtrArray *others; /* of NpSelection *: alternatives, which --or parts, without times; NULL */
} NpSelection;

void np_selection_clear (NpSelection *selection);
/* Returns alternative i of the selection, itself the first; NULL: there are no more. */
const NpSelection *np_selection_alternative (const NpSelection *selection, guint i);
/* Puts steps, tracks, names and conditions of `alternative` (transfer full) beside those of the
 * selection. */
void np_selection_add (NpSelection *selection, NpSelection *alternative);
gboolean np_selection_is_empty (const NpSelection *selection);
/* Returns equal alternatives, whose lists stay shared; transfer full, NULL: there are none. */
GPtrArray *np_selection_copy_others (const NpSelection *selection);
/* Does an alternative select steps?  *nth: by their place among those that there are. */
gboolean np_selection_by_steps (const NpSelection *selection, gboolean *nth);
/* Checks what no single option can know: --from behind --to, a --where without meaning.
 * NP_EXIT_USAGE. */
gboolean np_selection_check (const NpSelection *selection, GError **error);

/* Parses "3..7", "3..", "..7" or "5"; an open end is the least or the largest number.  Each number
 * may be "last" or "2nd" instead, by the order of the steps that there are. */
gboolean np_parse_steps (const char *text, NpSelection *selection, GError **error);

/* A row is selected when its time is, and all others of these that one of the alternatives has
 * hold:
 * - time: spans that share a moment with from .. to, both ends included (without an end:
 *   from their start on); other rows that start within
 * - step: its attribute `step`, own or shared, is a number within; rows without are left out
 * - tracks: a pattern matches the label of its track or of any track above
 * - names: a pattern matches its name
 * - where: each condition (where.h) holds
 * A pattern with `*` is a glob (glob.h) of the whole text; without `*` it may stand anywhere in the
 * text, but for labels of inputs, which say the name of a file.
 * Facts always stay; gaps stay when their time is selected, and always those of a whole input
 * without an end: rows of any time may be missing.  One thread at a time. */
typedef struct NpRowFilter NpRowFilter;

NpRowFilter *np_row_filter_new (const NpSelection *selection, NpStrings *strings, NpTracks *tracks,
                                NpAttrSets *sets, NpPool *pool);
void np_row_filter_free (NpRowFilter *select);
/* Takes a sealed batch (transfer full), returns the rows that are selected: the same batch when
 * these are all, another, or NULL when none is.  Spans that cross an edge stay whole and get the
 * attribute crosses_edge.  Facts always stay.  `context` is NULL, or takes all rows, with those
 * that are left out hidden: the same batch when there are none, or another (transfer full). */
NpBatch *np_row_filter_apply (NpRowFilter *select, NpBatch *batch, NpBatch **context);
/* Returns whether a track of the run is one that was asked for, or none was; NP_EXIT_USAGE, with
 * the tracks that there are. Call it when all inputs have ended. */
gboolean np_row_filter_has_tracks (NpRowFilter *select, GError **error);
guint64 np_row_filter_left_out (const NpRowFilter *select); /* rows */
/* Returns that all were left out, and what there is instead; transfer full. */
char *np_row_filter_says_none (const NpRowFilter *select);
gboolean np_row_filter_failed (const NpRowFilter *select);  /* out of memory: rows were lost */
