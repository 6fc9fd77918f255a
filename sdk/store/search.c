/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - turns the text of a search into conditions; names and categories become a bitmap of
 * labels, tracks and kinds one of lanes.  search-hits.c finds the rows that fit. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

struct make {
  struct nprof_query *query;
  struct np_alternative *to;
  uint32_t at;
};

static bool
fail_search (struct make *m, uint32_t at, const char *expected)
{
  m->at = at;
  return np_query_fail (m->query, "the search is wrong at character %u: expected %s", at + 1,
                        expected);
}

/* -- Labels and lanes -------------------------------------------------------------------------- */

static bool
narrow_labels (struct make *m, const struct np_want *want, bool category)
{
  struct nprof_store *s = m->query->store;
  uint64_t n = nprof_store_n (s, NPROF_STORE_S_LABELS);
  bool fresh = !m->to->labels;
  if (fresh)
    m->to->labels = calloc (n / 64 + 1, sizeof (uint64_t));
  if (!m->to->labels)
    return np_query_no_memory (m->query, "the question");
  for (uint64_t k = 0; k < n; k++) {
    const struct nprof_store_label *label = nprof_store_label_at (s, (uint32_t) k);
    size_t len;
    if (!label)
      return np_query_fail (m->query, "label %llu is damaged", (unsigned long long) k);
    const char *text = nprof_store_string (s, category ? label->category : label->name, &len);
    uint64_t bit = 1ull << (k % 64);
    if (np_match_text (want, text, len) == want->deny)
      m->to->labels[k / 64] &= ~bit;
    else if (fresh)
      m->to->labels[k / 64] |= bit;
  }
  return true;
}

static const char *
kind_name (const struct nprof_store_lane *lane)
{
  static const char *const names[]
      = { "span", "span", "instant", "counter", "flow", "gap", "fact" };
  return lane->type < NPROF_STORE_LANE_TYPES ? names[lane->type] : "";
}

static const char *
track_name (struct nprof_store *s, uint32_t number, size_t *len)
{
  const struct nprof_store_track *t = nprof_store_track_at (s, nprof_store_track_of (s, number));
  *len = 0;
  return t ? nprof_store_string (s, t->label ? t->label : t->key, len) : "";
}

static bool
lanes_of (struct make *m, bool facts)
{
  struct nprof_store *s = m->query->store;
  uint32_t n = (uint32_t) nprof_store_n (s, NPROF_STORE_S_LANES);
  struct np_alternative *to = m->to;
  if (to->lanes)
    return true;
  to->lanes = calloc (n + 1, 1);
  for (uint32_t k = 0; to->lanes && k < n; k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (s, k);
    to->lanes[k] = lane && (facts || lane->type != NPROF_STORE_LANE_FACT);
  }
  return to->lanes || np_query_no_memory (m->query, "the question");
}

static bool
narrow_lanes (struct make *m, const struct np_want *want, bool kind)
{
  struct nprof_store *s = m->query->store;
  m->to->narrowed = true;
  if (!lanes_of (m, kind))
    return false;
  for (uint32_t k = 0; k < nprof_store_n (s, NPROF_STORE_S_LANES); k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (s, k);
    size_t len = 0;
    if (!lane)
      return np_query_fail (m->query, "lane %u is damaged", k);
    const char *text = kind ? kind_name (lane) : track_name (s, lane->track, &len);
    if (np_match_text (want, text, kind ? strlen (text) : len) == want->deny)
      m->to->lanes[k] = 0;
  }
  return true;
}

/* -- Conditions of rows ------------------------------------------------------------------------ */

static void
free_condition (struct np_condition *c)
{
  free (c->member);
  free (c->keys);
  free (c->shapes);
  free (c->sets);
  free (c);
}

