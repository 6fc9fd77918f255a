/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - neighbours of a row: before and at a time, next and previous, what encloses it, its
 * children, what overlaps. */
#include "internal.h"

#include <nprof/sweep.h>

#include <stdlib.h>
#include <string.h>

/* -- By time within a lane ----------------------------------------------------------------- */

/* Finds the last of the items from..to of a level that starts at or before t; `to`: there is
 * none. */
static uint64_t
last_before (struct np_cursor *c, uint32_t level, uint64_t from, uint64_t to, int64_t t, bool *ok)
{
  uint32_t per = np_per_block (level);
  uint64_t low = from, high = to;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    const struct np_place *p = np_cursor_block (c, level, middle / per);
    *ok = p != NULL;
    if (!p)
      return to;
    if (np_value (p, 0, (uint32_t) (middle % per)) <= t)
      low = middle + 1;
    else
      high = middle;
  }
  return low == from ? to : low - 1;
}

static bool
before (struct np_cursor *c, int64_t t, uint32_t *row, bool *found)
{
  uint64_t from = 0, to = np_count (c, c->top);
  bool ok = true;
  *found = false;
  for (uint32_t level = c->top;; level--) {
    uint64_t at = last_before (c, level, from, to, t, &ok);
    if (!ok || at == to)
      return ok;
    if (!level) {
      *row = (uint32_t) at;
      *found = true;
      return true;
    }
    from = at * NPROF_STORE_FAN;
    to = from + NPROF_STORE_FAN < np_count (c, level - 1) ? from + NPROF_STORE_FAN
                                                          : np_count (c, level - 1);
  }
}

bool
nprof_store_before (struct nprof_query *query, uint32_t lane, int64_t t, uint32_t *row, bool *found)
{
  struct np_cursor c;
  *query->error = 0;
  *found = false;
  return np_cursor_init (&c, query, lane) && before (&c, t, row, found);
}

static bool
times_of (struct np_cursor *c, uint32_t row, int64_t *start, int64_t *duration)
{
  const struct np_place *p = np_cursor_block (c, 0, row / NPROF_STORE_ROWS);
  if (!p)
    return false;
  *start = np_value (p, NPROF_STORE_C_START, row % NPROF_STORE_ROWS);
  *duration = np_value (p, NPROF_STORE_C_DURATION, row % NPROF_STORE_ROWS);
  return true;
}

bool
nprof_store_at (struct nprof_query *query, uint32_t lane, int64_t t, uint32_t *row, bool *found)
{
  struct np_cursor c;
  int64_t start, duration;
  *query->error = 0;
  *found = false;
  if (!np_cursor_init (&c, query, lane) || !before (&c, t, row, found) || !*found)
    return !*query->error;
  if (!times_of (&c, *row, &start, &duration))
    return false;
  *found = duration > 0 ? np_far (start, t) < (uint64_t) duration : start == t;
  return true;
}

/* -- Next and previous of a track ------------------------------------------------------------- */

struct best {
  struct nprof_row row;
  int64_t start;
  bool found;
};

static bool
precedes (int64_t a, struct nprof_row x, int64_t b, struct nprof_row y)
{
  if (a != b)
    return a < b;
  return x.lane != y.lane ? x.lane < y.lane : x.row < y.row;
}

/* Finds the first row of a lane that starts at or after t, behind lane and row `from`; or the last
 * before. */
static bool
candidate (struct np_cursor *c, struct nprof_row from, int64_t t, bool backwards, struct best *best)
{
  uint32_t row;
  bool found;
  int64_t start, duration;
  if (c->number == from.lane) {
    if (backwards ? !from.row : from.row + 1 >= c->lane->rows)
      return true;
    row = backwards ? from.row - 1 : from.row + 1;
  } else {
    bool equal = c->number < from.lane; /* of equal starts the first lane comes first */
    found = false;
    if ((equal || t > INT64_MIN) && !before (c, equal ? t : t - 1, &row, &found))
      return false;
    if (backwards ? !found : found && row + 1 >= c->lane->rows)
      return true;
    row = backwards ? row : found ? row + 1 : 0;
  }
  if (!times_of (c, row, &start, &duration))
    return false;
  struct nprof_row x = { c->number, row };
  if (!best->found || precedes (start, x, best->start, best->row) != backwards)
    *best = (struct best){ x, start, true };
  return true;
}

bool
nprof_store_step (struct nprof_query *query, struct nprof_row from, bool backwards,
                  struct nprof_row *row, bool *found)
{
  struct nprof_event event;
  struct best best = { 0 };
  *found = false;
  if (!nprof_store_event (query, from, &event))
    return false;
  const struct nprof_store_track *track = nprof_store_track_at (query->store, event.track);
  for (uint32_t i = 0; track && i < track->n_lanes; i++) {
    struct np_cursor c;
    if (!np_cursor_init (&c, query, track->lane + i))
      return false;
    if (c.lane->type != NPROF_STORE_LANE_FACT
        && !candidate (&c, from, event.start, backwards, &best))
      return false;
  }
  *found = best.found;
  *row = best.row;
  return true;
}

