/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - one row with all that belongs to it; rows in the order in which they were delivered. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* -- A row ------------------------------------------------------------------------------ */

static uint32_t
kind_of (uint32_t type)
{
  static const uint8_t kinds[]
      = { NPROF_SPAN, NPROF_SPAN, NPROF_INSTANT, NPROF_COUNTER, NPROF_FLOW, NPROF_GAP, NPROF_FACT };
  return kinds[type];
}

/* Refuses times whose end no int64 holds, so that nobody else has to look. */
static bool
fill_event (const struct np_cursor *c, const struct np_place *p, uint32_t i, uint32_t track,
            uint32_t input, struct nprof_event *e)
{
  int64_t bits = np_value (p, NPROF_STORE_C_VALUE, i), end;
  *e = (struct nprof_event){
    .row = { c->number, p->block->first + i },
    .track = track,
    .input = input,
    .kind = kind_of (c->lane->type),
    .type = c->lane->type,
    .depth = c->lane->depth,
    .label = (uint32_t) np_value (p, NPROF_STORE_C_LABEL, i),
    .up = (uint32_t) np_value (p, NPROF_STORE_C_UP, i),
    .set = (uint32_t) np_value (p, NPROF_STORE_C_SET, i),
    .shape = (uint32_t) np_value (p, NPROF_STORE_C_SHAPE, i),
    .start = np_value (p, NPROF_STORE_C_START, i),
    .duration = np_value (p, NPROF_STORE_C_DURATION, i),
    .child = np_value (p, NPROF_STORE_C_CHILD, i),
    .ordinal = (uint64_t) np_value (p, NPROF_STORE_C_ORDINAL, i),
    .id = (uint64_t) np_value (p, NPROF_STORE_C_ID, i),
    .parent = (uint64_t) np_value (p, NPROF_STORE_C_PARENT, i),
    .flow = (uint64_t) np_value (p, NPROF_STORE_C_FLOW, i),
    .has_value = np_value (p, NPROF_STORE_C_HAS_VALUE, i) != 0,
  };
  memcpy (&e->value, &bits, sizeof e->value);
  return e->duration < 0 || !__builtin_add_overflow (e->start, e->duration, &end)
         || np_query_fail (c->query, "lane %u: row %u ends beyond all limits: the store is damaged",
                           c->number, e->row.row);
}

static bool
track_of (struct np_cursor *c, uint32_t *track, uint32_t *input)
{
  *track = nprof_store_track_of (c->query->store, c->lane->track);
  const struct nprof_store_track *t = nprof_store_track_at (c->query->store, *track);
  if (!t)
    return np_query_fail (c->query,
                          "lane %u: its track %u is not in the index: the store is damaged",
                          c->number, c->lane->track);
  *input = t->input;
  return true;
}

bool
nprof_store_event (struct nprof_query *query, struct nprof_row row, struct nprof_event *event)
{
  struct np_cursor c;
  uint32_t track, input;
  *query->error = 0;
  if (!np_cursor_init (&c, query, row.lane))
    return false;
  if (row.row >= c.lane->rows)
    return np_query_fail (query, "lane %u has no row %u: it ends with row %u", row.lane, row.row,
                          c.lane->rows - 1);
  const struct np_place *p = np_cursor_block (&c, 0, row.row / NPROF_STORE_ROWS);
  if (!p || !track_of (&c, &track, &input))
    return false;
  return fill_event (&c, p, row.row % NPROF_STORE_ROWS, track, input, event);
}

/* -- Attributes -------------------------------------------------------------------------- */

const char *
nprof_store_text (struct nprof_query *query, uint64_t at, uint32_t *len)
{
  struct nprof_store *s = query->store;
  *len = 0;
  if (!np_store_pages (s, NPROF_STORE_F_TEXT, at, sizeof *len)) {
    np_query_damaged (query, NPROF_STORE_F_TEXT, at, "the text is damaged");
    return NULL;
  }
  const char *p = (const char *) s->file[NPROF_STORE_F_TEXT].p + at;
  memcpy (len, p, sizeof *len);
  if (np_store_pages (s, NPROF_STORE_F_TEXT, at + sizeof *len, *len))
    return p + sizeof *len;
  np_query_damaged (query, NPROF_STORE_F_TEXT, at, "the text is damaged");
  *len = 0;
  return NULL;
}

