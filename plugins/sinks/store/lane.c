/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - keeps rows of one lane until a block is full and their children are known; then writes
 * them as columns. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* -- Optional values as bytes --------------------------------------------------- */

enum { HAS_ID = 1, HAS_PARENT = 2, HAS_FLOW = 4, HAS_VALUE = 8, HAS_SET = 16, HAS_SHAPE = 32 };

uint32_t
store_extra_has (const struct store_row *row)
{
  return (row->id ? HAS_ID : 0) | (row->parent ? HAS_PARENT : 0) | (row->flow ? HAS_FLOW : 0)
         | (row->has_value ? HAS_VALUE : 0) | (row->set ? HAS_SET : 0) | (row->shape ? HAS_SHAPE : 0);
}

static uint32_t
n_attrs (const struct store_writer *w, uint32_t shape)
{
  return w->names.shapes[shape].n;
}

size_t
store_extra_size (const struct store_writer *w, const struct store_row *row)
{
  uint32_t has = store_extra_has (row);
  size_t n = 8 * (size_t) __builtin_popcount (has & (HAS_ID | HAS_PARENT | HAS_FLOW | HAS_VALUE));
  n += has & HAS_SET ? 4 : 0;
  return n + (has & HAS_SHAPE ? 4 + 8 * (size_t) n_attrs (w, row->shape) : 0);
}

static uint8_t *
put_bytes (uint8_t *to, const void *value, size_t len)
{
  memcpy (to, value, len);
  return to + len;
}

void
store_extra_write (const struct store_writer *w, const struct store_row *row, uint8_t *to)
{
  uint32_t has = store_extra_has (row);
  to = has & HAS_ID ? put_bytes (to, &row->id, 8) : to;
  to = has & HAS_PARENT ? put_bytes (to, &row->parent, 8) : to;
  to = has & HAS_FLOW ? put_bytes (to, &row->flow, 8) : to;
  to = has & HAS_VALUE ? put_bytes (to, &row->value, 8) : to;
  to = has & HAS_SET ? put_bytes (to, &row->set, 4) : to;
  if (!(has & HAS_SHAPE))
    return;
  to = put_bytes (to, &row->shape, 4);
  put_bytes (to, row->attrs, 8 * (size_t) n_attrs (w, row->shape));
}

static const uint8_t *
take_bytes (const uint8_t *from, void *value, size_t len)
{
  memcpy (value, from, len);
  return from + len;
}

void
store_extra_read (const struct store_writer *w, uint32_t has, const uint8_t *from, struct store_row *row,
                  uint64_t *attrs)
{
  row->has_value = has & HAS_VALUE;
  from = has & HAS_ID ? take_bytes (from, &row->id, 8) : from;
  from = has & HAS_PARENT ? take_bytes (from, &row->parent, 8) : from;
  from = has & HAS_FLOW ? take_bytes (from, &row->flow, 8) : from;
  from = has & HAS_VALUE ? take_bytes (from, &row->value, 8) : from;
  from = has & HAS_SET ? take_bytes (from, &row->set, 4) : from;
  if (!(has & HAS_SHAPE))
    return;
  from = take_bytes (from, &row->shape, 4);
  memcpy (attrs, from, 8 * (size_t) n_attrs (w, row->shape));
  row->attrs = attrs;
}

/* -- Rows to blocks --------------------------------------------------------------- */

enum { FIXED = NPROF_STORE_C_SET + 1 }; /* columns that are no attributes */

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