/* -- Around and below ------------------------------------------------------------------------- */

static bool
push_row (struct nprof_query *query, struct nprof_row row, uint32_t *n)
{
  struct nprof_row *rows = np_query_memory (query, NP_MEM_ROWS, *n + 1, sizeof *rows);
  if (rows)
    rows[(*n)++] = row;
  return rows != NULL;
}

static void
reverse (struct nprof_row *rows, uint32_t n)
{
  for (uint32_t i = 0; i < n / 2; i++) {
    struct nprof_row x = rows[i];
    rows[i] = rows[n - 1 - i];
    rows[n - 1 - i] = x;
  }
}

/* Returns the row of lane `lane` that holds start..end; its column up leads further. */
static bool
parents (struct nprof_query *query, struct nprof_row row, uint32_t up, int64_t start, uint32_t *n)
{
  while (up) {
    struct np_cursor c;
    bool found;
    if (up > row.lane)
      return np_query_fail (query, "lane %u: a parent lies nowhere: the store is damaged",
                            row.lane);
    row.lane -= up;
    if (!np_cursor_init (&c, query, row.lane) || !before (&c, start, &row.row, &found))
      return false;
    if (!found || !push_row (query, row, n))
      return !found;
    const struct np_place *p = np_cursor_block (&c, 0, row.row / NPROF_STORE_ROWS);
    if (!p)
      return false;
    up = (uint32_t) np_value (p, NPROF_STORE_C_UP, row.row % NPROF_STORE_ROWS);
    start = np_value (p, NPROF_STORE_C_START, row.row % NPROF_STORE_ROWS);
  }
  return true;
}

/* Lists the spans of the track that hold a moment, the deepest first. */
static bool
holders (struct nprof_query *query, const struct nprof_event *event, uint32_t *n)
{
  const struct nprof_store_track *track = nprof_store_track_at (query->store, event->track);
  for (uint32_t i = track ? track->n_lanes : 0; i-- > 0;) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (query->store, track->lane + i);
    struct nprof_row row = { track->lane + i, 0 };
    struct np_cursor c;
    int64_t start, duration;
    bool found;
    if (!lane || lane->type != NPROF_STORE_LANE_SPAN)
      continue;
    if (!np_cursor_init (&c, query, row.lane) || !before (&c, event->start, &row.row, &found))
      return false;
    if (!found)
      continue;
    if (!times_of (&c, row.row, &start, &duration))
      return false;
    if (duration >= 0 && np_far (start, event->start) <= (uint64_t) duration
        && !push_row (query, row, n))
      return false;
  }
  return true;
}

bool
nprof_store_enclosing (struct nprof_query *query, const struct nprof_event *event,
                       const struct nprof_row **rows, uint32_t *n)
{
  *n = 0;
  *query->error = 0;
  bool ok = event->type == NPROF_STORE_LANE_SPAN
                ? parents (query, event->row, event->up, event->start, n)
                : event->type == NPROF_STORE_LANE_FACT || holders (query, event, n);
  struct nprof_row *list = np_query_memory (query, NP_MEM_ROWS, *n, sizeof *list);
  if (!ok || !list)
    return false;
  reverse (list, *n);
  *rows = list;
  return true;
}

struct below {
  struct nprof_query *query;
  int64_t start, end;
  uint32_t lane, up, n;
  uint64_t total;
};

struct child {
  int64_t start;
  struct nprof_row row;
};

static int
child_item (void *user, const struct np_item *x)
{
  struct below *b = user;
  if (x->start > b->end)
    return NP_STOP;
  if (x->end < b->start)
    return NP_PASS;
  if (x->level)
    return NP_OPEN;
  if (x->start < b->start || x->end > b->end
      || np_value (x->place, NPROF_STORE_C_UP, x->i) != b->up)
    return NP_PASS;
  struct child *list = np_query_memory (b->query, NP_MEM_SLOTS, b->n + 1, sizeof *list);
  if (!list)
    return NP_FAIL;
  list[b->n++] = (struct child){ x->start, { b->lane, (uint32_t) x->number } };
  b->total++;
  return NP_PASS;
}

static int
by_start (const void *a, const void *b)
{
  const struct child *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->row.lane != y->row.lane)
    return x->row.lane < y->row.lane ? -1 : 1;
  return (x->row.row > y->row.row) - (x->row.row < y->row.row);
}

/* A row that starts where its parent's predecessor ends, with no length, may hang below that one:
 * its parent is the last row of the parent's lane that starts at or before it. */
