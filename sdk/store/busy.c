/* SPDX-License-Identifier: Apache-2.0 */
/* busy.c - how long lanes and tracks are busy in a window. */
#include "internal.h"

#include <stdlib.h>

/* -- Busy time of a lane ----------------------------------------------------------------- */

struct busy {
  int64_t t0, t1, sum;
};

static int
busy_item (void *user, const struct np_item *x)
{
  struct busy *b = user;
  if (x->start > b->t1)
    return NP_STOP;
  if (x->end < b->t0)
    return NP_PASS;
  if (!x->level)
    b->sum = np_plus (b->sum, np_within (x->start, x->end, b->t0, b->t1));
  else if (x->level >= 3 && x->start >= b->t0 && x->end <= b->t1)
    b->sum = np_plus (b->sum, np_value (x->place, NPROF_STORE_N_BUSY, x->i));
  else
    return NP_OPEN;
  return NP_PASS;
}

/* The index knows how busy a whole lane is, so that a profile is opened without its rows. Rows do
 * not overlap, so more than the lane's length is a lie. */
bool
np_busy_within (struct np_cursor *c, int64_t t0, int64_t t1, int64_t *sum)
{
  struct busy b = { t0, t1, 0 };
  uint64_t length = (uint64_t) c->lane->last - (uint64_t) c->lane->first;
  if (t0 <= c->lane->first && t1 >= c->lane->last && (uint64_t) c->lane->busy <= length) {
    *sum = np_plus (*sum, c->lane->busy);
    return true;
  }
  bool ok = np_walk (c, busy_item, &b);
  *sum = np_plus (*sum, b.sum);
  return ok;
}

bool
nprof_store_busy (struct nprof_query *query, uint32_t lane, int64_t t0, int64_t t1, int64_t *busy)
{
  struct np_cursor c;
  *busy = 0;
  *query->error = 0;
  if (!np_cursor_init (&c, query, lane))
    return false;
  return c.lane->type != NPROF_STORE_LANE_SPAN || c.lane->last < t0 || c.lane->first > t1
         || np_busy_within (&c, t0, t1, busy);
}

/* -- Busy time of a track ---------------------------------------------------------------------- */

/* Rows without a parent cover all others of their line; where lines overlap, or rows without a
 * parent do, ranges are joined. */
struct range {
  int64_t start, end;
};

struct cover {
  struct nprof_query *query;
  struct range *ranges;
  size_t n;
  int64_t t0, t1;
  int64_t start, end; /* of the row that those taken lie in, `up` lanes above; 0: no row */
  uint32_t up;
};

static int
cover_item (void *user, const struct np_item *x)
{
  struct cover *c = user;
  if (x->start > c->t1)
    return NP_STOP;
  if (x->end < c->t0)
    return NP_PASS;
  if (x->level)
    return NP_OPEN;
  if (np_value (x->place, NPROF_STORE_C_UP, x->i) != c->up
      || (c->up && (x->start < c->start || x->end > c->end)))
    return NP_PASS;
  c->ranges = np_query_memory (c->query, NP_MEM_STARTS, c->n + 1, sizeof *c->ranges);
  if (!c->ranges)
    return NP_FAIL;
  c->ranges[c->n++]
      = (struct range){ x->start > c->t0 ? x->start : c->t0, x->end < c->t1 ? x->end : c->t1 };
  return NP_PASS;
}

static int
by_start (const void *a, const void *b)
{
  const struct range *x = a, *y = b;
  return (x->start > y->start) - (x->start < y->start);
}

/* Adds the time of ranges, where they overlap once. `beside`: a lane whose time is counted already;
 * NULL: none. */
static bool
add_joined (const struct cover *c, struct np_cursor *beside, int64_t *sum)
{
  int64_t end = INT64_MIN, twice = 0;
  if (c->n)
    qsort (c->ranges, c->n, sizeof *c->ranges, by_start);
  for (size_t i = 0; i < c->n; i++) {
    int64_t from = c->ranges[i].start > end ? c->ranges[i].start : end;
    if (c->ranges[i].end <= from)
      continue;
    end = c->ranges[i].end;
    *sum = np_plus (*sum, np_minus (end, from));
    if (beside && !np_busy_within (beside, from, end, &twice))
      return false;
  }
  *sum = np_minus (*sum, twice);
  return true;
}

/* Where all rows of the lane right below have their parent in the row's lane, the index knows their
 * time. */
bool
np_children_within (struct np_cursor *below, uint32_t n_below, int64_t start, int64_t end,
                    int64_t t0, int64_t t1, int64_t *sum)
{
  struct np_cursor *strict = n_below && below->lane->nesting & NPROF_STORE_STRICT ? below : NULL;
  struct cover cover = { .t0 = t0, .t1 = t1, .start = start, .end = end };
  *sum = 0;
  if (strict && !np_busy_within (strict, t0, t1, sum))
    return false;
  for (uint32_t i = 0; i < n_below; i++) {
    const struct nprof_store_lane *lane = below[i].lane;
    if (lane->first > t1 || lane->last < t0
        || lane->nesting & (NPROF_STORE_FLAT | NPROF_STORE_STRICT))
      continue;
    cover.query = below[i].query;
    cover.up = i + 1;
    if (!np_walk (below + i, cover_item, &cover))
      return false;
  }
  return add_joined (&cover, strict, sum);
}

bool
nprof_store_track_busy (struct nprof_query *query, uint32_t track, int64_t t0, int64_t t1,
                        int64_t *busy)
{
  const struct nprof_store_track *t = nprof_store_track_at (query->store, track);
  struct cover cover = { .query = query, .t0 = t0, .t1 = t1 };
  struct np_cursor c;
  uint32_t tops = 0;
  *busy = 0;
  *query->error = 0;
  if (!t)
    return np_query_fail (query, "there is no track %u, or the index is damaged there", track);
  for (uint32_t i = 0; i < t->n_lanes; i++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (query->store, t->lane + i);
    tops += lane && lane->type == NPROF_STORE_LANE_SPAN && !(lane->nesting & NPROF_STORE_STRICT);
  }
  for (uint32_t i = 0; i < t->n_lanes; i++) {
    if (!np_cursor_init (&c, query, t->lane + i))
      return false;
    if (c.lane->type != NPROF_STORE_LANE_SPAN || c.lane->nesting & NPROF_STORE_STRICT
        || c.lane->first > t1 || c.lane->last < t0)
      continue;
    if (tops == 1) /* its rows have no parent and do not overlap */
      return np_busy_within (&c, t0, t1, busy);
    if (!np_walk (&c, cover_item, &cover))
      return false;
  }
  return add_joined (&cover, NULL, busy);
}