static void
gather_fixed (struct store_writer *w, const struct store_lane *lane, uint32_t n)
{
  memset (w->scratch, 0, FIXED * NPROF_STORE_ROWS * sizeof *w->scratch);
  for (uint32_t i = 0; i < n; i++) {
    const struct store_pending *p = lane->rows + i;
    column (w, NPROF_STORE_C_START)[i] = p->start;
    column (w, NPROF_STORE_C_DURATION)[i] = p->duration;
    column (w, NPROF_STORE_C_LABEL)[i] = p->label;
    column (w, NPROF_STORE_C_CHILD)[i] = p->child;
    column (w, NPROF_STORE_C_UP)[i] = p->up;
    column (w, NPROF_STORE_C_ORDINAL)[i] = (int64_t) p->ordinal;
  }
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

static bool
gather_extra (struct store_writer *w, const struct store_lane *lane, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    const struct store_pending *p = lane->rows + i;
    struct store_row row = { 0 };
    if (!p->has)
      continue;
    store_extra_read (w, p->has, lane->extra + p->extra, &row, w->gathered);
    column (w, NPROF_STORE_C_ID)[i] = (int64_t) row.id;
    column (w, NPROF_STORE_C_PARENT)[i] = (int64_t) row.parent;
    column (w, NPROF_STORE_C_FLOW)[i] = (int64_t) row.flow;
    memcpy (column (w, NPROF_STORE_C_VALUE) + i, &row.value, 8);
    column (w, NPROF_STORE_C_HAS_VALUE)[i] = row.has_value;
    column (w, NPROF_STORE_C_SHAPE)[i] = row.shape;
    column (w, NPROF_STORE_C_SET)[i] = row.set;
    const struct nprof_store_span *shape = w->names.shapes + row.shape;
    for (uint32_t k = 0; k < shape->n; k++) {
      size_t c = attr_column (w, w->names.shape_keys[shape->from + k]);
      if (c == SIZE_MAX)
        return false;
      column (w, c)[i] = (int64_t) row.attrs[k];
    }
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
      || !store_room (&w->fault, &w->gathered, &w->max_gathered, w->names.n_keys + 1, sizeof *w->gathered))
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
pack_block (struct store_writer *w, uint32_t n)
{
  store_pack_begin (&w->packer);
  for (uint32_t c = 0; c < FIXED; c++)
    if (!store_pack_column (&w->packer, c, column (w, c), n, &w->fault))
      return false;
  if (w->n_used)
    qsort (w->used, w->n_used, sizeof *w->used, by_key);
  for (size_t k = 0; k < w->n_used; k++) {
    size_t c = w->attr_column[w->used[k]] - 1;
    fill_absent (w, c, n);
    if (!store_pack_column (&w->packer, NPROF_STORE_C_ATTR + w->used[k], column (w, c), n, &w->fault))
      return false;
  }
  for (size_t k = 0; k < w->n_used; k++)
    w->attr_column[w->used[k]] = 0;
  return true;
}

static bool
put_links (struct store_writer *w, const struct store_lane *lane, uint32_t first, uint32_t n)
{
  static const uint8_t kinds[][2] = { { NPROF_STORE_C_ID, NPROF_STORE_LINK_ID },
                                      { NPROF_STORE_C_PARENT, NPROF_STORE_LINK_PARENT },
                                      { NPROF_STORE_C_FLOW, NPROF_STORE_LINK_FLOW } };
  for (uint32_t k = 0; k < 3; k++) {
    const int64_t *v = column (w, kinds[k][0]);
    for (uint32_t i = 0; i < n; i++)
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

static bool
flush (struct store_writer *w, struct store_lane *lane, uint32_t n)
{
  uint32_t first = (uint32_t) (lane->blocks * NPROF_STORE_ROWS);
  uint64_t at = 0;
  if (!prepare (w))
    return false;
  gather_fixed (w, lane, n);
  if (!gather_extra (w, lane, n) || !pack_block (w, n))
    return false;
  struct nprof_store_block head
      = { .lane = lane->d.serial, .first = first, .n = (uint16_t) n, .previous = lane->previous };
  if (!store_pack_end (&w->packer, &head, &w->out[NPROF_STORE_F_ROWS], &at, &w->fault)
      || !put_links (w, lane, first, n) || !store_nodes_add (w, lane, n, at))
    return false;
  lane->d.only = lane->blocks ? NPROF_STORE_NONE : at;
  lane->previous = at;
  lane->blocks++;
  shift (lane, n);
  return true;
}

/* -- A lane ----------------------------------------------------------------------- */

struct store_lane *
store_lane_new (struct store_writer *w, struct store_line *line, uint32_t type, uint32_t depth, uint32_t label)
{
  struct store_lane *lane = calloc (1, sizeof *lane);
  if (!lane || w->n_lanes >= UINT32_MAX - 1
      || !store_room (&w->fault, &w->lanes, &w->max_lanes, w->n_lanes + 1, sizeof *w->lanes)) {
    store_fail (&w->fault, NPROF_E_NOMEM, "no memory for lane %zu", w->n_lanes);
    free (lane);
    return NULL;
  }
  lane->d = (struct nprof_store_lane){
    .track = line->track,
    .type = (uint8_t) type,
    .nesting = NPROF_STORE_STRICT | NPROF_STORE_FLAT,
    .origin = (uint16_t) line->origin,
    .depth = depth,
    .label = label,
    .serial = (uint32_t) w->n_lanes,
    .first = INT64_MAX,
    .last = INT64_MIN,
    .root = NPROF_STORE_NONE,
    .below = NPROF_STORE_NONE,
    .only = NPROF_STORE_NONE,
    .list = UINT32_MAX,
  };
  lane->input = line->input;
  lane->previous = NPROF_STORE_NONE;
  w->lanes[w->n_lanes++] = lane;
  return lane;
}

static bool
put_extra (struct store_writer *w, struct store_lane *lane, const struct store_row *row,
           struct store_pending *p)
{
  size_t size = store_extra_size (w, row);
  p->extra = (uint32_t) lane->n_extra;
  if (!size)
    return true;
  if (lane->n_extra + size > UINT32_MAX)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED, "more than 4 GiB of attributes within 512 rows");
  if (!store_room (&w->fault, &lane->extra, &lane->max_extra, lane->n_extra + size, 1))
    return false;
  store_extra_write (w, row, lane->extra + lane->n_extra);
  lane->n_extra += size;
  return true;
}

bool
store_lane_put (struct store_writer *w, struct store_lane *lane, const struct store_row *row, uint32_t up)
{
  if (lane->n > NPROF_STORE_ROWS && !flush (w, lane, NPROF_STORE_ROWS))
    return false;
  if (lane->d.rows == UINT32_MAX)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED, "more than 2^32 - 1 rows in one lane");
  if (!store_room (&w->fault, &lane->rows, &lane->max_rows, lane->n + 1, sizeof *lane->rows))
    return false;
  struct store_pending *p = lane->rows + lane->n;
  *p = (struct store_pending){ .start = row->start,
                               .duration = row->duration,
                               .ordinal = row->ordinal,
                               .label = row->label,
                               .up = up,
                               .has = store_extra_has (row) };
  if (!put_extra (w, lane, row, p))
    return false;
  int64_t length = row->duration > 0 ? row->duration : 0, end = row->start + length;
  lane->d.first = row->start < lane->d.first ? row->start : lane->d.first;
  lane->d.last = end > lane->d.last ? end : lane->d.last;
  lane->d.busy += length;
  lane->d.nesting &= (uint8_t) (up == 1 ? ~NPROF_STORE_FLAT : up ? 0 : ~NPROF_STORE_STRICT);
  lane->n++;
  lane->d.rows++;
  return true;
}

bool
store_lane_end (struct store_writer *w, struct store_lane *lane)
{
  if (lane->n > NPROF_STORE_ROWS && !flush (w, lane, NPROF_STORE_ROWS))
    return false;
  lane->is_last = true;
  bool ok = (!lane->n || flush (w, lane, lane->n)) && store_nodes_end (w, lane);
  store_lane_free (lane);
  return ok;
}

/* Frees the rows that waited; the lane stays. */
void
store_lane_free (struct store_lane *lane)
{
  for (uint32_t k = 0; lane->levels && k < NPROF_STORE_LEVELS; k++)
    free (lane->levels[k].nodes);
  free (lane->levels);
  free (lane->rows);
  free (lane->extra);
  free (lane->low.slots);
  free (lane->high.slots);
  lane->levels = NULL;
  lane->rows = NULL;
  lane->extra = NULL;
  lane->low = lane->high = (struct store_tally){ 0 };
  lane->max_rows = lane->n = 0;
  lane->max_extra = lane->n_extra = 0;
}

/* -- Back to rows ------------------------------------------------------------------ */

static uint32_t
kind_of (uint32_t type)
{
  static const uint8_t kinds[] = { NPROF_SPAN, NPROF_SPAN, NPROF_INSTANT, NPROF_COUNTER,
                                   NPROF_FLOW, NPROF_GAP,  NPROF_FACT };
  return kinds[type];
}

static int64_t
value_of (const struct nprof_store_block *b, uint32_t key, uint32_t i)
{
  return nprof_store_get (b, nprof_store_column (b, key), i);
}

static void
row_of (struct store_writer *w, const struct nprof_store_block *b, uint32_t i, uint32_t kind,
        struct store_row *row)
{
  *row = (struct store_row){
    .start = value_of (b, NPROF_STORE_C_START, i),
    .duration = value_of (b, NPROF_STORE_C_DURATION, i),
    .kind = kind,
    .label = (uint32_t) value_of (b, NPROF_STORE_C_LABEL, i),
    .ordinal = (uint64_t) value_of (b, NPROF_STORE_C_ORDINAL, i),
    .id = (uint64_t) value_of (b, NPROF_STORE_C_ID, i),
    .parent = (uint64_t) value_of (b, NPROF_STORE_C_PARENT, i),
    .flow = (uint64_t) value_of (b, NPROF_STORE_C_FLOW, i),
    .has_value = value_of (b, NPROF_STORE_C_HAS_VALUE, i) != 0,
    .set = (uint32_t) value_of (b, NPROF_STORE_C_SET, i),
    .shape = (uint32_t) value_of (b, NPROF_STORE_C_SHAPE, i),
    .attrs = w->attrs,
  };
  int64_t bits = value_of (b, NPROF_STORE_C_VALUE, i);
  memcpy (&row->value, &bits, 8);
  const struct nprof_store_span *shape = w->names.shapes + row->shape;
  for (uint32_t k = 0; k < shape->n; k++)
    w->attrs[k] = (uint64_t) value_of (b, NPROF_STORE_C_ATTR + w->names.shape_keys[shape->from + k], i);
}

/* Returns the lane's blocks, the last first, as a list of places. */
static uint64_t *
places (struct store_writer *w, const struct store_lane *lane)
{
  uint64_t *at = malloc ((lane->blocks + 1) * sizeof *at), place = lane->previous;
  if (!at)
    store_fail (&w->fault, NPROF_E_NOMEM, "no memory to sort a track");
  for (uint64_t i = lane->blocks; at && i-- > 0;) {
    struct nprof_store_block head;
    at[i] = place;
    if (!store_out_read (&w->out[NPROF_STORE_F_ROWS], place, &head, sizeof head, &w->fault)) {
      free (at);
      return NULL;
    }
    place = head.previous;
  }
  return at;
}

static bool
each_of_block (struct store_writer *w, const struct store_lane *lane, uint64_t at,
               bool (*fn) (void *user, const struct store_row *row), void *user)
{
  struct store_out *out = &w->out[NPROF_STORE_F_ROWS];
  struct nprof_store_block head, *b;
  if (!store_out_read (out, at, &head, sizeof head, &w->fault))
    return false;
  b = malloc (head.bytes);
  bool ok = b ? store_out_read (out, at, b, head.bytes, &w->fault)
              : store_fail (&w->fault, NPROF_E_NOMEM, "no memory to sort a track");
  for (uint32_t i = 0; ok && i < b->n; i++) {
    struct store_row row;
    row_of (w, b, i, kind_of (lane->d.type), &row);
    ok = fn (user, &row);
  }
  free (b);
  return ok;
}

bool
store_lane_each (struct store_writer *w, struct store_lane *lane,
                 bool (*fn) (void *user, const struct store_row *row), void *user)
{
  bool room = store_room (&w->fault, &w->attrs, &w->max_attrs, w->names.n_keys + 1, sizeof *w->attrs);
  uint64_t *at = room ? places (w, lane) : NULL;
  bool ok = at != NULL;
  for (uint64_t i = 0; ok && i < lane->blocks; i++)
    ok = each_of_block (w, lane, at[i], fn, user);
  free (at);
  for (uint32_t i = 0; ok && i < lane->n; i++) {
    const struct store_pending *p = lane->rows + i;
    struct store_row row = { .start = p->start,
                             .duration = p->duration,
                             .kind = kind_of (lane->d.type),
                             .label = p->label,
                             .ordinal = p->ordinal };
    store_extra_read (w, p->has, lane->extra ? lane->extra + p->extra : NULL, &row, w->attrs);
    ok = fn (user, &row);
  }
  return ok;
}
