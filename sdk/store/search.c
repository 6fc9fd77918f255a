/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - turns the text of a search into conditions; names and categories become a bitmap of
 * labels, tracks and kinds one of lanes, and hunts for the rows that fit; search-row.c looks at one row. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

/* -- The text --------------------------------------------------------------------------------- */

struct parse {
  struct nprof_query *query;
  struct nprof_search *search;
  const char *text;
  uint32_t at;
};

static bool
fail_search (struct parse *p, uint32_t at, const char *what)
{
  p->at = at;
  return np_query_fail (p->query, "the search is wrong at character %u: %s", at + 1, what);
}

/* Takes a value, perhaps in quotes; freed by the caller. */
static char *
take_value (struct parse *p, uint32_t *at)
{
  const char *t = p->text + *at;
  bool quoted = *t == '"';
  char *value = malloc (strlen (t) + 1), *to = value;
  if (!value) {
    np_query_fail (p->query, "no memory");
    return NULL;
  }
  for (t += quoted; *t && (quoted ? *t != '"' : *t != ' ' && *t != '\t'); t++) {
    if (quoted && *t == '\\' && (t[1] == '"' || t[1] == '\\'))
      t++;
    *to++ = *t;
  }
  *to = 0;
  if (quoted && *t != '"') {
    free (value);
    fail_search (p, *at, "expected a closing \"");
    return NULL;
  }
  *at = (uint32_t) (t + quoted - p->text);
  return value;
}

static bool
take_op (const char *t, struct np_want *want, size_t *len)
{
  static const struct { const char *text; enum np_op op; bool deny; } ops[]
      = { { "!=", NP_EQUAL, true }, { "!~", NP_LIKE, true },      { ">=", NP_MORE_EQUAL, false }, { "<=", NP_LESS_EQUAL, false },
          { "=", NP_EQUAL, false }, { "~", NP_LIKE, false }, { ">", NP_MORE, false },        { "<", NP_LESS, false } };
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (!strncmp (t, ops[k].text, strlen (ops[k].text))) {
      want->op = ops[k].op;
      want->deny = ops[k].deny;
      *len = strlen (ops[k].text);
      return true;
    }
  return false;
}

static bool
set_text (struct np_want *want, char *text)
{
  char *end;
  want->text = text;
  want->number = strtod (text, &end);
  want->is_number = end > text && !*end;
  return true;
}

/* -- Labels and lanes --------------------------------------------------------------------------- */

static bool
narrow_labels (struct parse *p, const struct np_want *want, bool category)
{
  struct nprof_store *s = p->query->store;
  uint64_t n = nprof_store_n (s, NPROF_STORE_S_LABELS);
  bool fresh = !p->search->labels;
  if (fresh)
    p->search->labels = calloc (n / 64 + 1, sizeof (uint64_t));
  if (!p->search->labels)
    return np_query_fail (p->query, "no memory");
  for (uint64_t k = 0; k < n; k++) {
    const struct nprof_store_label *label = nprof_store_label_at (s, (uint32_t) k);
    size_t len;
    if (!label)
      return np_query_fail (p->query, "label %llu is damaged", (unsigned long long) k);
    const char *text = nprof_store_string (s, category ? label->category : label->name, &len);
    uint64_t bit = 1ull << (k % 64);
    if (np_match_text (want, text, len) == want->deny)
      p->search->labels[k / 64] &= ~bit;
    else if (fresh)
      p->search->labels[k / 64] |= bit;
  }
  return true;
}

