/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - finds what a row depends on and what depends on it: ids, parents and flows. */
#include "internal.h"

#include <nprof/keys.h>
#include <stdlib.h>
#include <string.h>

/* -- Looking up ------------------------------------------------------------------------------ */

static const struct nprof_store_link *
link_at (struct nprof_query *query, uint64_t i)
{
  struct nprof_store *s = query->store;
  if (np_store_pages (s, NPROF_STORE_F_LINKS, i * sizeof (struct nprof_store_link),
                      sizeof (struct nprof_store_link)))
    return (const struct nprof_store_link *) s->file[NPROF_STORE_F_LINKS].p + i;
  np_query_damaged (query, NPROF_STORE_F_LINKS, i * sizeof (struct nprof_store_link),
                    "the links are damaged");
  return NULL;
}

/* Finds the first link of the bucket that is not less; at its end there is none. */
static bool
find (struct nprof_query *query, uint64_t key, uint64_t *at, uint64_t *end)
{
  const uint64_t *fence = np_store_elements (query->store, NPROF_STORE_S_FENCES, key >> 56, 2);
  if (!fence || fence[0] > fence[1])
    return np_query_fail (query, "the index of links is damaged");
  uint64_t low = fence[0], high = *end = fence[1];
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    const struct nprof_store_link *link = link_at (query, middle);
    if (!link)
      return false;
    if (link->key < key)
      low = middle + 1;
    else
      high = middle;
  }
  *at = low;
  return true;
}

static uint64_t
value_of (const struct nprof_event *e, uint32_t kind)
{
  return kind == NPROF_STORE_LINK_ID       ? e->id
         : kind == NPROF_STORE_LINK_PARENT ? e->parent
                                           : e->flow;
}

/* Looks at the rows of a key too, because two keys may have one hash. */
static bool
each_linked (struct nprof_query *query, uint32_t kind, uint32_t input, uint64_t value,
             int (*fn) (void *user, const struct nprof_event *event), void *user)
{
  uint64_t key = nprof_store_link_key (kind, input, value), at = 0, end = 0;
  if (!value)
    return true;
  if (!find (query, key, &at, &end))
    return false;
  for (; at < end; at++) {
    const struct nprof_store_link *link = link_at (query, at);
    struct nprof_event e;
    if (!link || link->key != key)
      return link != NULL;
    if (!nprof_store_event (query, (struct nprof_row){ link->lane, link->row }, &e))
      return false;
    if (value_of (&e, kind) != value || (kind != NPROF_STORE_LINK_FLOW && e.input != input))
      continue;
    int verdict = fn (user, &e);
    if (verdict)
      return verdict > 0;
  }
  return true;
}

struct gather {
  struct nprof_query *query;
  int use;
  uint32_t n, max;
};

static int
gather_row (void *user, const struct nprof_event *e)
{
  struct gather *g = user;
  struct nprof_row *rows = np_query_memory (g->query, g->use, g->n + 1, sizeof *rows);
  if (!rows)
    return -1;
  rows[g->n++] = e->row;
  return g->n == g->max;
}

bool
nprof_store_linked (struct nprof_query *query, uint32_t kind, uint32_t input, uint64_t key,
                    uint32_t max, const struct nprof_row **rows, uint32_t *n)
{
  static const uint8_t kinds[] = { [NPROF_LINK_FLOW] = NPROF_STORE_LINK_FLOW,
                                   [NPROF_LINK_ID] = NPROF_STORE_LINK_ID,
                                   [NPROF_LINK_PARENT] = NPROF_STORE_LINK_PARENT };
  struct gather g = { query, NP_MEM_ROWS, 0, max };
  *query->error = 0;
  *n = 0;
  bool ok = !max || each_linked (query, kinds[kind], input, key, gather_row, &g);
  *rows = np_query_memory (query, NP_MEM_ROWS, g.n, sizeof **rows);
  *n = g.n;
  return ok && *rows;
}

/* -- Dependencies ------------------------------------------------------------------------------ */

struct links {
  struct nprof_query *query;
  const struct nprof_event *event;
  uint32_t n;
  struct nprof_event end; /* the flow end that binds the event */
};

