/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - turns the text of a search into conditions; names and categories become a bitmap of
 * labels, tracks and kinds one of lanes.  search-hits.c finds the rows that fit. */
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

/* Takes one alternative, perhaps in quotes, in which a bar is a character as any other.  Returns
 * the end of its copy at `to`; NULL: the quotes do not end. */
static char *
take_alternative (struct parse *p, uint32_t *at, char *to)
{
  const char *t = p->text + *at;
  bool quoted = *t == '"';
  for (t += quoted; *t && !strchr (quoted ? "\"" : " \t|", *t); t++) {
    if (quoted && *t == '\\' && (t[1] == '"' || t[1] == '\\'))
      t++;
    *to++ = *t;
  }
  *to++ = 0;
  if (quoted && *t != '"')
    return fail_search (p, *at, "expected a closing \""), NULL;
  *at = (uint32_t) (t + quoted - p->text);
  return to;
}

/* Takes the alternatives of a value; want->text is freed by the caller. */
static bool
take_value (struct parse *p, uint32_t *at, struct np_want *want)
{
  char *value = malloc (strlen (p->text + *at) + 2), *end, *next;
  if (!value)
    return np_query_no_memory (p->query, "the question");
  want->text = value;
  want->is_number = true;
  for (bool more = true; more; value = next) {
    next = take_alternative (p, at, value);
    if (!next)
      return false;
    double number = np_number_read (value, &end);
    want->is_number &= end > value && !*end;
    if (!want->n++) {
      want->number = number;
      want->is_decimal = np_decimal_read (value, strlen (value), &want->decimal);
    }
    more = p->text[*at] == '|';
    *at += more;
  }
  return true;
}

static bool
take_op (const char *t, struct np_want *want, size_t *len)
{
  static const struct {
    const char *text;
    enum np_op op;
    bool deny;
  } ops[]
      = { { "!=", NP_EQUAL, true },       { "!~", NP_LIKE, true },  { ">=", NP_MORE_EQUAL, false },
          { "<=", NP_LESS_EQUAL, false }, { "=", NP_EQUAL, false }, { "~", NP_LIKE, false },
          { ">", NP_MORE, false },        { "<", NP_LESS, false } };
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (!strncmp (t, ops[k].text, strlen (ops[k].text))) {
      want->op = ops[k].op;
      want->deny = ops[k].deny;
      *len = strlen (ops[k].text);
      return true;
    }
  return false;
}

/* -- Labels and lanes -------------------------------------------------------------------------- */

static bool
narrow_labels (struct parse *p, const struct np_want *want, bool category)
{
  struct nprof_store *s = p->query->store;
  uint64_t n = nprof_store_n (s, NPROF_STORE_S_LABELS);
  bool fresh = !p->search->labels;
  if (fresh)
    p->search->labels = calloc (n / 64 + 1, sizeof (uint64_t));
  if (!p->search->labels)
    return np_query_no_memory (p->query, "the question");
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
  return search->lanes || np_query_no_memory (search->query, "the question");
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

/* -- Conditions of rows ------------------------------------------------------------------------ */

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
    return np_query_no_memory (p->query, "the question");
  for (uint32_t k = 0; k < n_keys; k++) {
    const struct nprof_store_key *key = nprof_store_key_at (s, k);
    c->keys[k] = key && key->key == c->key;
  }
  return true;
}

static bool
add_condition (struct parse *p, uint32_t what, struct np_want *want, const char *field, size_t len,
               uint32_t at)
{
  struct nprof_search *search = p->search;
  struct np_condition *c = calloc (1, sizeof *c);
  struct np_condition **all
      = c ? realloc (search->conditions, (search->n + 1) * sizeof *all) : NULL;
  if (!all) {
    free (c);
    return np_query_no_memory (p->query, "the question");
  }
  search->conditions = all;
  search->conditions[search->n++] = c;
  c->what = what;
  c->want = *want;
  want->text = NULL; /* the condition's now */
  bool sized = c->want.op > NP_LIKE, number = what == ATTR ? sized : what == VALUE;
  if (sized && c->want.n > 1)
    return fail_search (p, at, "expected one value, for it is compared by size");
  if (number && !c->want.is_number)
    return fail_search (p, at, "expected a number");
  if (what == ATTR)
    return prepare_attr (p, c, field, len);
  if (what == VALUE)
    return true;
  return (c->want.n == 1 && np_match_time (c->want.text, &c->time))
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
  static const char *const rows[]
      = { [DURATION] = "dur", [START] = "start", [SELF] = "self", [VALUE] = "value" };
  bool text = want->op <= NP_LIKE;
  if (is_field (field, len, "name") || is_field (field, len, "category"))
    return text ? narrow_labels (p, want, *field == 'c') : fail_search (p, at, "expected = or ~");
  if (is_field (field, len, "track") || is_field (field, len, "kind"))
    return text ? narrow_lanes (p, want, *field == 'k') : fail_search (p, at, "expected = or ~");
  for (uint32_t k = DURATION; k <= VALUE; k++)
    if (is_field (field, len, rows[k]))
      return ((k != DURATION && k != SELF) || only_spans (p))
             && add_condition (p, k, want, field, len, at);
  return add_condition (p, ATTR, want, field, len, at);
}

/* Finds the operator behind a field: right behind it, or with blanks on both sides. Returns where
 * the value begins; 0: there is no operator. */
static size_t
find_op (const char *t, size_t field, struct np_want *want)
{
  size_t blanks = strspn (t + field, " \t"), op = 0;
  if (!field || !take_op (t + field + blanks, want, &op))
    return 0;
  size_t end = field + blanks + op, after = strspn (t + end, " \t");
  return blanks && !after ? 0 : end + after;
}

static bool
parse_term (struct parse *p, uint32_t *at)
{
  const char *t = p->text + *at;
  struct np_want want = { .op = NP_LIKE };
  size_t field = *t == '"' ? 0 : strcspn (t, " \t\"=~<>!"), value = find_op (t, field, &want);
  bool has_op = value > 0;
  uint32_t from = *at + (uint32_t) value, value_at = from;
  if (!has_op)
    want = (struct np_want){ .op = NP_LIKE };
  if (has_op && !p->text[from])
    return fail_search (p, from, "expected a value");
  bool ok = take_value (p, &from, &want);
  *at = from;
  if (ok)
    ok = has_op ? apply (p, t, field, &want, value_at) : narrow_labels (p, &want, false);
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