bool
nprof_store_set (struct nprof_query *query, uint32_t set, const struct nprof_store_value **values,
                 uint32_t *n)
{
  const struct nprof_store_span *span
      = np_store_elements (query->store, NPROF_STORE_S_SETS, set, 1);
  *n = span ? span->n : 0;
  *values = span ? np_store_elements (query->store, NPROF_STORE_S_SET_VALUES, span->from, span->n)
                 : NULL;
  return *values || np_query_fail (query, "there is no shared set %u: the store is damaged", set);
}

bool
nprof_store_shape (struct nprof_query *query, uint32_t shape, const uint16_t **keys, uint32_t *n)
{
  const struct nprof_store_span *span
      = np_store_elements (query->store, NPROF_STORE_S_SHAPES, shape, 1);
  *n = span ? span->n : 0;
  *keys = span ? np_store_elements (query->store, NPROF_STORE_S_SHAPE_KEYS, span->from, span->n)
               : NULL;
  return *keys
         || np_query_fail (query, "there is no list of attributes %u: the store is damaged", shape);
}

static bool
set_field (struct nprof_query *query, struct nprof_store_field *f, uint32_t key, uint32_t type,
           uint64_t value, bool shared)
{
  *f = (struct nprof_store_field){ .key = key, .type = type, .shared = shared };
  f->v.u = value;
  if (type == NPROF_STRING)
    f->v.s = (uint32_t) value;
  if (type != NPROF_TEXT && type != NPROF_JSON && type != NPROF_ID128)
    return true;
  f->v.text = nprof_store_text (query, value, &f->len);
  return f->v.text != NULL;
}

static bool
own_fields (struct nprof_query *query, const struct nprof_event *event,
            struct nprof_store_field *fields, uint32_t at)
{
  const uint16_t *keys;
  uint32_t n;
  if (!nprof_store_shape (query, event->shape, &keys, &n) || !n)
    return !n && !*query->error;
  const struct nprof_store_block *b
      = nprof_store_rows (query, event->row.lane, event->row.row / NPROF_STORE_ROWS);
  if (!b)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    const struct nprof_store_key *key = nprof_store_key_at (query->store, keys[i]);
    if (!key)
      return np_query_fail (query, "there is no attribute %u: the store is damaged", keys[i]);
    int64_t v = nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_ATTR + (uint32_t) keys[i]),
                                 event->row.row % NPROF_STORE_ROWS);
    if (!set_field (query, fields + at + i, key->key, key->type, (uint64_t) v, false))
      return false;
  }
  return true;
}

/* Drops shared fields whose key comes again. */
static uint32_t
drop_overridden (struct nprof_store_field *fields, uint32_t n)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool again = false;
    for (uint32_t k = i + 1; k < n && fields[i].shared && !again; k++)
      again = fields[k].key == fields[i].key;
    if (!again)
      fields[kept++] = fields[i];
  }
  return kept;
}

bool
nprof_store_fields (struct nprof_query *query, const struct nprof_event *event, bool all,
                    const struct nprof_store_field **fields, uint32_t *n)
{
  const struct nprof_store_value *values;
  const uint16_t *keys;
  uint32_t shared, own;
  *query->error = 0;
  *n = 0;
  if (!nprof_store_set (query, event->set, &values, &shared)
      || !nprof_store_shape (query, event->shape, &keys, &own))
    return false;
  struct nprof_store_field *f
      = np_query_memory (query, NP_MEM_FIELDS, (size_t) shared + own, sizeof *f);
  if (!f)
    return false;
  for (uint32_t i = 0; i < shared; i++)
    if (!set_field (query, f + i, values[i].key, values[i].type, values[i].value, true))
      return false;
  if (!own_fields (query, event, f, shared))
    return false;
  *n = all ? shared + own : drop_overridden (f, shared + own);
  *fields = f;
  return true;
}

/* -- In the order of delivery -------------------------------------------------------------- */