static bool
same_row (struct nprof_row a, struct nprof_row b)
{
  return a.lane == b.lane && a.row == b.row;
}

static bool
push (struct links *l, struct nprof_row row, uint32_t family, uint32_t category, bool depends)
{
  struct nprof_link *list = np_query_memory (l->query, NP_MEM_LINKS, l->n + 1, sizeof *list);
  if (!list)
    return false;
  if (!same_row (row, l->event->row))
    list[l->n++] = (struct nprof_link){ row, family, category, depends };
  return l->n % 4096 || !np_query_stopped (l->query);
}

static int
push_parent (void *user, const struct nprof_event *e)
{
  return push (user, e->row, NPROF_LINK_PARENT, 0, true) ? 0 : -1;
}

static int
push_child (void *user, const struct nprof_event *e)
{
  return e->kind == NPROF_FLOW || push (user, e->row, NPROF_LINK_PARENT, 0, false) ? 0 : -1;
}

struct by_id {
  struct nprof_row row;
  bool found;
};

static int
first_span (void *user, const struct nprof_event *e)
{
  struct by_id *b = user;
  if (e->kind != NPROF_SPAN)
    return 0;
  b->row = e->row;
  b->found = true;
  return 1;
}

/* Finds the span that a flow end is bound to: by id, else the innermost of its track that holds it,
 * else itself. */
static bool
bound_to (struct nprof_query *query, const struct nprof_event *end, struct nprof_row *row)
{
  struct by_id by = { .found = false };
  const struct nprof_row *around;
  uint32_t n;
  *row = end->row;
  if (end->kind != NPROF_FLOW)
    return true;
  if (end->parent
      && !each_linked (query, NPROF_STORE_LINK_ID, end->input, end->parent, first_span, &by))
    return false;
  if (by.found || end->parent)
    return by.found ? *row = by.row, true : true;
  if (!nprof_store_enclosing (query, end, &around, &n))
    return false;
  if (n)
    *row = around[n - 1];
  return true;
}

static bool
category_of (struct nprof_query *query, const struct nprof_event *e, uint32_t *category)
{
  const struct nprof_store_label *label = nprof_store_label_at (query->store, e->label);
  *category = label ? label->category : 0;
  return label || np_query_fail (query, "label %u does not exist: the store is damaged", e->label);
}

static bool
is_text (struct nprof_query *query, uint32_t string, const char *text)
{
  size_t len;
  return !strcmp (nprof_store_string (query->store, string, &len), text);
}

