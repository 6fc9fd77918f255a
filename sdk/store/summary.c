/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - sums over a window: whole nodes by their lists, the edges row by row, clipped. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* -- Totals by label ---------------------------------------------------------------------- */

struct sums {
  struct nprof_query *query;
  struct nprof_total *totals; /* by label; count 0: not touched */
  uint32_t *touched, n, n_labels;
  int64_t t0, t1;
};

static struct nprof_total *
total_of (struct sums *s, uint64_t label)
{
  if (label >= s->n_labels) {
    np_query_fail (s->query, "label %llu does not exist: the store is damaged",
                   (unsigned long long) label);
    return NULL;
  }
  struct nprof_total *t = s->totals + label;
  if (!t->count) {
    *t = (struct nprof_total){ .key = (uint32_t) label };
    s->touched[s->n++] = (uint32_t) label;
  }
  return t;
}

static bool
add (struct sums *s, uint64_t label, uint64_t count, int64_t whole, int64_t inside, int64_t self)
{
  struct nprof_total *t = total_of (s, label);
  if (!t)
    return false;
  t->count += count;
  t->whole = np_plus (t->whole, whole);
  t->inside = np_plus (t->inside, inside);
  t->self_inside = np_plus (t->self_inside, self);
  return true;
}

struct node {
  uint32_t lane, level;
  uint64_t number;
};

/* Adds the list of a node, or of a whole lane (level 0), which is nobody else's.  Returns false
 * without an error when the list was left out. */
static bool
add_list (struct sums *s, uint64_t number, struct node node, bool unclosed)
{
  struct nprof_store *store = s->query->store;
  const struct nprof_store_list *list = np_store_elements (store, NPROF_STORE_S_LISTS, number, 1);
  if (!list)
    return np_query_fail (s->query, "list %llu does not exist: the store is damaged",
                          (unsigned long long) number);
  if (list->at == NPROF_STORE_NONE)
    return false;
  uint64_t size = sizeof (struct nprof_store_sum), most = store->file[NPROF_STORE_F_LISTS].n / size;
  if (list->at > most || list->lane != node.lane || list->level != node.level
      || list->index != node.number
      || !np_store_pages (store, NPROF_STORE_F_LISTS, list->at * size, list->n * size))
    return np_query_damaged (s->query, NPROF_STORE_F_LISTS, list->at * size, "the list is damaged");
  const struct nprof_store_sum *sums
      = (const void *) (store->file[NPROF_STORE_F_LISTS].p + list->at * size);
  for (uint32_t i = 0; i < list->n; i++) {
    if (!sums[i].count
        || !add (s, sums[i].label, sums[i].count, sums[i].sum, sums[i].sum, sums[i].self))
      return *s->query->error ? false
                              : np_query_damaged (s->query, NPROF_STORE_F_LISTS, list->at * size,
                                                  "a count is 0");
    if (unclosed)
      s->totals[sums[i].label].unclosed += sums[i].count;
  }
  return true;
}

/* -- One lane ------------------------------------------------------------------------------- */

struct lane_sums {
  struct sums *s;
  struct np_cursor *c;
  struct np_cursor *below; /* lanes of the track below this one, by depth; n_below */
  uint32_t n_below;
};

static bool
sum_row (struct lane_sums *l, const struct np_item *x)
{
  struct sums *s = l->s;
  uint64_t label = (uint64_t) np_value (x->place, NPROF_STORE_C_LABEL, x->i);
  int64_t whole = (int64_t) np_far (x->start, x->end),
          child = np_value (x->place, NPROF_STORE_C_CHILD, x->i);
  if (x->start >= s->t0 && x->end <= s->t1)
    return add (s, label, 1, whole, whole, np_minus (whole, child));
  int64_t from = x->start > s->t0 ? x->start : s->t0, to = x->end < s->t1 ? x->end : s->t1,
          busy = 0;
  if (child && !np_children_within (l->below, l->n_below, x->start, x->end, from, to, &busy))
    return false;
  return add (s, label, 1, whole, np_minus (to, from), np_minus (np_minus (to, from), busy));
}

/* Adds a block of rows all of which lie within the window. */
static bool
sum_block (struct lane_sums *l, uint64_t number)
{
  int64_t label[NPROF_STORE_ROWS], duration[NPROF_STORE_ROWS], child[NPROF_STORE_ROWS];
  const struct np_place *p = np_cursor_block (l->c, 0, number);
  if (!p)
    return false;
  np_values (p, NPROF_STORE_C_LABEL, label);
  np_values (p, NPROF_STORE_C_DURATION, duration);
  np_values (p, NPROF_STORE_C_CHILD, child);
  for (uint32_t i = 0; i < p->block->n; i++) {
    int64_t whole = duration[i] > 0 ? duration[i] : 0;
    if (!add (l->s, (uint64_t) label[i], 1, whole, whole, np_minus (whole, child[i])))
      return false;
  }
  return true;
}

