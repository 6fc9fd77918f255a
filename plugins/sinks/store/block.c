/* SPDX-License-Identifier: Apache-2.0 */
/* block.c - writes the oldest rows of a lane as a block of columns.  Each row of a profile passes
 * here once: columns that no row of the block has are neither cleared nor packed, and the columns
 * of attributes are found once a shape, not once a row. */
#include "extra.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* -- Rows to columns --------------------------------------------------------------- */

enum { FIXED = NPROF_STORE_C_SET + 1 }; /* columns that are no attributes */

/* A column is left out, as 0 throughout, unless some row has what is named here; a column without
 * such a need is always written. */
static const uint8_t needs[FIXED] = {
  [NPROF_STORE_C_ID] = STORE_HAS_ID,       [NPROF_STORE_C_PARENT] = STORE_HAS_PARENT,
  [NPROF_STORE_C_FLOW] = STORE_HAS_FLOW,   [NPROF_STORE_C_VALUE] = STORE_HAS_VALUE,
  [NPROF_STORE_C_SHAPE] = STORE_HAS_SHAPE, [NPROF_STORE_C_HAS_VALUE] = STORE_HAS_VALUE,
  [NPROF_STORE_C_SET] = STORE_HAS_SET,
};

static bool
has_column (uint32_t number, uint32_t has)
{
  return !needs[number] || has & needs[number];
}

static int64_t *
column (struct store_writer *w, size_t number)
{
  return w->scratch + number * NPROF_STORE_ROWS;
}

static bool
make_room (struct store_writer *w, size_t columns)
{
  return store_room (&w->fault, &w->scratch, &w->max_scratch, columns * NPROF_STORE_ROWS,
                     sizeof *w->scratch);
}

/* Returns what any of the n rows has. */
static uint32_t
gather_fixed (struct store_writer *w, const struct store_lane *lane, uint32_t n)
{
  uint32_t has = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct store_pending *p = lane->rows + i;
    column (w, NPROF_STORE_C_START)[i] = p->start;
    column (w, NPROF_STORE_C_DURATION)[i] = p->duration;
    column (w, NPROF_STORE_C_LABEL)[i] = p->label;
    column (w, NPROF_STORE_C_CHILD)[i] = p->child;
    column (w, NPROF_STORE_C_UP)[i] = p->up;
    column (w, NPROF_STORE_C_ORDINAL)[i] = (int64_t) p->ordinal;
    has |= p->has;
  }
  return has;
}

/* The pyramid reads values of counters also where no row has one. */
static void
clear_optional (struct store_writer *w, const struct store_lane *lane, uint32_t has)
{
  has |= lane->d.type == NPROF_STORE_LANE_COUNTER ? STORE_HAS_VALUE : 0;
  for (uint32_t c = 0; c < FIXED; c++)
    if (needs[c] && has & needs[c])
      memset (column (w, c), 0, NPROF_STORE_ROWS * sizeof *w->scratch);
}

/* Returns the scratch column of a key in this block; SIZE_MAX: no memory. */
static size_t
attr_column (struct store_writer *w, uint32_t key)
{
  if (w->attr_column[key])
    return w->attr_column[key] - 1;
  size_t number = FIXED + w->n_used;
  if (!make_room (w, number + 1)
      || !store_room (&w->fault, &w->used, &w->max_used, w->n_used + 1, sizeof *w->used))
    return SIZE_MAX;
  w->used[w->n_used++] = (uint16_t) key;
  memset (column (w, number), 0, NPROF_STORE_ROWS * sizeof *w->scratch);
  w->attr_column[key] = (uint32_t) number + 1;
  return number;
}

/* Finds the columns of a shape's keys, into w->shape_columns. */
static bool
shape_columns (struct store_writer *w, const struct nprof_store_span *shape)
{
  for (uint32_t k = 0; k < shape->n; k++) {
    w->shape_columns[k] = attr_column (w, w->names.shape_keys[shape->from + k]);
    if (w->shape_columns[k] == SIZE_MAX)
      return false;
  }
  return true;
}

static const uint8_t *
gather_number (struct store_writer *w, uint32_t number, uint32_t i, const uint8_t *from)
{
  return store_extra_take (from, column (w, number) + i, 8);
}

/* Gathers what a row has before its attributes; *shape: 0 without any. */
static const uint8_t *
gather_optional (struct store_writer *w, uint32_t has, uint32_t i, const uint8_t *from,
                 uint32_t *shape)
{
  uint32_t set;
  from = has & STORE_HAS_ID ? gather_number (w, NPROF_STORE_C_ID, i, from) : from;
  from = has & STORE_HAS_PARENT ? gather_number (w, NPROF_STORE_C_PARENT, i, from) : from;
  from = has & STORE_HAS_FLOW ? gather_number (w, NPROF_STORE_C_FLOW, i, from) : from;
  if (has & STORE_HAS_VALUE) {
    from = gather_number (w, NPROF_STORE_C_VALUE, i, from);
    column (w, NPROF_STORE_C_HAS_VALUE)[i] = 1;
  }
  if (has & STORE_HAS_SET) {
    from = store_extra_take (from, &set, 4);
    column (w, NPROF_STORE_C_SET)[i] = set;
  }
  *shape = 0;
  return has & STORE_HAS_SHAPE ? store_extra_take (from, shape, 4) : from;
}

