/* SPDX-License-Identifier: Apache-2.0 */
/* batch-layout.c - where the columns of a batch lie in its memory; the memory is batch.c's. */

#include "rows/batch-layout.h"

#include "base/guard-pages.h"

#define ROW_ATTRS 2u  /* room for each row's own attributes, and for their bytes; */
#define ROW_BYTES 64u /* a row that needs more takes that of others, or makes it grow */
#define LEAST_ATTRS 1024u
#define LEAST_BYTES 32768u

void *
np_layout_column (NpLayout *c, gsize size)
{
  gsize room = np_aligned (size), start = c->at;
  if (c->page) {
    gsize end = (c->at + room + c->page - 1) / c->page * c->page;
    start = end - room;
    c->at = end + c->page;
  } else {
    c->at += room;
  }
  if (!c->base)
    return NULL;
  if (c->page)
    np_guard_allow (c->base + start, room, c->writable);
  return c->base + start;
}

guint32
np_first_attrs (gsize rows)
{
  return (guint32) MAX (rows * ROW_ATTRS, LEAST_ATTRS);
}

guint32
np_first_bytes (gsize rows)
{
  return (guint32) MAX (rows * ROW_BYTES, LEAST_BYTES);
}

gsize
np_lay_out (struct nprof_writer *w, NpLayout c, gsize head, gsize rows)
{
  c.at = c.page ? c.page : np_aligned (head);
  w->start = np_layout_column (&c, rows * sizeof *w->start);
  w->duration = np_layout_column (&c, rows * sizeof *w->duration);
  w->track = np_layout_column (&c, rows * sizeof *w->track);
  w->name = np_layout_column (&c, rows * sizeof *w->name);
  w->category = np_layout_column (&c, rows * sizeof *w->category);
  w->kind = np_layout_column (&c, rows);
  w->value = np_layout_column (&c, rows * sizeof *w->value);
  w->value_valid = np_layout_column (&c, (rows + 7) / 8);
  w->id = np_layout_column (&c, rows * sizeof *w->id);
  w->parent = np_layout_column (&c, rows * sizeof *w->parent);
  w->flow = np_layout_column (&c, rows * sizeof *w->flow);
  w->shared = np_layout_column (&c, rows * sizeof *w->shared);
  w->attr_at = np_layout_column (&c, (rows + 1) * sizeof *w->attr_at);
  w->attr_key = np_layout_column (&c, np_first_attrs (rows) * sizeof *w->attr_key);
  w->attr_type = np_layout_column (&c, np_first_attrs (rows));
  w->attr_value = np_layout_column (&c, np_first_attrs (rows) * sizeof *w->attr_value);
  w->bytes = np_layout_column (&c, np_first_bytes (rows));
  return c.at;
}

gsize
np_lay_out_attrs (struct nprof_writer *w, NpLayout c, gsize attrs)
{
  w->attr_key = np_layout_column (&c, attrs * sizeof *w->attr_key);
  w->attr_value = np_layout_column (&c, attrs * sizeof *w->attr_value);
  w->attr_type = np_layout_column (&c, attrs);
  return c.at;
}
