/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.h - goes through one leaf column of a row group value by value, or by slices of rows of a
 * flat one, over the borders of its pages. */
#pragma once

#include "value.h"

#include <nprof/sdk.h>

typedef struct {
  const struct nprof_host *host;
  const PqNode *node;
  PqColumn *column; /* owned */
  PqPage page;
  gsize at, value;  /* in the page: the next entry, the next value that is there */
  nprof_str *known; /* of a dictionary's entries: 1 + handle; 0: not asked yet */
  gsize n_known;
  gboolean no_memory; /* for a text that was to be made */
} Cursor;

void cursor_begin (Cursor *c, const struct nprof_host *host, const guint8 *data, guint64 end,
                   const PqFooter *footer, guint group, guint leaf);
void cursor_end (Cursor *c);

/* Returns the entries left in the page; reads the next page where there are none.  0: the column is
 * at its end, or fail->why says what is wrong. */
gsize cursor_left (Cursor *c, PqFail *fail);
/* Returns the value at place k of those that are there in the page. */
Value cursor_value (const Cursor *c, gsize k);
/* Returns the value interned: once an entry of a dictionary. */
nprof_str cursor_string (Cursor *c, gsize k);

static inline gboolean
cursor_has (const Cursor *c, gsize entry)
{
  return !c->page.def || c->page.def[entry] == c->node->max_def;
}
