/* SPDX-License-Identifier: Apache-2.0 */
/* nodes.c - builds the pyramid of a lane: nodes stand for 8 of the level below and know where
 * blocks lie. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Nodes of level 1 from rows ---------------------------------------------------- */

static int64_t
length_of (const struct store_pending *p)
{
  return p->duration > 0 ? p->duration : 0;
}

static double
value_of (const struct store_writer *w, uint32_t i)
{
  double v;
  memcpy (&v, w->scratch + (size_t) NPROF_STORE_C_VALUE * NPROF_STORE_ROWS + i, sizeof v);
  return v;
}

static struct store_node
node_of_rows (const struct store_writer *w, const struct store_lane *lane, uint32_t from,
              uint32_t to)
{
  const struct store_pending *rows = lane->rows;
  uint32_t base = (uint32_t) (lane->blocks * NPROF_STORE_ROWS);
  struct store_node x = { .start = rows[from].start,
                          .end = rows[from].start,
                          .longest = -1,
                          .min = INFINITY,
                          .max = -INFINITY };
  for (uint32_t i = from; i < to; i++) {
    int64_t length = length_of (rows + i), end = rows[i].start + length;
    x.busy += length;
    x.end = end > x.end ? end : x.end;
    if (length > x.longest) {
      x.longest = length;
      x.rep = base + i;
      x.label = rows[i].label;
    }
    if (lane->d.type != NPROF_STORE_LANE_COUNTER)
      continue;
    double v = value_of (w, i);
    x.min = v < x.min ? v : x.min;
    x.max = v > x.max ? v : x.max;
    x.last = v;
  }
  return x;
}

static void
fold (struct store_node *into, const struct store_node *x)
{
  into->busy += x->busy;
  into->end = x->end > into->end ? x->end : into->end;
  if (x->longest > into->longest) {
    into->longest = x->longest;
    into->rep = x->rep;
    into->label = x->label;
  }
  into->min = x->min < into->min ? x->min : into->min;
  into->max = x->max > into->max ? x->max : into->max;
  into->last = x->last;
}

static struct store_node
node_of_nodes (const struct store_node *nodes, uint32_t n)
{
  struct store_node x = nodes[0];
  x.block = x.rows = 0;
  x.list = 0;
  for (uint32_t i = 1; i < n; i++)
    fold (&x, nodes + i);
  return x;
}

/* -- Writing ------------------------------------------------------------------------ */

static int64_t
bits_of (double v)
{
  int64_t bits;
  memcpy (&bits, &v, sizeof bits);
  return bits;
}

/* Returns part / whole in 0..most, but not 0 for what is there. */
static int64_t
share (int64_t part, int64_t whole, double most)
{
  if (whole <= 0 || part >= whole)
    return (int64_t) most;
  int64_t v = (int64_t) (most * ((double) part / (double) whole));
  return part > 0 && v < 1 ? 1 : v;
}

static bool
pack_nodes (struct store_writer *w, const struct store_lane *lane, uint32_t level,
            const struct store_node *nodes, uint32_t n, uint64_t done)
{
  bool counts = lane->d.type == NPROF_STORE_LANE_COUNTER;
  uint32_t columns = counts ? NPROF_STORE_N_LAST + 1 : NPROF_STORE_N_MIN;
  int64_t v[NPROF_STORE_N_LAST + 1][NPROF_STORE_NODES];
  for (uint32_t i = 0; i < n; i++) {
    const struct store_node *x = nodes + i;
    v[NPROF_STORE_N_START][i] = x->start;
    v[NPROF_STORE_N_LEN][i] = x->end - x->start;
    v[NPROF_STORE_N_LABEL][i] = x->label;
    v[NPROF_STORE_N_REP][i] = (int64_t) (x->rep - ((done + i) << (3 * level)));
    v[NPROF_STORE_N_FILL][i] = share (x->busy, x->end - x->start, 255);
    v[NPROF_STORE_N_LONG][i] = share (x->longest, x->end - x->start, 65535);
    v[NPROF_STORE_N_BUSY][i] = level >= 3 ? x->busy : 0;
    v[NPROF_STORE_N_BLOCK][i] = level >= 3 ? (int64_t) x->block : 0;
    v[NPROF_STORE_N_ROWS][i] = level == 3 ? (int64_t) x->rows : 0;
    v[NPROF_STORE_N_LIST][i] = x->list;
    if (!counts)
      continue;
    v[NPROF_STORE_N_MIN][i] = bits_of (x->min);
    v[NPROF_STORE_N_MAX][i] = bits_of (x->max);
    v[NPROF_STORE_N_LAST][i] = bits_of (x->last);
  }
  store_pack_begin (&w->packer);
  for (uint32_t c = 0; c < columns; c++)
    if (!store_pack_column (&w->packer, c, v[c], n, &w->fault))
      return false;
  struct nprof_store_block head = { .lane = lane->d.serial,
                                    .first = (uint32_t) done,
                                    .n = (uint16_t) n,
                                    .level = (uint8_t) level,
                                    .previous = NPROF_STORE_NONE };
  uint64_t at;
  uint32_t file = level == 1 ? NPROF_STORE_F_P1 : level == 2 ? NPROF_STORE_F_P2 : NPROF_STORE_F_P3;
  if (!store_pack_end (&w->packer, &head, &w->out[file], &at, &w->fault))
    return false;
  lane->levels[level].last = at;
  return true;
}

static bool
write_level (struct store_writer *w, struct store_lane *lane, uint32_t level)
{
  struct store_level *l = lane->levels + level;
  if (!l->n)
    return true;
  if (!pack_nodes (w, lane, level, l->nodes, l->n, l->done))
    return false;
  l->done += l->n;
  l->n = 0;
  return true;
}

