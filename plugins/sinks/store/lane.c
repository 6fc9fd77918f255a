/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c - keeps rows of one lane until a block is full and their children are known, and turns
 * blocks back into rows. */
#include "extra.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* -- A lane ----------------------------------------------------------------------- */

struct store_lane *
store_lane_new (struct store_writer *w, struct store_line *line, uint32_t type, uint32_t depth,
                uint32_t label)
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
  size_t size = store_extra_size (w, p->has, row->shape);
  p->extra = (uint32_t) lane->n_extra;
  if (!size)
    return true;
  if (lane->n_extra + size > UINT32_MAX)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED,
                       "more than 4 GiB of attributes within 512 rows");
  if (!store_room (&w->fault, &lane->extra, &lane->max_extra, lane->n_extra + size, 1))
    return false;
  store_extra_write (w, p->has, row, lane->extra + lane->n_extra);
  lane->n_extra += size;
  return true;
}

bool
store_lane_put (struct store_writer *w, struct store_lane *lane, const struct store_row *row,
                uint32_t up)
{
  if (lane->n > NPROF_STORE_ROWS && !store_block_flush (w, lane, NPROF_STORE_ROWS))
    return false;
  if (lane->d.rows == UINT32_MAX)
    return store_fail (&w->fault, NPROF_E_UNSUPPORTED, "more than 2^32 - 1 rows in one lane");
  if (!store_room (&w->fault, &lane->rows, &lane->max_rows, lane->n + 1, sizeof *lane->rows))
    return false;
  struct store_pending *p = lane->rows + lane->n;
  *p = (struct store_pending){ .start = row->start,
                               .duration = row->duration,
                               .covered = row->start,
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
  if (lane->n > NPROF_STORE_ROWS && !store_block_flush (w, lane, NPROF_STORE_ROWS))
    return false;
  lane->is_last = true;
  bool ok = (!lane->n || store_block_flush (w, lane, lane->n)) && store_nodes_end (w, lane);
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
  static const uint8_t kinds[]
      = { NPROF_SPAN, NPROF_SPAN, NPROF_INSTANT, NPROF_COUNTER, NPROF_FLOW, NPROF_GAP, NPROF_FACT };
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
    w->attrs[k]
        = (uint64_t) value_of (b, NPROF_STORE_C_ATTR + w->names.shape_keys[shape->from + k], i);
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
  bool room
      = store_room (&w->fault, &w->attrs, &w->max_attrs, w->names.n_keys + 1, sizeof *w->attrs);
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