static bool
gather_extra (struct store_writer *w, const struct store_lane *lane, uint32_t n)
{
  uint32_t known = 0, shape; /* known: the shape whose columns are found */
  for (uint32_t i = 0; i < n; i++) {
    const struct store_pending *p = lane->rows + i;
    if (!p->has)
      continue;
    const uint8_t *from = gather_optional (w, p->has, i, lane->extra + p->extra, &shape);
    if (!shape)
      continue;
    const struct nprof_store_span *keys = w->names.shapes + shape;
    if (shape != known && !shape_columns (w, keys))
      return false;
    known = shape;
    column (w, NPROF_STORE_C_SHAPE)[i] = shape;
    for (uint32_t k = 0; k < keys->n; k++)
      from = store_extra_take (from, column (w, w->shape_columns[k]) + i, 8);
  }
  return true;
}

/* Prepares tables for keys of attributes, as long as there are keys. */
static bool
prepare (struct store_writer *w)
{
  size_t old = w->max_attr_column;
  w->n_used = 0;
  if (!make_room (w, FIXED + 8)
      || !store_room (&w->fault, &w->attr_column, &w->max_attr_column, w->names.n_keys + 1,
                      sizeof *w->attr_column)
      || !store_room (&w->fault, &w->shape_columns, &w->max_shape_columns, w->names.n_keys + 1,
                      sizeof *w->shape_columns))
    return false;
  memset (w->attr_column + old, 0, (w->max_attr_column - old) * sizeof *w->attr_column);
  return true;
}

static int
by_key (const void *a, const void *b)
{
  return *(const uint16_t *) a - *(const uint16_t *) b;
}

/* Gives a row without any attribute a value that others have, which costs no bytes; its shape says
 * that it has none. */
static void
fill_absent (struct store_writer *w, size_t c, uint32_t n)
{
  int64_t *v = column (w, c);
  uint32_t some = 0;
  for (uint32_t i = 0; i < n; i++)
    some += v[i] != 0;
  if (some * 2 < n || some == n)
    return; /* sparse does better, or nothing is absent */
  int64_t low = INT64_MAX;
  for (uint32_t i = 0; i < n; i++)
    low = v[i] && v[i] < low ? v[i] : low;
  for (uint32_t i = 0; i < n; i++)
    if (!v[i] && !column (w, NPROF_STORE_C_SHAPE)[i])
      v[i] = low;
}

static bool
pack_block (struct store_writer *w, uint32_t n, uint32_t has)
{
  store_pack_begin (&w->packer);
  for (uint32_t c = 0; c < FIXED; c++)
    if (has_column (c, has) && !store_pack_column (&w->packer, c, column (w, c), n, &w->fault))
      return false;
  if (w->n_used)
    qsort (w->used, w->n_used, sizeof *w->used, by_key);
  for (size_t k = 0; k < w->n_used; k++) {
    size_t c = w->attr_column[w->used[k]] - 1;
    fill_absent (w, c, n);
    if (!store_pack_column (&w->packer, NPROF_STORE_C_ATTR + w->used[k], column (w, c), n,
                            &w->fault))
      return false;
  }
  for (size_t k = 0; k < w->n_used; k++)
    w->attr_column[w->used[k]] = 0;
  return true;
}

/* Notes where the ids, parents and flows of a block's rows stand, for who asks by them. */
static bool
put_links (struct store_writer *w, const struct store_lane *lane, uint32_t first, uint32_t n,
           uint32_t has)
{
  static const uint8_t kinds[][2] = { { NPROF_STORE_C_ID, NPROF_STORE_LINK_ID },
                                      { NPROF_STORE_C_PARENT, NPROF_STORE_LINK_PARENT },
                                      { NPROF_STORE_C_FLOW, NPROF_STORE_LINK_FLOW } };
  for (uint32_t k = 0; k < 3; k++) {
    const int64_t *v = column (w, kinds[k][0]);
    for (uint32_t i = 0; has_column (kinds[k][0], has) && i < n; i++)
      if (v[i]
          && !store_link_put (w, nprof_store_link_key (kinds[k][1], lane->input, (uint64_t) v[i]),
                              lane->d.serial, first + i))
        return false;
  }
  return true;
}

/* Drops the first n rows. */
static void
shift (struct store_lane *lane, uint32_t n)
{
  uint32_t left = lane->n - n;
  size_t from = left ? lane->rows[n].extra : lane->n_extra;
  memmove (lane->rows, lane->rows + n, left * sizeof *lane->rows);
  if (lane->n_extra > from)
    memmove (lane->extra, lane->extra + from, lane->n_extra - from);
  lane->n_extra -= from;
  lane->n = left;
  for (uint32_t i = 0; i < left; i++)
    lane->rows[i].extra -= (uint32_t) from;
}

bool
store_block_flush (struct store_writer *w, struct store_lane *lane, uint32_t n)
{
  uint32_t first = (uint32_t) (lane->blocks * NPROF_STORE_ROWS);
  uint64_t at = 0;
  if (!prepare (w))
    return false;
  uint32_t has = gather_fixed (w, lane, n);
  clear_optional (w, lane, has);
  if ((has && !gather_extra (w, lane, n)) || !pack_block (w, n, has))
    return false;
  struct nprof_store_block head
      = { .lane = lane->d.serial, .first = first, .n = (uint16_t) n, .previous = lane->previous };
  if (!store_pack_end (&w->packer, &head, &w->out[NPROF_STORE_F_ROWS], &at, &w->fault)
      || !put_links (w, lane, first, n, has) || !store_nodes_add (w, lane, n, at))
    return false;
  lane->d.only = lane->blocks ? NPROF_STORE_NONE : at;
  lane->previous = at;
  lane->blocks++;
  shift (lane, n);
  return true;
}