static int
sum_item (void *user, const struct np_item *x)
{
  struct lane_sums *l = user;
  struct sums *s = l->s;
  if (x->start > s->t1)
    return NP_STOP;
  if (x->end < s->t0)
    return NP_PASS;
  if (!x->level)
    return sum_row (l, x) ? NP_PASS : NP_FAIL;
  bool whole = x->start >= s->t0 && x->end <= s->t1;
  if (whole && x->level == NPROF_STORE_LEVEL_BLOCK)
    return sum_block (l, x->number) ? NP_PASS : NP_FAIL;
  if (!whole || (x->level != NPROF_STORE_LIST_LOW && x->level != NPROF_STORE_LIST_HIGH))
    return NP_OPEN;
  *s->query->error = 0;
  if (add_list (s, (uint64_t) np_value (x->place, NPROF_STORE_N_LIST, x->i),
                (struct node){ l->c->number, x->level, x->number }, false))
    return NP_PASS;
  return *s->query->error ? NP_FAIL : NP_OPEN;
}

static int
sum_unclosed (void *user, const struct np_item *x)
{
  struct sums *s = ((struct lane_sums *) user)->s;
  if (x->start > s->t1)
    return NP_STOP;
  if (x->level)
    return NP_OPEN;
  uint64_t label = (uint64_t) np_value (x->place, NPROF_STORE_C_LABEL, x->i);
  if (!add (s, label, 1, 0, 0, 0))
    return NP_FAIL;
  s->totals[label].unclosed++;
  return NP_PASS;
}

/* Returns the node whose list is that of a whole lane: eight nodes below the lowest level with
 * lists make one there, though the lane needs none above them, and it has the only list. */
static struct node
whole_lane (const struct np_cursor *c)
{
  bool is_node = nprof_store_count (c->lane->rows, NPROF_STORE_LIST_LOW - 1) == NPROF_STORE_FAN;
  return (struct node){ c->number, is_node ? NPROF_STORE_LIST_LOW : 0, 0 };
}

static bool
sum_lane (struct lane_sums *l)
{
  struct sums *s = l->s;
  const struct nprof_store_lane *lane = l->c->lane;
  bool unclosed = lane->type == NPROF_STORE_LANE_UNCLOSED;
  if (lane->first > s->t1 || (lane->last < s->t0 && !unclosed))
    return true;
  if ((lane->first >= s->t0 || unclosed) && lane->last <= s->t1 && lane->list != UINT32_MAX) {
    *s->query->error = 0;
    if (add_list (s, lane->list, whole_lane (l->c), unclosed))
      return true;
    if (*s->query->error)
      return false;
  }
  return np_walk (l->c, unclosed ? sum_unclosed : sum_item, l);
}

/* -- Tracks ----------------------------------------------------------------------------------- */

/* Counts the lanes below: lanes of spans of one origin follow each other by depth. */
static uint32_t
count_below (const struct np_cursor *cursors, uint32_t n, uint32_t i)
{
  uint32_t k = i + 1;
  while (k < n && cursors[k].lane->type == NPROF_STORE_LANE_SPAN
         && cursors[k].lane->origin == cursors[i].lane->origin)
    k++;
  return k - i - 1;
}

static bool
sum_track (struct sums *s, const struct nprof_store_track *track, uint32_t origin)
{
  struct np_cursor *cursors
      = np_query_memory (s->query, NP_MEM_CURSORS, track->n_lanes, sizeof *cursors);
  uint32_t n = 0;
  if (!cursors)
    return false;
  for (uint32_t i = 0; i < track->n_lanes; i++, n++) {
    if (!np_cursor_init (cursors + n, s->query, track->lane + i))
      return false;
    if (cursors[n].lane->type > NPROF_STORE_LANE_UNCLOSED)
      break;
  }
  for (uint32_t i = 0; i < n; i++) {
    struct lane_sums l = { s, cursors + i, cursors + i + 1, 0 };
    if (origin != UINT32_MAX && cursors[i].lane->origin != origin)
      continue;
    l.n_below = cursors[i].lane->type == NPROF_STORE_LANE_SPAN ? count_below (cursors, n, i) : 0;
    if (!sum_lane (&l) || np_query_stopped (s->query))
      return false;
  }
  return true;
}