static const char *
kind_name (const struct nprof_store_lane *lane)
{
  static const char *const names[] = { "span", "span", "instant", "counter", "flow", "gap", "fact" };
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
lanes_of (struct nprof_search *search, bool facts)
{
  struct nprof_store *s = search->query->store;
  uint32_t n = (uint32_t) nprof_store_n (s, NPROF_STORE_S_LANES);
  if (search->lanes)
    return true;
  search->lanes = calloc (n + 1, 1);
  for (uint32_t k = 0; search->lanes && k < n; k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (s, k);
    search->lanes[k] = lane && (facts || lane->type != NPROF_STORE_LANE_FACT);
  }
  return search->lanes || np_query_fail (search->query, "no memory");
}

static bool
narrow_lanes (struct parse *p, const struct np_want *want, bool kind)
{
  struct nprof_store *s = p->query->store;
  p->search->narrowed = true;
  if (!lanes_of (p->search, kind))
    return false;
  for (uint32_t k = 0; k < nprof_store_n (s, NPROF_STORE_S_LANES); k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (s, k);
    size_t len = 0;
    if (!lane)
      return np_query_fail (p->query, "lane %u is damaged", k);
    const char *text = kind ? kind_name (lane) : track_name (s, lane->track, &len);
    if (np_match_text (want, text, kind ? strlen (text) : len) == want->deny)
      p->search->lanes[k] = 0;
  }
  return true;
}

/* -- Conditions of rows ---------------------------------------------------------------------------- */

static void
free_condition (struct np_condition *c)
{
  free (c->want.text);
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
prepare_attr (struct parse *p, struct np_condition *c, const char *field, size_t len)
{
  struct nprof_store *s = p->query->store;
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
    return np_query_fail (p->query, "no memory");
  for (uint32_t k = 0; k < n_keys; k++) {
    const struct nprof_store_key *key = nprof_store_key_at (s, k);
    c->keys[k] = key && key->key == c->key;
  }
  return true;
}

static bool
add_condition (struct parse *p, uint32_t what, struct np_want *want, const char *field, size_t len, uint32_t at)
{
  struct nprof_search *search = p->search;
  struct np_condition *c = calloc (1, sizeof *c);
  struct np_condition **all = c ? realloc (search->conditions, (search->n + 1) * sizeof *all) : NULL;
  if (!all) {
    free (c);
    return np_query_fail (p->query, "no memory");
  }
  search->conditions = all;
  search->conditions[search->n++] = c;
  c->what = what;
  c->want = *want;
  want->text = NULL; /* the condition's now */
  if (what == ATTR)
    return prepare_attr (p, c, field, len);
  if (what == VALUE)
    return c->want.is_number || fail_search (p, at, "expected a number");
  return np_match_time (c->want.text, &c->time)
         || fail_search (p, at, "expected a time such as 1ms, 2.5us or 100ns");
}

/* Only spans have durations, as for --where of the commands. */
static bool
only_spans (struct parse *p)
{
  p->search->narrowed = true;
  if (!lanes_of (p->search, false))
    return false;
  for (uint32_t k = 0; k < nprof_store_n (p->search->query->store, NPROF_STORE_S_LANES); k++) {
    const struct nprof_store_lane *lane = nprof_store_lane_at (p->search->query->store, k);
    p->search->lanes[k] &= lane && lane->type == NPROF_STORE_LANE_SPAN;
  }
  return true;
}

static bool
is_field (const char *field, size_t len, const char *name)
{
  return strlen (name) == len && !memcmp (field, name, len);
}

static bool
apply (struct parse *p, const char *field, size_t len, struct np_want *want, uint32_t at)
{
  static const char *const rows[] = { [DURATION] = "dur", [START] = "start", [SELF] = "self", [VALUE] = "value" };
  bool text = want->op <= NP_LIKE;
  if (is_field (field, len, "name") || is_field (field, len, "category"))
    return text ? narrow_labels (p, want, *field == 'c') : fail_search (p, at, "expected = or ~");
  if (is_field (field, len, "track") || is_field (field, len, "kind"))
    return text ? narrow_lanes (p, want, *field == 'k') : fail_search (p, at, "expected = or ~");
  for (uint32_t k = DURATION; k <= VALUE; k++)
    if (is_field (field, len, rows[k]))
      return ((k != DURATION && k != SELF) || only_spans (p)) && add_condition (p, k, want, field, len, at);
  return add_condition (p, ATTR, want, field, len, at);
}

static bool
parse_term (struct parse *p, uint32_t *at)
{
  const char *t = p->text + *at;
  struct np_want want = { .op = NP_LIKE };
  size_t field = *t == '"' ? 0 : strcspn (t, " \t\"=~<>!"), op = 0;
  bool has_op = field && take_op (t + field, &want, &op);
  uint32_t from = *at + (has_op ? (uint32_t) (field + op) : 0), value_at = from;
  if (has_op && (!p->text[from] || strchr (" \t", p->text[from])))
    return fail_search (p, from, "expected a value");
  char *value = take_value (p, &from);
  if (!value)
    return false;
  *at = from;
  set_text (&want, value);
  bool ok = has_op ? apply (p, t, field, &want, value_at) : narrow_labels (p, &want, false);
  free (want.text);
  return ok;
}

void
nprof_search_free (struct nprof_search *search)
{
  if (!search)
    return;
  for (uint32_t k = 0; k < search->n; k++)
    free_condition (search->conditions[k]);
  free (search->conditions);
  free (search->labels);
  free (search->lanes);
  free (search);
}

struct nprof_search *
nprof_search_new (struct nprof_query *query, const char *text, uint32_t *at)
{
  struct parse p = { query, calloc (1, sizeof *p.search), text, 0 };
  bool ok = p.search != NULL;
  *query->error = 0;
  if (ok)
    p.search->query = query;
  for (uint32_t i = 0; ok;) {
    i += (uint32_t) strspn (text + i, " \t");
    if (!text[i])
      break;
    ok = parse_term (&p, &i);
  }
  ok = ok && lanes_of (p.search, false);
  *at = p.at;
  if (ok)
    return p.search;
  nprof_search_free (p.search);
  return NULL;
}

/* -- Hits ------------------------------------------------------------------------------------------------ */

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
};

static bool
in_time (const struct hunt *h, const struct np_place *p, uint32_t i, uint32_t type)
{
  int64_t start = np_value (p, NPROF_STORE_C_START, i), duration = np_value (p, NPROF_STORE_C_DURATION, i);
  if (type == NPROF_STORE_LANE_FACT)
    return true;
  return start <= h->t1 && (type == NPROF_STORE_LANE_UNCLOSED || start + (duration > 0 ? duration : 0) >= h->t0);
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
    if (!np_fits_label (h->search, labels, np_value (p, NPROF_STORE_C_LABEL, i)) || (h->after && !behind (h->after, c->number, first + i))
        || !in_time (h, p, i, c->lane->type) || !np_fits_row (h->query, h->search, p, i))
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
lanes_within (struct nprof_query *query, const struct nprof_search *search, const uint32_t *tracks, uint32_t n_tracks)
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
    for (uint64_t i = 0; t && i < t->n_lanes && t->lane + i < n; i++)
      lanes[t->lane + i] = search->lanes[t->lane + i];
  }
  return lanes;
}

