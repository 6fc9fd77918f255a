/* SPDX-License-Identifier: Apache-2.0 */
/* search-hits.c - finds and counts the rows that fit a search; search-row.c looks at one row. */
#include "search.h"

#include <string.h>

struct hunt {
  struct nprof_query *query;
  const struct nprof_search *search;
  bool unclosed; /* of the present lane */
  int64_t t0, t1;
  const struct nprof_row *after, *before;
  struct nprof_row *hits;
  uint32_t n, max;
  bool more;
  uint64_t total;
  uint32_t *histogram, pixels;
  uint64_t *seen; /* bitmap of the labels of hits; NULL: nobody asks */
};

static bool
in_time (const struct hunt *h, const struct np_place *p, uint32_t i, uint32_t type)
{
  int64_t start = np_value (p, NPROF_STORE_C_START, i),
          duration = np_value (p, NPROF_STORE_C_DURATION, i);
  if (type == NPROF_STORE_LANE_FACT)
    return true;
  return start <= h->t1
         && (type == NPROF_STORE_LANE_UNCLOSED
             || np_end (start, duration > 0 ? duration : 0) >= h->t0);
}

static bool
behind (const struct nprof_row *a, uint32_t lane, uint32_t row)
{
  return lane > a->lane || (lane == a->lane && row > a->row);
}

static int
hunt_block (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first)
{
  struct hunt *h = user;
  uint64_t labels = nprof_store_n (h->query->store, NPROF_STORE_S_LABELS);
  for (uint32_t i = 0; i < p->block->n; i++) {
    if (!np_has_label (h->search->labels, labels, np_value (p, NPROF_STORE_C_LABEL, i))
        || (h->after && !behind (h->after, c->number, first + i))
        || !in_time (h, p, i, c->lane->type) || !np_fits_row (h->query, h->search, c->number, p, i))
      continue;
    if (h->n == h->max) {
      h->more = true;
      return 1;
    }
    h->hits[h->n++] = (struct nprof_row){ c->number, first + i };
  }
  return *h->query->error ? -1 : 0;
}

/* Returns the lanes of the search that belong to the tracks as well. */
static const uint8_t *
lanes_within (struct nprof_query *query, const struct nprof_search *search, const uint32_t *tracks,
              uint32_t n_tracks)
{
  uint64_t n = nprof_store_n (query->store, NPROF_STORE_S_LANES);
  if (!n_tracks)
    return search->lanes;
  uint8_t *lanes = np_query_memory (query, NP_MEM_LABELS, n, 1);
  if (!lanes)
    return NULL;
  memset (lanes, 0, n);
  for (uint32_t k = 0; k < n_tracks; k++) {
    const struct nprof_store_track *t = nprof_store_track_at (query->store, tracks[k]);
    for (uint64_t i = 0; t && i < t->n_lanes; i++)
      lanes[t->lane + i] = search->lanes[t->lane + i];
  }
  return lanes;
}

bool
nprof_search_hits (struct nprof_query *query, const struct nprof_search *search,
                   const struct nprof_row *after, const uint32_t *tracks, uint32_t n_tracks,
                   int64_t t0, int64_t t1, struct nprof_row *hits, uint32_t max, uint32_t *n,
                   bool *more)
{
  struct hunt h = {
    .query = query, .search = search, .t0 = t0, .t1 = t1, .after = after, .hits = hits, .max = max
  };
  const uint8_t *lanes = lanes_within (query, search, tracks, n_tracks);
  struct np_scan scan = { .labels = search->labels, .lanes = lanes, .fn = hunt_block, .user = &h };
  *query->error = 0;
  if (after)
    scan.from = *after;
  bool ok = lanes && np_scan (query, &scan) && !*query->error;
  *n = h.n;
  *more = h.more;
  return ok;
}

