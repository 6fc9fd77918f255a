/* SPDX-License-Identifier: Apache-2.0 */
/* part-sets.h - the text of parameter `parts`, as sets: groups, and the tracks whose rows of them
 * are meant. */
#pragma once

#include "groups.h"

typedef struct {
  GArray *numbers; /* of guint32: groups          */
  GArray *tracks;  /* of guint32: indices         */
  gboolean all;    /* it names no tracks: these are all that have rows of decoders */
} NpPartSet;

typedef struct {
  const NpGroups *groups; /* NULL: the request has no parts */
  GPtrArray *sets;        /* of NpPartSet *                 */
} NpPartSets;

/* Reads the text; NULL or empty: no parts. FALSE: the reply says what is wrong. */
gboolean np_part_sets_read (NpAsk *ask, const char *text, NpPartSets *sets);
void np_part_sets_clear (NpPartSets *sets);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpPartSets, np_part_sets_clear)
