/* SPDX-License-Identifier: Apache-2.0 */
/* cursor.c - blocks of a lane, checked when they are first touched, and the walk down its
 * pyramid. */
#include "internal.h"

#include <string.h>

/* -- Is it what it claims to be? ------------------------------------------------------ */

static bool
column_lies_within (const struct nprof_store_block *b, const struct nprof_store_column *c)
{
  uint64_t from = sizeof *b + (uint64_t) b->n_columns * sizeof *c;
  uint16_t k;
  if (!c->width)
    return true;
  if (c->at < from || c->at + 2ull > b->bytes || c->scale > 1)
    return false;
  if (c->width <= 8)
    return c->at + (uint64_t) b->n * c->width + 8 <= b->bytes;
  memcpy (&k, (const uint8_t *) b + c->at, sizeof k);
  return c->width == NPROF_STORE_SPARSE && k <= b->n && c->at + 2 + 10ull * k <= b->bytes;
}

static bool
block_is_sound (const struct nprof_store_block *b, uint64_t left)
{
  if (left < sizeof *b || b->magic != NPROF_STORE_BLOCK || b->bytes < sizeof *b || b->bytes > left
      || b->bytes % 64 || !b->n || b->level >= NPROF_STORE_LEVELS
      || sizeof *b + (uint64_t) b->n_columns * sizeof (struct nprof_store_column) > b->bytes
      || b->n > (b->level ? NPROF_STORE_NODES : NPROF_STORE_ROWS)
      || nprof_store_block_hash (b) != b->hash)
    return false;
  const struct nprof_store_column *c = nprof_store_columns (b);
  for (uint32_t i = 0; i < b->n_columns; i++)
    if ((i && c[i].key <= c[i - 1].key) || !column_lies_within (b, c + i))
      return false;
  return true;
}

const struct nprof_store_block *
np_block (struct nprof_query *query, uint32_t file, uint64_t at)
{
  struct nprof_store *s = query->store;
  if (at % 64 || at >= s->file[file].n) {
    np_query_damaged (query, file, at, "expected a block there");
    return NULL;
  }
  const struct nprof_store_block *b = (const struct nprof_store_block *) (s->file[file].p + at);
  if (np_store_bit (s->blocks[file], at / 64))
    return b;
  if (!block_is_sound (b, s->file[file].n - at)) {
    np_query_damaged (query, file, at, "the block is damaged");
    return NULL;
  }
  np_store_set_bit (s->blocks[file], at / 64);
  return b;
}

/* -- A cursor ------------------------------------------------------------------------- */

/* Returns whether blocks with the serial of this lane are its own: of two lanes with one serial
 * each would read all of them. */
static bool
has_serial (struct nprof_store *store, const struct nprof_store_lane *lane, uint32_t number)
{
  const uint32_t *own = np_store_elements (store, NPROF_STORE_S_SERIALS, lane->serial, 1);
  return store->part || (own && *own == number);
}

bool
np_cursor_init (struct np_cursor *c, struct nprof_query *query, uint32_t lane)
{
  c->query = query;
  c->number = lane;
  c->lane = nprof_store_lane_at (query->store, lane);
  if (!c->lane)
    return np_query_fail (query, "there is no lane %u, or the index is damaged there", lane);
  if (!c->lane->rows || c->lane->rows > query->store->meta.rows
      || c->lane->type >= NPROF_STORE_LANE_TYPES || !has_serial (query->store, c->lane, lane))
    return np_query_fail (query, "lane %u: the index is damaged", lane);
  c->top = nprof_store_top (c->lane->rows);
  for (uint32_t k = 0; k < NPROF_STORE_LEVELS; k++)
    c->level[k].block = NULL;
  return true;
}

/* Finds where the node lies: the lane knows the top, and nodes two levels up know the others. */
static bool
find_block (struct np_cursor *c, uint32_t level, uint64_t number, uint64_t *at)
{
  uint32_t up = level ? level + 2 : 3, column = level ? NPROF_STORE_N_BLOCK : NPROF_STORE_N_ROWS;
  if (!level && c->lane->rows <= NPROF_STORE_ROWS)
    *at = c->lane->only;
  else if (level && level == c->top)
    *at = c->lane->root;
  else if (level && level + 1 == c->top)
    *at = c->lane->below;
  else {
    const struct np_place *p = np_cursor_block (c, up, number / NPROF_STORE_NODES);
    if (!p)
      return false;
    *at = (uint64_t) np_value (p, column, (uint32_t) (number % NPROF_STORE_NODES));
  }
  return true;
}