static int
count_block (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first)
{
  struct hunt *h = user;
  uint64_t labels = nprof_store_n (h->query->store, NPROF_STORE_S_LABELS);
  (void) first;
  for (uint32_t i = 0; i < p->block->n; i++) {
    if (!np_has_label (h->search->labels, labels, np_value (p, NPROF_STORE_C_LABEL, i))
        || !in_time (h, p, i, c->lane->type) || !np_fits_row (h->query, h->search, c->number, p, i))
      continue;
    h->total++;
    uint64_t label = (uint64_t) np_value (p, NPROF_STORE_C_LABEL, i);
    if (h->seen && label < labels)
      h->seen[label / 64] |= 1ull << (label % 64);
    if (!h->histogram)
      continue;
    int64_t start = np_value (p, NPROF_STORE_C_START, i);
    double at = start <= h->t0 ? 0
                               : (double) np_far (h->t0, start)
                                     / ((double) np_far (h->t0, h->t1) + 1) * h->pixels;
    h->histogram[at < h->pixels ? (uint32_t) at : h->pixels - 1]++;
  }
  return *h->query->error ? -1 : 0;
}

/* Counts the different names of the labels that have a bit. */
static bool
count_names (struct nprof_query *query, const uint64_t *labels, uint64_t *n)
{
  uint32_t n_labels = (uint32_t) nprof_store_n (query->store, NPROF_STORE_S_LABELS);
  uint64_t strings = nprof_store_n (query->store, NPROF_STORE_S_STRING_AT);
  uint64_t *names = np_query_memory (query, NP_MEM_NAMES, strings / 64 + 1, sizeof *names);
  *n = 0;
  if (!names)
    return false;
  memset (names, 0, (strings / 64 + 1) * sizeof *names);
  for (uint32_t k = 0; k < n_labels; k++) {
    const struct nprof_store_label *label
        = labels[k / 64] >> (k % 64) & 1 ? nprof_store_label_at (query->store, k) : NULL;
    if (!label || !label->count || label->name >= strings)
      continue;
    *n += !(names[label->name / 64] >> (label->name % 64) & 1);
    names[label->name / 64] |= 1ull << (label->name % 64);
  }
  return true;
}

static int
count_facts (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first)
{
  struct hunt *h = user;
  uint64_t labels = nprof_store_n (h->query->store, NPROF_STORE_S_LABELS);
  (void) c;
  (void) first;
  for (uint32_t i = 0; i < p->block->n; i++)
    h->total += np_has_label (h->search->labels, labels, np_value (p, NPROF_STORE_C_LABEL, i));
  return 0;
}

/* The store has the numbers for labels alone; those of facts, which are few, are subtracted.
 * *facts_fit: there were some. */
static bool
count_labels (struct nprof_query *query, const struct nprof_search *search, uint64_t *n,
              bool *facts_fit)
{
  uint32_t labels = (uint32_t) nprof_store_n (query->store, NPROF_STORE_S_LABELS);
  uint64_t n_lanes = nprof_store_n (query->store, NPROF_STORE_S_LANES);
  uint8_t *facts = np_query_memory (query, NP_MEM_LABELS, n_lanes, 1);
  struct hunt h = { .query = query, .search = search };
  struct np_scan scan = { .labels = search->labels, .lanes = facts, .fn = count_facts, .user = &h };
  if (!facts)
    return false;
  for (uint32_t k = 0; k < n_lanes; k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (query->store, k);
    facts[k] = lane && lane->type == NPROF_STORE_LANE_FACT;
  }
  if (!np_scan (query, &scan) || *query->error)
    return false;
  *n = 0;
  for (uint32_t k = 0; k < labels; k++) {
    const struct nprof_store_label *label
        = search->labels[k / 64] >> (k % 64) & 1 ? nprof_store_label_at (query->store, k) : NULL;
    *n += label ? label->count : 0;
  }
  *n -= h.total;
  *facts_fit = h.total > 0;
  return true;
}

static uint64_t *
clear_seen (struct nprof_query *query)
{
  uint64_t words = nprof_store_n (query->store, NPROF_STORE_S_LABELS) / 64 + 1;
  uint64_t *seen = np_query_memory (query, NP_MEM_SEEN, words, sizeof *seen);
  return seen ? memset (seen, 0, words * sizeof *seen) : NULL;
}