/* -- Upwards ------------------------------------------------------------------------ */

static bool
list_of (struct store_writer *w, struct store_lane *lane, uint32_t level, uint64_t index,
         uint32_t *number)
{
  struct store_tally *tally = level == NPROF_STORE_LIST_LOW ? &lane->low : &lane->high;
  uint64_t span = 1ull << (3 * level), from = index * span;
  uint64_t rows = lane->is_last && lane->d.rows - from < span ? lane->d.rows - from : span;
  if (!store_list_put (w, tally, lane->d.serial, (uint32_t) index, level, (uint32_t) rows, number))
    return false;
  lane->d.list = *number;
  if (level == NPROF_STORE_LIST_LOW)
    for (uint32_t i = 0; i < tally->max; i++) {
      const struct store_slot *s = tally->slots + i;
      if (s->sum.count && !store_tally_add (&lane->high, s, &w->fault))
        return false;
    }
  store_tally_empty (tally);
  return true;
}

static bool node_add (struct store_writer *w, struct store_lane *lane, uint32_t level,
                      const struct store_node *x);

/* Makes one node of the last n of the level below. */
static bool
make_parent (struct store_writer *w, struct store_lane *lane, uint32_t level, uint32_t n)
{
  struct store_level *below = lane->levels + level - 1, *two = lane->levels + level - 2;
  uint64_t index = (below->done + below->n - 1) / NPROF_STORE_FAN;
  struct store_node x = node_of_nodes (below->nodes + below->n - n, n);
  if (level == NPROF_STORE_LIST_LOW || level == NPROF_STORE_LIST_HIGH)
    if (!list_of (w, lane, level, index, &x.list))
      return false;
  if (two->n && !write_level (w, lane, level - 2))
    return false;
  x.block = two->last;
  return node_add (w, lane, level, &x);
}

static bool
node_put (struct store_writer *w, struct store_lane *lane, uint32_t level,
          const struct store_node *x)
{
  struct store_level *l = lane->levels + level;
  if (!store_room (&w->fault, &l->nodes, &l->max, l->n + 1, sizeof *l->nodes))
    return false;
  l->nodes[l->n++] = *x;
  return true;
}

/* Adds a node of levels 3 and up: 8 make a parent.  The top two levels never need one, but cost
 * nothing. */
static bool
node_add (struct store_writer *w, struct store_lane *lane, uint32_t level,
          const struct store_node *x)
{
  struct store_level *l = lane->levels + level;
  if (!node_put (w, lane, level, x))
    return false;
  return l->n % NPROF_STORE_FAN || level + 1 >= NPROF_STORE_LEVELS
         || make_parent (w, lane, level + 1, NPROF_STORE_FAN);
}

static bool
tally_rows (struct store_writer *w, struct store_lane *lane, uint32_t n)
{
  bool spans = lane->d.type == NPROF_STORE_LANE_SPAN;
  uint8_t block = (uint8_t) (1u << lane->blocks % 8);
  for (uint32_t i = 0; i < n; i++) {
    const struct store_pending *p = lane->rows + i;
    int64_t sum = spans ? length_of (p) : 0;
    const struct store_slot one = { { p->label, 1, sum, spans ? sum - p->child : 0 }, block };
    if (!store_tally_add (&lane->low, &one, &w->fault))
      return false;
  }
  return true;
}

bool
store_nodes_add (struct store_writer *w, struct store_lane *lane, uint32_t n, uint64_t at)
{
  struct store_node one[NPROF_STORE_NODES] = { 0 };
  uint32_t n1 = (n + NPROF_STORE_FAN - 1) / NPROF_STORE_FAN;
  if (!tally_rows (w, lane, n))
    return false;
  if (lane->d.rows <= 64)
    return true;
  if (!lane->levels)
    lane->levels = calloc (NPROF_STORE_LEVELS, sizeof *lane->levels);
  if (!lane->levels)
    return store_fail (&w->fault, NPROF_E_NOMEM, "no memory for the pyramid of a lane");
  for (uint32_t i = 0; i < n1; i++) {
    uint32_t to = (i + 1) * NPROF_STORE_FAN;
    one[i] = node_of_rows (w, lane, i * NPROF_STORE_FAN, to < n ? to : n);
  }
  if (!pack_nodes (w, lane, 1, one, n1, lane->blocks * NPROF_STORE_NODES))
    return false;
  struct store_node all = node_of_nodes (one, n1);
  for (uint32_t i = 0; i < n1; i += NPROF_STORE_FAN) {
    struct store_node two
        = node_of_nodes (one + i, n1 - i < NPROF_STORE_FAN ? n1 - i : NPROF_STORE_FAN);
    if (!node_put (w, lane, 2, &two))
      return false;
  }
  all.block = lane->levels[1].last;
  all.rows = at;
  return node_add (w, lane, 3, &all);
}

/* Makes nodes of groups of fewer than 8 too, up to the top; then writes the waiting ones. */
bool
store_nodes_end (struct store_writer *w, struct store_lane *lane)
{
  uint32_t top = nprof_store_top (lane->d.rows);
  for (uint32_t k = 3; k < top; k++) {
    uint32_t left = lane->levels[k].n % NPROF_STORE_FAN;
    if (left && !make_parent (w, lane, k + 1, left))
      return false;
  }
  for (uint32_t k = 2; k <= top; k++)
    if (!write_level (w, lane, k))
      return false;
  if (top) {
    lane->d.root = lane->levels[top].last;
    lane->d.below = lane->levels[top - 1].last;
  }
  if (top >= NPROF_STORE_LIST_LOW) {
    lane->d.list = UINT32_MAX;
    return true;
  }
  return !lane->low.n
         || store_list_put (w, &lane->low, lane->d.serial, 0, 0, lane->d.rows, &lane->d.list);
}