static bool
is_child (struct nprof_query *query, const struct nprof_event *event, const struct child *child,
          bool *yes)
{
  struct np_cursor c;
  uint32_t row = 0;
  bool found;
  *yes = true;
  if (child->start != event->start + event->duration && child->start != event->start)
    return true;
  if (!np_cursor_init (&c, query, event->row.lane) || !before (&c, child->start, &row, &found))
    return false;
  *yes = found && row == event->row.row;
  return true;
}

bool
nprof_store_children (struct nprof_query *query, const struct nprof_event *event, uint32_t max,
                      const struct nprof_row **rows, uint32_t *n, uint64_t *total)
{
  const struct nprof_store_track *track = nprof_store_track_at (query->store, event->track);
  struct below b = { .query = query, .start = event->start, .end = event->start + event->duration };
  *n = 0;
  *total = 0;
  *query->error = 0;
  *rows = NULL;
  if (event->type != NPROF_STORE_LANE_SPAN || !track)
    return true;
  for (uint32_t lane = event->row.lane + 1; lane < track->lane + track->n_lanes; lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (query->store, lane),
                                  *own = nprof_store_lane_at (query->store, event->row.lane);
    struct np_cursor c;
    if (!l || !own || l->type != NPROF_STORE_LANE_SPAN || l->origin != own->origin)
      break;
    b.lane = lane;
    b.up = lane - event->row.lane;
    if (!np_cursor_init (&c, query, lane) || !np_walk (&c, child_item, &b))
      return false;
  }
  struct child *list = np_query_memory (query, NP_MEM_SLOTS, b.n, sizeof *list);
  if (!list)
    return false;
  if (b.n)
    qsort (list, b.n, sizeof *list, by_start);
  for (uint32_t i = 0; i < b.n; i++) {
    bool yes;
    if (!is_child (query, event, list + i, &yes))
      return false;
    if (yes && ++*total && *n < max && !push_row (query, list[i].row, n))
      return false;
  }
  *rows = np_query_memory (query, NP_MEM_ROWS, *n, sizeof **rows);
  return *rows != NULL;
}

int64_t
nprof_store_inside (int64_t start, int64_t duration, int64_t from, int64_t to)
{
  if (duration < 0)
    return 0;
  int64_t end = start + duration;
  from = start > from ? start : from;
  to = end < to ? end : to;
  return to > from ? to - from : 0;
}

/* Children are looked at only when the span crosses an edge. */
bool
nprof_store_children_inside (struct nprof_query *query, const struct nprof_event *event,
                             int64_t from, int64_t to, int64_t *sum)
{
  const struct nprof_row *rows;
  struct nprof_event child;
  uint32_t n;
  uint64_t total;
  *sum = event->child;
  if (!event->child || (event->start >= from && event->start + event->duration <= to))
    return true;
  if (!nprof_store_children (query, event, UINT32_MAX, &rows, &n, &total))
    return false;
  *sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (!nprof_store_event (query, rows[i], &child))
      return false;
    int64_t end = child.start + child.duration;
    *sum += nprof_sweep_behind (child.start, end < to ? end : to, &from);
  }
  return true;
}

/* -- At the same time -------------------------------------------------------------------------- */

struct meeting {
  struct nprof_query *query;
  const struct nprof_event *event;
  int64_t start, end;
  uint32_t lane, n, max;
  uint64_t total;
  int64_t sum;              /* ps; no more than there are */
  bool own;                 /* the track is that of the event */
  uint32_t n_around, n_met; /* rows around it, and those of its track that were met */
};

/* A row of the event's own track that was met. */
struct met {
  uint32_t lane;
  int64_t start, end;
};

static int
by_overlap (const void *a, const void *b)
{
  const struct nprof_overlap *x = a, *y = b;
  if (x->overlap != y->overlap)
    return x->overlap > y->overlap ? -1 : 1;
  if (x->row.lane != y->row.lane)
    return x->row.lane < y->row.lane ? -1 : 1;
  return (x->row.row > y->row.row) - (x->row.row < y->row.row);
}

/* Keeps the largest: twice as many as asked for wait, then the smaller half is dropped. */
static bool
meet_span (struct meeting *m, uint32_t row, int64_t overlap)
{
  struct nprof_overlap *list
      = np_query_memory (m->query, NP_MEM_OVERLAPS, 2 * (size_t) m->max + 2, sizeof *list);
  m->total++;
  if (__builtin_add_overflow (m->sum, overlap, &m->sum))
    m->sum = INT64_MAX;
  if (!list)
    return false;
  if (m->n == 2 * m->max + 2) {
    qsort (list, m->n, sizeof *list, by_overlap);
    m->n = m->max;
  }
  list[m->n++] = (struct nprof_overlap){ { m->lane, row }, overlap };
  return true;
}