/* Reads whether the end begins an arrow (0), goes on (1, also where it does not say) or ends it. */
static bool
phase_of (struct nprof_query *query, const struct nprof_event *end, int *phase)
{
  static const char *const names[] = { "begin", "step", "end" };
  const struct nprof_store_field *fields;
  uint32_t n;
  *phase = 1;
  if (!nprof_store_fields (query, end, false, &fields, &n))
    return false;
  for (uint32_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      if (fields[i].type == NPROF_STRING && is_text (query, fields[i].key, NPROF_KEY_FLOW_PHASE)
          && is_text (query, fields[i].v.s, names[k]))
        *phase = k;
  return true;
}

/* Orders the ends of a flow: by time, then by phase, then as the file has them. */
static bool
precedes (struct nprof_query *query, const struct nprof_event *a, const struct nprof_event *b,
          bool *yes)
{
  int of_a = 0, of_b = 0;
  if (a->start == b->start && !(phase_of (query, a, &of_a) && phase_of (query, b, &of_b)))
    return false;
  *yes = a->start != b->start ? a->start < b->start
         : of_a != of_b       ? of_a < of_b
                              : a->ordinal < b->ordinal;
  return true;
}

/* Adds an end of the flow: those before this one lead here, those behind it lead on. */
static int
push_end (void *user, const struct nprof_event *e)
{
  struct links *l = user;
  struct nprof_row row;
  uint32_t category;
  bool depends;
  if (same_row (e->row, l->end.row))
    return 0;
  if (!bound_to (l->query, e, &row) || !category_of (l->query, e, &category)
      || !precedes (l->query, e, &l->end, &depends))
    return -1;
  return push (l, row, NPROF_LINK_FLOW, category, depends) ? 0 : -1;
}

static bool
follow_flow (struct links *l, const struct nprof_event *end)
{
  l->end = *end;
  return each_linked (l->query, NPROF_STORE_LINK_FLOW, end->input, end->flow, push_end, l);
}

/* Follows flow ends that name this span as theirs. */
static int
follow_bound (void *user, const struct nprof_event *e)
{
  return e->kind != NPROF_FLOW || follow_flow (user, e) ? 0 : -1;
}

/* Follows flow ends of its track that lie in it and name no span. */
static bool
follow_held (struct links *l)
{
  const struct nprof_event *event = l->event;
  const struct nprof_store_track *track = nprof_store_track_at (l->query->store, event->track);
  for (uint32_t i = 0; track && i < track->n_lanes; i++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (l->query->store, track->lane + i);
    uint32_t row = 0;
    bool found;
    if (!lane || lane->type != NPROF_STORE_LANE_FLOW)
      continue;
    if (event->start != INT64_MIN
        && !nprof_store_before (l->query, track->lane + i, event->start - 1, &row, &found))
      return false;
    for (row = event->start != INT64_MIN && found ? row + 1 : 0; row < lane->rows; row++) {
      struct nprof_event e;
      struct nprof_row owner;
      if (!nprof_store_event (l->query, (struct nprof_row){ track->lane + i, row }, &e))
        return false;
      if (np_far (event->start, e.start) > (uint64_t) event->duration)
        break;
      if (e.parent || !e.flow)
        continue;
      if (!bound_to (l->query, &e, &owner)
          || (same_row (owner, event->row) && !follow_flow (l, &e)))
        return false;
    }
  }
  return true;
}

static int
by_place (const void *a, const void *b)
{
  const struct nprof_link *x = a, *y = b;
  if (x->depends != y->depends)
    return x->depends ? -1 : 1;
  if (x->row.lane != y->row.lane)
    return x->row.lane < y->row.lane ? -1 : 1;
  if (x->row.row != y->row.row)
    return x->row.row < y->row.row ? -1 : 1;
  if (x->family != y->family)
    return x->family < y->family ? -1 : 1;
  return (x->category > y->category) - (x->category < y->category);
}

static bool
same_link (const struct nprof_link *a, const struct nprof_link *b)
{
  return same_row (a->row, b->row) && a->family == b->family && a->depends == b->depends;
}

/* Each once, in their order; of each side at most max stay.  Returns how many stay. */
static uint32_t
keep_some (struct nprof_link *list, uint32_t n, uint32_t max, uint64_t totals[2])
{
  uint32_t kept = 0;
  struct nprof_link last = { .family = UINT32_MAX };
  totals[0] = totals[1] = 0;
  if (n)
    qsort (list, n, sizeof *list, by_place);
  for (uint32_t i = 0; i < n; i++) {
    if (same_link (list + i, &last))
      continue;
    last = list[i];
    if (totals[!last.depends]++ < max)
      list[kept++] = last;
  }
  return kept;
}

bool
nprof_store_links (struct nprof_query *query, const struct nprof_event *event, uint32_t max,
                   const struct nprof_link **links, uint32_t *n, uint64_t totals[2])
{
  struct links l = { .query = query, .event = event };
  bool span = event->kind == NPROF_SPAN, closed = event->type == NPROF_STORE_LANE_SPAN;
  *query->error = 0;
  *n = 0;
  bool ok = each_linked (query, NPROF_STORE_LINK_ID, event->input, event->parent, push_parent, &l)
            && each_linked (query, NPROF_STORE_LINK_PARENT, event->input, event->id, push_child, &l)
            && (!event->flow || follow_flow (&l, event))
            && (!event->id || !span
                || each_linked (query, NPROF_STORE_LINK_PARENT, event->input, event->id,
                                follow_bound, &l))
            && (!closed || follow_held (&l));
  struct nprof_link *list = np_query_memory (query, NP_MEM_LINKS, l.n, sizeof *list);
  if (!ok || !list)
    return false;
  *links = list;
  *n = keep_some (list, l.n, max, totals);
  return true;
}