/* The walk goes by windows of ordinals: each lane puts its rows of the window into slots, so that
 * memory and work do not depend on the number of lanes.  A lane whose ordinals ascend goes on from
 * where it was; in others each block tells its range. */
#define WINDOW (1u << 18)

struct feed { /* a lane that takes part */
  uint32_t lane, track, rows;
  uint32_t next; /* of a lane whose ordinals ascend */
  bool ascends;
  uint64_t *range; /* else least and greatest ordinal of each block */
};

struct each {
  struct nprof_query *query;
  struct feed *feeds;
  uint32_t n;
  struct nprof_row *slots; /* lane: 1 + feed; 0: none */
  uint64_t from;
};

static uint32_t
blocks_of (const struct feed *f)
{
  return f->rows / NPROF_STORE_ROWS + (f->rows % NPROF_STORE_ROWS > 0);
}

static bool
survey (struct each *e, struct feed *f)
{
  struct np_cursor c;
  uint32_t blocks = blocks_of (f);
  uint64_t last = 0;
  f->ascends = true;
  f->range = malloc ((size_t) blocks * 2 * sizeof *f->range);
  if (!f->range || !np_cursor_init (&c, e->query, f->lane))
    return f->range || np_query_no_memory (e->query, "the order of rows");
  for (uint32_t k = 0; k < blocks; k++) {
    const struct np_place *p = np_cursor_block (&c, 0, k);
    if (!p)
      return false;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint32_t i = 0; i < p->block->n; i++) {
      uint64_t v = (uint64_t) np_value (p, NPROF_STORE_C_ORDINAL, i);
      f->ascends &= v >= last;
      last = v;
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    f->range[2 * k] = low;
    f->range[2 * k + 1] = high;
  }
  return true;
}

static void
slot (struct each *e, uint32_t feed, uint64_t ordinal, uint32_t row)
{
  e->slots[ordinal - e->from] = (struct nprof_row){ feed + 1, row };
}

static bool
fill_ascending (struct each *e, uint32_t number)
{
  struct feed *f = e->feeds + number;
  struct np_cursor c;
  uint32_t block = f->next / NPROF_STORE_ROWS;
  if (f->next >= f->rows || f->range[2 * block + 1] < e->from)
    return f->next >= f->rows || np_query_fail (e->query, "lane %u: its order is damaged", f->lane);
  if (f->range[2 * block] >= e->from + WINDOW)
    return true;
  if (!np_cursor_init (&c, e->query, f->lane))
    return false;
  for (; f->next < f->rows; f->next++) {
    const struct np_place *p = np_cursor_block (&c, 0, f->next / NPROF_STORE_ROWS);
    if (!p)
      return false;
    uint64_t v = (uint64_t) np_value (p, NPROF_STORE_C_ORDINAL, f->next % NPROF_STORE_ROWS);
    if (v >= e->from + WINDOW)
      return true;
    if (v >= e->from)
      slot (e, number, v, f->next);
  }
  return true;
}

static bool
fill_any (struct each *e, uint32_t number)
{
  const struct feed *f = e->feeds + number;
  uint32_t blocks = blocks_of (f);
  struct np_cursor c;
  if (!np_cursor_init (&c, e->query, f->lane))
    return false;
  for (uint32_t k = 0; k < blocks; k++) {
    if (f->range[2 * k] >= e->from + WINDOW || f->range[2 * k + 1] < e->from)
      continue;
    const struct np_place *p = np_cursor_block (&c, 0, k);
    if (!p)
      return false;
    for (uint32_t i = 0; i < p->block->n; i++) {
      uint64_t v = (uint64_t) np_value (p, NPROF_STORE_C_ORDINAL, i);
      if (v >= e->from && v < e->from + WINDOW)
        slot (e, number, v, p->block->first + i);
    }
  }
  return true;
}