static void
set_columns (struct np_place *p)
{
  const struct nprof_store_column *c = nprof_store_columns (p->block);
  memset (p->column, 0, sizeof p->column);
  for (uint32_t i = 0; i < p->block->n_columns && c[i].key < NP_COLUMNS; i++)
    p->column[c[i].key] = c + i;
}

const struct np_place *
np_cursor_block (struct np_cursor *c, uint32_t level, uint64_t number)
{
  struct np_place *p = c->level + level;
  uint64_t at, per = np_per_block (level);
  if (p->block && p->number == number)
    return p;
  if (level > c->top || number * per >= np_count (c, level)) {
    np_query_fail (c->query, "lane %u: level %u has no block %llu", c->number, level,
                   (unsigned long long) number);
    return NULL;
  }
  p->block = NULL;
  if (!find_block (c, level, number, &at))
    return NULL;
  uint32_t file = level < 3 ? level : NPROF_STORE_F_P3;
  const struct nprof_store_block *b = np_block (c->query, file, at);
  uint64_t left = np_count (c, level) - number * per;
  if (b
      && (b->lane != c->lane->serial || b->level != level || b->first != number * per
          || b->n != (left < per ? left : per))) {
    np_query_damaged (c->query, file, at, "the block belongs elsewhere");
    b = NULL;
  }
  if (!b)
    return NULL;
  p->block = b;
  p->number = number;
  set_columns (p);
  return p;
}

const struct nprof_store_block *
nprof_store_rows (struct nprof_query *query, uint32_t lane, uint32_t number)
{
  struct np_cursor c;
  if (!np_cursor_init (&c, query, lane))
    return NULL;
  const struct np_place *p = np_cursor_block (&c, 0, number);
  return p ? p->block : NULL;
}

/* Does what nprof_store_get does for each, with the mask made once. */
static void
wide_values (const struct nprof_store_column *c, const uint8_t *p, uint32_t n, int64_t *values)
{
  uint64_t scale = c->scale ? 1000 : 1, base = (uint64_t) c->base;
  uint64_t mask = c->width == 8 ? UINT64_MAX : (1ull << (8 * c->width)) - 1;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t v;
    memcpy (&v, p + (size_t) i * c->width, sizeof v);
    values[i] = (int64_t) (base + scale * (v & mask));
  }
}

void
np_values (const struct np_place *p, uint32_t column, int64_t *values)
{
  const struct nprof_store_column *c = p->column[column];
  uint32_t n = p->block->n;
  if (c && c->width && c->width <= 8) {
    wide_values (c, (const uint8_t *) p->block + c->at, n, values);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    values[i] = nprof_store_get (p->block, c, i);
}

/* -- The walk ------------------------------------------------------------------------- */

static int
walk (struct np_cursor *c, uint32_t level, uint64_t from, uint64_t to,
      int (*fn) (void *user, const struct np_item *item), void *user)
{
  uint32_t per = np_per_block (level);
  for (uint64_t k = from; k < to; k++) {
    const struct np_place *p = np_cursor_block (c, level, k / per);
    if (!p)
      return NP_FAIL;
    uint32_t i = (uint32_t) (k % per);
    struct np_item item = { .level = level, .number = k, .place = p, .i = i };
    item.start = np_value (p, 0, i);
    int64_t length = np_value (p, 1, i);
    if (__builtin_add_overflow (item.start, length > 0 ? length : 0, &item.end)) {
      np_query_fail (c->query, "lane %u: a time is beyond all limits: the store is damaged",
                     c->number);
      return NP_FAIL;
    }
    int verdict = fn (user, &item);
    if (verdict == NP_OPEN && level) {
      uint64_t first = k * NPROF_STORE_FAN, end = first + NPROF_STORE_FAN,
               n = np_count (c, level - 1);
      verdict = walk (c, level - 1, first, end < n ? end : n, fn, user);
    }
    if (verdict == NP_STOP || verdict == NP_FAIL)
      return verdict;
  }
  return NP_PASS;
}

bool
np_walk (struct np_cursor *c, int (*fn) (void *user, const struct np_item *item), void *user)
{
  return walk (c, c->top, 0, np_count (c, c->top), fn, user) != NP_FAIL;
}
