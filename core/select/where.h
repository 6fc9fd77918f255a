/* SPDX-License-Identifier: Apache-2.0 */
/* where.h - which rows meet a condition.  One thread at a time. */
#pragma once

#include "rows/attribute-sets.h"
#include "rows/strings.h"
#include "rows/tracks.h"

/* Answers are remembered by handle, so that a question is asked once: 0: not asked yet. */
enum { NP_MEMO_YES = 1, NP_MEMO_NO = 2 };
static inline guint8 *
np_memo_at (GByteArray *answers, guint handle)
{
  if (handle >= answers->len) {
    guint from = answers->len;
    g_byte_array_set_size (answers, handle + handle / 2 + 64);
    memset (answers->data + from, 0, answers->len - from);
  }
  return &answers->data[handle];
}

typedef struct NpWhere NpWhere;

/* Makes the conditions of a text. = and != compare with what outputs print, doubles by number; ~
 * looks for a text; the others compare numbers.  A row without the attribute meets none but KEY=
 * without a value, != neither; what states no layer has that of the path of its operator. NULL:
 * text is no condition (condition.h). */
NpWhere *np_where_new (const char *text, NpStrings *strings, NpTracks *tracks, NpAttrSets *sets);
void np_where_free (NpWhere *where);
gboolean np_where_matches (NpWhere *where, const struct nprof_batch *rows, guint i);

/* Returns the index of the row's own attribute of that key; -1: none. */
gint64 np_row_attr (const struct nprof_batch *rows, guint i, nprof_str key);
gint64 np_set_attr (const struct nprof_attrs *attrs, nprof_str key);
/* Returns the text that people read for a track. */
nprof_str np_track_text (NpTracks *tracks, nprof_track track);