/* Returns 1 when fn ended the walk. */
static int
give_row (struct each *e, struct np_cursor **cursors, uint32_t input,
          int (*fn) (void *user, const struct nprof_event *event), void *user)
{
  for (uint32_t i = 0; i < WINDOW; i++) {
    struct nprof_event event;
    if (!e->slots[i].lane)
      continue;
    uint32_t feed = e->slots[i].lane - 1, row = e->slots[i].row;
    struct np_cursor *c = cursors[feed];
    const struct np_place *p = np_cursor_block (c, 0, row / NPROF_STORE_ROWS);
    if (!p || !fill_event (c, p, row % NPROF_STORE_ROWS, e->feeds[feed].track, input, &event))
      return -1;
    if (fn (user, &event))
      return 1;
  }
  return 0;
}

static bool
windows (struct each *e, struct np_cursor **cursors, uint32_t input,
         int (*fn) (void *user, const struct nprof_event *event), void *user)
{
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t k = 0; k < e->n; k++)
    for (uint32_t b = 0; b < blocks_of (e->feeds + k); b++) {
      first = e->feeds[k].range[2 * b] < first ? e->feeds[k].range[2 * b] : first;
      last = e->feeds[k].range[2 * b + 1] > last ? e->feeds[k].range[2 * b + 1] : last;
    }
  if (last >= e->query->store->meta.rows && e->n)
    return np_query_fail (e->query, "the order of rows is damaged");
  for (e->from = first; e->n && e->from <= last; e->from += WINDOW) {
    memset (e->slots, 0, WINDOW * sizeof *e->slots);
    for (uint32_t k = 0; k < e->n; k++)
      if (!(e->feeds[k].ascends ? fill_ascending (e, k) : fill_any (e, k)))
        return false;
    int end = give_row (e, cursors, input, fn, user);
    if (end || np_query_stopped (e->query))
      return end > 0;
  }
  return true;
}

static bool
choose (struct each *e, uint32_t input, uint32_t origin)
{
  uint32_t n = (uint32_t) nprof_store_n (e->query->store, NPROF_STORE_S_LANES);
  uint64_t rows = 0;
  for (uint32_t lane = 0; lane < n; lane++) {
    struct np_cursor c;
    uint32_t track, of;
    if (!np_cursor_init (&c, e->query, lane) || !track_of (&c, &track, &of))
      return false;
    rows += c.lane->rows;
    if (of != input || c.lane->origin != origin)
      continue;
    e->feeds[e->n] = (struct feed){ .lane = lane, .track = track, .rows = c.lane->rows };
    if (!survey (e, e->feeds + e->n++))
      return false;
  }
  return rows == e->query->store->meta.rows
         || np_query_fail (e->query, "meta: the number of rows is damaged");
}

static bool
each_row (struct each *e, uint32_t input, uint32_t origin,
          int (*fn) (void *user, const struct nprof_event *event), void *user)
{
  if (!choose (e, input, origin))
    return false;
  struct np_cursor **cursors = calloc (e->n + 1, sizeof *cursors);
  bool ok = cursors || np_query_no_memory (e->query, "the order of rows");
  for (uint32_t k = 0; ok && k < e->n; k++) {
    cursors[k] = malloc (sizeof **cursors);
    ok = cursors[k] ? np_cursor_init (cursors[k], e->query, e->feeds[k].lane)
                    : np_query_no_memory (e->query, "the order of rows");
  }
  ok = ok && windows (e, cursors, input, fn, user);
  for (uint32_t k = 0; cursors && k < e->n; k++)
    free (cursors[k]);
  free (cursors);
  return ok;
}

bool
nprof_store_each (struct nprof_query *query, uint32_t input, uint32_t origin,
                  int (*fn) (void *user, const struct nprof_event *event), void *user)
{
  uint64_t lanes = nprof_store_n (query->store, NPROF_STORE_S_LANES);
  struct each e = { .query = query };
  *query->error = 0;
  e.feeds = calloc (lanes + 1, sizeof *e.feeds);
  e.slots = malloc (WINDOW * sizeof *e.slots);
  bool ok = e.feeds && e.slots ? each_row (&e, input, origin, fn, user)
                               : np_query_no_memory (query, "the order of rows");
  for (uint32_t k = 0; e.feeds && k < e.n; k++)
    free (e.feeds[k].range);
  free (e.feeds);
  free (e.slots);
  return ok;
}