const uint64_t *
nprof_search_labels (const struct nprof_search *search)
{
  for (uint32_t k = 0; k < search->n; k++)
    if (search->all[k].narrowed || search->all[k].n)
      return NULL;
  return search->labels;
}

static bool
is_of_labels (const struct nprof_query *query, const struct nprof_search *search, uint32_t n_tracks,
              int64_t t0, int64_t t1, uint32_t pixels)
{
  const struct nprof_store_meta *meta = nprof_store_meta (query->store);
  return nprof_search_labels (search) && !n_tracks && !pixels && t0 <= meta->first
         && t1 >= meta->last;
}

bool
nprof_search_count (struct nprof_query *query, const struct nprof_search *search,
                    const uint32_t *tracks, uint32_t n_tracks, int64_t t0, int64_t t1, uint64_t *n,
                    uint32_t *histogram, uint32_t pixels, uint64_t *names)
{
  bool facts_fit;
  *query->error = 0;
  if (is_of_labels (query, search, n_tracks, t0, t1, pixels)) {
    if (!count_labels (query, search, n, &facts_fit))
      return false;
    if (!names)
      return true;
    if (!facts_fit) /* else the count of a label may be of facts alone */
      return count_names (query, search->labels, names);
  }
  struct hunt h = { .query = query,
                    .search = search,
                    .t0 = t0,
                    .t1 = t1,
                    .histogram = pixels ? histogram : NULL,
                    .pixels = pixels };
  if (names && !(h.seen = clear_seen (query)))
    return false;
  const uint8_t *lanes = lanes_within (query, search, tracks, n_tracks);
  struct np_scan scan = { .labels = search->labels, .lanes = lanes, .fn = count_block, .user = &h };
  bool ok = lanes && np_scan (query, &scan) && !*query->error;
  *n = h.total;
  return ok && (!names || count_names (query, h.seen, names));
}

static int
last_in_block (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first)
{
  struct hunt *h = user;
  for (uint32_t i = p->block->n; i-- > 0;) {
    struct nprof_row row = { c->number, first + i };
    if (!behind (&row, h->before->lane, h->before->row)
        || !np_fits_row (h->query, h->search, c->number, p, i))
      continue;
    h->hits[0] = row;
    h->n = 1;
    return 1;
  }
  return *h->query->error ? -1 : 0;
}

bool
nprof_search_step (struct nprof_query *query, const struct nprof_search *search,
                   struct nprof_row from, bool backwards, struct nprof_row *hit, bool *found)
{
  struct hunt h = { .query = query, .search = search, .before = &from, .hits = hit };
  struct np_scan scan = { .labels = search->labels,
                          .lanes = search->lanes,
                          .from = from,
                          .backwards = true,
                          .fn = last_in_block,
                          .user = &h };
  uint32_t n = 0;
  bool more, ok;
  *query->error = 0;
  if (backwards)
    ok = np_scan (query, &scan) && !*query->error;
  else
    ok = nprof_search_hits (query, search, &from, NULL, 0, INT64_MIN, INT64_MAX, hit, 1, &n, &more);
  *found = backwards ? h.n > 0 : n > 0;
  return ok;
}

bool
nprof_search_fits (struct nprof_query *query, const struct nprof_search *search,
                   struct nprof_row row, bool *fits)
{
  struct np_cursor c;
  *query->error = 0;
  *fits = false;
  if (!np_cursor_init (&c, query, row.lane))
    return false;
  if (row.row >= c.lane->rows)
    return np_query_fail (query, "lane %u has no row %u", row.lane, row.row);
  const struct np_place *p = np_cursor_block (&c, 0, row.row / NPROF_STORE_ROWS);
  if (!p)
    return false;
  *fits = np_fits_row (query, search, row.lane, p, row.row % NPROF_STORE_ROWS);
  return !*query->error;
}