bool
nprof_search_hits (struct nprof_query *query, const struct nprof_search *search, const struct nprof_row *after,
                   const uint32_t *tracks, uint32_t n_tracks, int64_t t0, int64_t t1, struct nprof_row *hits,
                   uint32_t max, uint32_t *n, bool *more)
{
  struct hunt h = { .query = query, .search = search, .t0 = t0, .t1 = t1, .after = after, .hits = hits, .max = max };
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
    if (!np_fits_label (h->search, labels, np_value (p, NPROF_STORE_C_LABEL, i)) || !in_time (h, p, i, c->lane->type)
        || !np_fits_row (h->query, h->search, p, i))
      continue;
    h->total++;
    if (!h->histogram)
      continue;
    int64_t start = np_value (p, NPROF_STORE_C_START, i);
    double at = start <= h->t0 ? 0 : (double) (start - h->t0) / ((double) (h->t1 - h->t0) + 1) * h->pixels;
    h->histogram[at < h->pixels ? (uint32_t) at : h->pixels - 1]++;
  }
  return *h->query->error ? -1 : 0;
}

/* The store has the numbers for labels alone; those of facts, which are few, are subtracted. */
static bool
count_labels (struct nprof_query *query, const struct nprof_search *search, uint64_t *n)
{
  uint32_t labels = (uint32_t) nprof_store_n (query->store, NPROF_STORE_S_LABELS);
  uint64_t n_lanes = nprof_store_n (query->store, NPROF_STORE_S_LANES);
  uint8_t *facts = np_query_memory (query, NP_MEM_LABELS, n_lanes, 1);
  struct hunt h = { .query = query, .search = search };
  struct np_scan scan = { .labels = search->labels, .lanes = facts, .fn = count_block, .user = &h };
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
    const struct nprof_store_label *label = search->labels[k / 64] >> (k % 64) & 1 ? nprof_store_label_at (query->store, k) : NULL;
    *n += label ? label->count : 0;
  }
  *n -= h.total;
  return true;
}

static bool
is_of_labels (const struct nprof_query *query, const struct nprof_search *search, uint32_t n_tracks, int64_t t0, int64_t t1,
              uint32_t pixels)
{
  const struct nprof_store_meta *meta = nprof_store_meta (query->store);
  return search->labels && !search->narrowed && !search->n && !n_tracks && !pixels && t0 <= meta->first && t1 >= meta->last;
}

bool
nprof_search_count (struct nprof_query *query, const struct nprof_search *search, const uint32_t *tracks,
                    uint32_t n_tracks, int64_t t0, int64_t t1, uint64_t *n, uint32_t *histogram, uint32_t pixels)
{
  if (is_of_labels (query, search, n_tracks, t0, t1, pixels)) {
    *query->error = 0;
    return count_labels (query, search, n);
  }
  struct hunt h = { .query = query, .search = search, .t0 = t0, .t1 = t1, .histogram = pixels ? histogram : NULL, .pixels = pixels };
  const uint8_t *lanes = lanes_within (query, search, tracks, n_tracks);
  struct np_scan scan = { .labels = search->labels, .lanes = lanes, .fn = count_block, .user = &h };
  *query->error = 0;
  bool ok = lanes && np_scan (query, &scan) && !*query->error;
  *n = h.total;
  return ok;
}

static int
last_in_block (void *user, struct np_cursor *c, const struct np_place *p, uint32_t first)
{
  struct hunt *h = user;
  for (uint32_t i = p->block->n; i-- > 0;) {
    struct nprof_row row = { c->number, first + i };
    if (!behind (&row, h->before->lane, h->before->row) || !np_fits_row (h->query, h->search, p, i))
      continue;
    h->hits[0] = row;
    h->n = 1;
    return 1;
  }
  return *h->query->error ? -1 : 0;
}

bool
nprof_search_step (struct nprof_query *query, const struct nprof_search *search, struct nprof_row from, bool backwards,
                   struct nprof_row *hit, bool *found)
{
  struct hunt h = { .query = query, .search = search, .before = &from, .hits = hit };
  struct np_scan scan = { .labels = search->labels, .lanes = search->lanes, .from = from, .backwards = true,
                          .fn = last_in_block, .user = &h };
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
nprof_search_fits (struct nprof_query *query, const struct nprof_search *search, struct nprof_row row, bool *fits)
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
  *fits = search->lanes[row.lane] && np_fits_row (query, search, p, row.row % NPROF_STORE_ROWS);
  return !*query->error;
}