static uint32_t
find_key (struct nprof_store *s, const char *name, size_t len)
{
  for (uint32_t k = 0; k < nprof_store_n (s, NPROF_STORE_S_KEYS); k++) {
    const struct nprof_store_key *key = nprof_store_key_at (s, k);
    size_t n;
    const char *text = key ? nprof_store_string (s, key->key, &n) : NULL;
    if (text && n == len && !memcmp (text, name, n))
      return key->key;
  }
  for (uint64_t k = 0; k < nprof_store_n (s, NPROF_STORE_S_SET_VALUES); k++) {
    const struct nprof_store_value *v = np_store_elements (s, NPROF_STORE_S_SET_VALUES, k, 1);
    size_t n;
    const char *text = v ? nprof_store_string (s, v->key, &n) : NULL;
    if (text && n == len && !memcmp (text, name, n))
      return v->key;
  }
  return UINT32_MAX;
}

static bool
prepare_attr (struct make *m, struct np_condition *c, const char *field, size_t len)
{
  struct nprof_store *s = m->query->store;
  uint64_t n_keys = nprof_store_n (s, NPROF_STORE_S_KEYS);
  c->key = find_key (s, field, len);
  const char *dot = memchr (field, '.', len);
  if (c->key == UINT32_MAX && dot) {
    c->key = find_key (s, field, (size_t) (dot - field));
    c->member = strndup (dot + 1, len - 1 - (size_t) (dot - field));
  }
  c->keys = calloc (n_keys + 1, 1);
  c->shapes = calloc (nprof_store_n (s, NPROF_STORE_S_SHAPES) + 1, sizeof *c->shapes);
  c->sets = calloc (nprof_store_n (s, NPROF_STORE_S_SETS) + 1, 1);
  if (!c->keys || !c->shapes || !c->sets || (dot && !c->member && c->key == UINT32_MAX))
    return np_query_no_memory (m->query, "the question");
  for (uint32_t k = 0; k < n_keys; k++) {
    const struct nprof_store_key *key = nprof_store_key_at (s, k);
    c->keys[k] = key && key->key == c->key;
  }
  return true;
}

/* Makes a condition of a term, whose field is ATTR or one of the numbers of rows. */
static bool
add_condition (struct make *m, uint32_t what, const struct np_filter_term *term,
               const struct np_want *want)
{
  struct np_alternative *to = m->to;
  struct np_condition *c = calloc (1, sizeof *c);
  struct np_condition **all = c ? realloc (to->conditions, (to->n + 1) * sizeof *all) : NULL;
  if (!all) {
    free (c);
    return np_query_no_memory (m->query, "the question");
  }
  to->conditions = all;
  to->conditions[to->n++] = c;
  c->what = what;
  c->want = *want;
  bool number = what == ATTR ? want->op > NP_LIKE : what == VALUE;
  if (number && !want->is_number)
    return fail_search (m, term->value_at, "a number");
  if (what == ATTR)
    return prepare_attr (m, c, term->field, strlen (term->field));
  if (what == VALUE)
    return true;
  return (want->n == 1 && np_time_read (want->text, "ns", &c->time) == NP_TIME_READ)
         || fail_search (m, term->value_at, "a time such as 1ms, 2.5us or 100ns");
}

/* Only spans have durations, as for --where of the commands. */
static bool
only_spans (struct make *m)
{
  m->to->narrowed = true;
  if (!lanes_of (m, false))
    return false;
  for (uint32_t k = 0; k < nprof_store_n (m->query->store, NPROF_STORE_S_LANES); k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (m->query->store, k);
    m->to->lanes[k] &= lane && lane->type == NPROF_STORE_LANE_SPAN;
  }
  return true;
}

/* What a term without a field looks at, and one with: labels, lanes, or the rows themselves. */
static const struct {
  const char *field;
  enum { OF_NAMES, OF_CATEGORIES, OF_TRACKS, OF_KINDS, OF_ROWS } of;
  uint32_t what; /* of rows */
} fields[] = { { "", OF_NAMES, 0 },
               { "name", OF_NAMES, 0 },
               { "category", OF_CATEGORIES, 0 },
               { "track", OF_TRACKS, 0 },
               { "kind", OF_KINDS, 0 },
               { "dur", OF_ROWS, DURATION },
               { "duration", OF_ROWS, DURATION },
               { "start", OF_ROWS, START },
               { "self", OF_ROWS, SELF },
               { "value", OF_ROWS, VALUE } };