/* Whether a row that starts then hangs below one that was met in a lane: they are by lane and time.
 */
static bool
is_below_met (struct meeting *m, uint32_t lane, int64_t start)
{
  const struct met *list = np_query_memory (m->query, NP_MEM_SLOTS, m->n_met, sizeof *list);
  uint32_t from = 0, to = list ? m->n_met : 0;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (list[middle].lane < lane || (list[middle].lane == lane && list[middle].start <= start))
      from = middle + 1;
    else
      to = middle;
  }
  return from && list[from - 1].lane == lane && list[from - 1].end >= start;
}

static bool
is_around (struct meeting *m, uint32_t row)
{
  const struct nprof_row *rows = np_query_memory (m->query, NP_MEM_ROWS, m->n_around, sizeof *rows);
  for (uint32_t i = 0; rows && i < m->n_around; i++)
    if (rows[i].lane == m->lane && rows[i].row == row)
      return true;
  return false;
}

/* Whether a row of its own track is the event, holds it, or is below it.  What hangs below a row in
 * between is below the event, unless that row was met. */
static bool
is_kin (struct meeting *m, const struct np_item *x)
{
  const struct nprof_row at = m->event->row;
  if (m->lane <= at.lane || x->start < m->start || x->end > m->end)
    return (m->lane == at.lane && x->number == at.row) || is_around (m, (uint32_t) x->number);
  int64_t up = np_value (x->place, NPROF_STORE_C_UP, x->i), holder = (int64_t) m->lane - up;
  return up > 0 && holder >= at.lane && !is_below_met (m, (uint32_t) holder, x->start);
}

static bool
keep_met (struct meeting *m, const struct np_item *x)
{
  struct met *list = np_query_memory (m->query, NP_MEM_SLOTS, m->n_met + 1, sizeof *list);
  if (list)
    list[m->n_met++] = (struct met){ m->lane, x->start, x->end };
  return list != NULL;
}

static int
meeting_item (void *user, const struct np_item *x)
{
  struct meeting *m = user;
  if (x->start >= m->end)
    return NP_STOP;
  if (x->end <= m->start)
    return NP_PASS;
  if (x->level)
    return NP_OPEN;
  int64_t from = x->start > m->start ? x->start : m->start, to = x->end < m->end ? x->end : m->end;
  if (to <= from || (m->own && is_kin (m, x)))
    return NP_PASS;
  if (m->own && !keep_met (m, x))
    return NP_FAIL;
  return meet_span (m, (uint32_t) x->number, to - from) ? NP_PASS : NP_FAIL;
}

static bool
meet_track (struct meeting *m, uint32_t index)
{
  const struct nprof_store_track *track = nprof_store_track_at (m->query->store, index);
  if (!track)
    return np_query_fail (m->query, "there is no track %u, or the index is damaged there", index);
  if (track->first >= m->end || track->last <= m->start)
    return true;
  m->own = index == m->event->track;
  if (m->own && !parents (m->query, m->event->row, m->event->up, m->start, &m->n_around))
    return false;
  for (uint32_t i = 0; i < track->n_lanes; i++) {
    struct np_cursor c;
    m->lane = track->lane + i;
    if (!np_cursor_init (&c, m->query, m->lane))
      return false;
    if (c.lane->type == NPROF_STORE_LANE_SPAN && c.lane->first < m->end && c.lane->last > m->start
        && !np_walk (&c, meeting_item, m))
      return false;
  }
  return !np_query_stopped (m->query);
}

bool
nprof_store_overlaps (struct nprof_query *query, const struct nprof_event *event,
                      const uint32_t *tracks, uint32_t n_tracks, uint32_t max,
                      const struct nprof_overlap **overlaps, uint32_t *n, uint64_t *total,
                      int64_t *sum)
{
  struct meeting m = { .query = query,
                       .event = event,
                       .start = event->start,
                       .end = event->start + event->duration,
                       .max = max };
  uint32_t all
      = n_tracks ? n_tracks : (uint32_t) nprof_store_n (query->store, NPROF_STORE_S_TRACKS);
  *n = 0;
  *total = 0;
  *sum = 0;
  *overlaps = NULL;
  *query->error = 0;
  if (event->type != NPROF_STORE_LANE_SPAN || event->duration <= 0)
    return true;
  for (uint32_t i = 0; i < all; i++)
    if (!meet_track (&m, n_tracks ? tracks[i] : i))
      return false;
  struct nprof_overlap *list = np_query_memory (query, NP_MEM_OVERLAPS, m.n, sizeof *list);
  if (!list)
    return false;
  if (m.n)
    qsort (list, m.n, sizeof *list, by_overlap);
  *n = m.n < max ? m.n : max;
  *total = m.total;
  *sum = m.sum;
  *overlaps = list;
  return true;
}