static int
by_inside (const void *a, const void *b)
{
  const struct nprof_total *x = a, *y = b;
  if (x->inside != y->inside)
    return x->inside > y->inside ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static int
by_key (const void *a, const void *b)
{
  const struct nprof_total *x = a, *y = b;
  return (x->key > y->key) - (x->key < y->key);
}

static void
join (struct nprof_total *into, const struct nprof_total *x)
{
  into->count += x->count;
  into->unclosed += x->unclosed;
  into->whole = np_plus (into->whole, x->whole);
  into->inside = np_plus (into->inside, x->inside);
  into->self_inside = np_plus (into->self_inside, x->self_inside);
}

/* Joins totals of equal keys. */
static uint32_t
join_keys (struct nprof_total *totals, uint32_t n)
{
  uint32_t kept = 0;
  qsort (totals, n, sizeof *totals, by_key);
  for (uint32_t i = 0; i < n; i++)
    if (kept && totals[kept - 1].key == totals[i].key)
      join (totals + kept - 1, totals + i);
    else
      totals[kept++] = totals[i];
  return kept;
}

static bool
take_totals (struct sums *s, uint32_t by, uint32_t track, struct nprof_total **out, uint32_t *n)
{
  uint32_t more = by == NPROF_BY_TRACK ? s->n > 0 : s->n;
  struct nprof_total *to = np_query_memory (s->query, NP_MEM_RESULT, *n + more, sizeof *to);
  if (!to)
    return false;
  if (more && by == NPROF_BY_TRACK)
    to[*n] = (struct nprof_total){ .key = track };
  for (uint32_t i = 0; i < s->n; i++) {
    struct nprof_total *t = s->totals + s->touched[i];
    const struct nprof_store_label *label = nprof_store_label_at (s->query->store, t->key);
    if (by == NPROF_BY_TRACK)
      join (to + *n, t);
    else {
      to[*n + i] = *t;
      to[*n + i].key = by == NPROF_BY_LABEL || !label ? t->key
                       : by == NPROF_BY_NAME          ? label->name
                                                      : label->category;
    }
    t->count = 0;
  }
  *n += more;
  s->n = 0;
  *out = to;
  return true;
}

static bool
begin (struct sums *s, struct nprof_query *query, int64_t t0, int64_t t1)
{
  uint32_t n = (uint32_t) nprof_store_n (query->store, NPROF_STORE_S_LABELS);
  *s = (struct sums){ .query = query, .n_labels = n, .t0 = t0, .t1 = t1 };
  *query->error = 0;
  s->totals = np_query_memory (query, NP_MEM_TOTALS, n, sizeof *s->totals);
  s->touched = np_query_memory (query, NP_MEM_TOUCHED, n, sizeof *s->touched);
  return s->totals && s->touched;
}

static bool
sum_tracks (struct sums *s, const uint32_t *tracks, uint32_t n_tracks, uint32_t by, uint32_t origin,
            struct nprof_total **out, uint32_t *n)
{
  uint32_t all
      = n_tracks ? n_tracks : (uint32_t) nprof_store_n (s->query->store, NPROF_STORE_S_TRACKS);
  for (uint32_t i = 0; i < all; i++) {
    uint32_t index = n_tracks ? tracks[i] : i;
    const struct nprof_store_track *track = nprof_store_track_at (s->query->store, index);
    if (!track)
      return np_query_fail (s->query, "there is no track %u, or the index is damaged there", index);
    if (!sum_track (s, track, origin)
        || (by == NPROF_BY_TRACK && !take_totals (s, by, index, out, n)))
      return false;
  }
  return by == NPROF_BY_TRACK || take_totals (s, by, 0, out, n);
}

bool
nprof_store_summary (struct nprof_query *query, const uint32_t *tracks, uint32_t n_tracks,
                     int64_t t0, int64_t t1, uint32_t by, uint32_t origin,
                     const struct nprof_total **totals, uint32_t *n)
{
  struct sums s;
  struct nprof_total *out = NULL;
  *n = 0;
  if (!begin (&s, query, t0, t1))
    return false;
  if (!sum_tracks (&s, tracks, n_tracks, by, origin, &out, n)) {
    for (uint32_t i = 0; i < s.n; i++)
      s.totals[s.touched[i]].count = 0;
    return false;
  }
  if (by == NPROF_BY_NAME || by == NPROF_BY_CATEGORY)
    *n = join_keys (out, *n);
  if (out)
    qsort (out, *n, sizeof *out, by_inside);
  *totals = out;
  return true;
}