static bool
apply (struct make *m, const struct np_filter_term *term, const struct np_want *want)
{
  uint32_t k = 0;
  while (k < sizeof fields / sizeof *fields && strcmp (fields[k].field, term->field))
    k++;
  if (k == sizeof fields / sizeof *fields)
    return add_condition (m, ATTR, term, want);
  if (fields[k].of != OF_ROWS && want->op > NP_LIKE)
    return fail_search (m, term->value_at, "= or ~");
  if (fields[k].of == OF_NAMES || fields[k].of == OF_CATEGORIES)
    return narrow_labels (m, want, fields[k].of == OF_CATEGORIES);
  if (fields[k].of != OF_ROWS)
    return narrow_lanes (m, want, fields[k].of == OF_KINDS);
  return ((fields[k].what != DURATION && fields[k].what != SELF) || only_spans (m))
         && add_condition (m, fields[k].what, term, want);
}

static bool
make_alternative (struct make *m, const struct np_filter *f, uint32_t i)
{
  for (uint32_t k = i ? f->ends[i - 1] : 0; k < f->ends[i]; k++) {
    struct np_want want = np_filter_want (f, &f->parts[k]);
    if (!apply (m, &f->terms[f->parts[k].term], &want))
      return false;
  }
  return lanes_of (m, false);
}

/* -- All --------------------------------------------------------------------------------------- */

static void
free_alternative (struct np_alternative *a)
{
  for (uint32_t k = 0; k < a->n; k++)
    free_condition (a->conditions[k]);
  free (a->conditions);
  free (a->labels);
  free (a->lanes);
}

void
nprof_search_free (struct nprof_search *search)
{
  if (!search)
    return;
  for (uint32_t k = 0; k < search->n; k++)
    free_alternative (&search->all[k]);
  np_filter_clear (&search->filter);
  free (search->all);
  free (search->labels);
  free (search->lanes);
  free (search);
}

/* Joins labels and lanes of all alternatives, by which blocks of rows are chosen. */
static bool
join_alternatives (struct nprof_search *search)
{
  struct nprof_store *s = search->query->store;
  uint64_t lanes = nprof_store_n (s, NPROF_STORE_S_LANES),
           words = nprof_store_n (s, NPROF_STORE_S_LABELS) / 64 + 1;
  bool any = false; /* of them has no labels: rows of all labels may fit */
  for (uint32_t k = 0; k < search->n; k++)
    any |= !search->all[k].labels;
  search->lanes = calloc (lanes + 1, 1);
  search->labels = any ? NULL : calloc (words, sizeof (uint64_t));
  if (!search->lanes || (!any && !search->labels))
    return np_query_no_memory (search->query, "the question");
  for (uint32_t k = 0; k < search->n; k++) {
    for (uint64_t i = 0; i < lanes; i++)
      search->lanes[i] |= search->all[k].lanes[i];
    for (uint64_t i = 0; !any && i < words; i++)
      search->labels[i] |= search->all[k].labels[i];
  }
  return true;
}

static bool
make_all (struct nprof_search *search, uint32_t *at)
{
  const struct np_filter *f = &search->filter;
  search->all = calloc (f->n, sizeof *search->all);
  if (!search->all)
    return np_query_no_memory (search->query, "the question");
  for (search->n = 0; search->n < f->n;) {
    struct make m = { search->query, &search->all[search->n], 0 };
    bool ok = make_alternative (&m, f, search->n++);
    *at = m.at;
    if (!ok)
      return false;
  }
  return join_alternatives (search);
}

struct nprof_search *
nprof_search_new (struct nprof_query *query, const char *text, uint32_t *at)
{
  struct nprof_search *search = calloc (1, sizeof *search);
  char expected[160];
  *query->error = 0;
  if (!search) {
    np_query_no_memory (query, "the question");
    return NULL;
  }
  search->query = query;
  bool ok = np_filter_parse (text, NP_FILTER_WORDS, &search->filter, expected, at);
  if (!ok)
    np_query_fail (query, "the search is wrong at character %u: expected %s", *at + 1, expected);
  if (ok && make_all (search, at))
    return search;
  nprof_search_free (search);
  return NULL;
}
