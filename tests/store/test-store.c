/* SPDX-License-Identifier: Apache-2.0 */
/* test-store.c - every question to a store beside a scan of all rows that were given to it. */
#include "make-store.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <nprof/sweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { /* a row as the store has it */
  struct nprof_event e;
  const Given *given;
  gint64 end;
  gint parent; /* ordinal, by nprof/sweep.h; -1: none */
  gint64 child;
  gint64 from;  /* from here to its end no sibling before it runs */
  gint64 until; /* of its children so far                         */
} Row;

typedef struct {
  Made *made;
  struct nprof_store *store;
  struct nprof_query query;
  Row *rows; /* by ordinal */
  guint n;
  GRand *rand;
  gdouble wanted[2]; /* of test_search_doubles */
} World;

static const guint32 seeds[] = { 1, 2, 3, 4, 5, 6 };

/* -- What is right: containment by the one sweep ---------------------------------- */

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent, uint32_t depth)
{
  World *w = user;
  (void) depth;
  Row *r = w->rows + span->tag;
  r->parent = parent ? (gint) parent->tag : -1;
  r->child = span->children;
  return NPROF_OK;
}

static int
by_track_order (gconstpointer a, gconstpointer b)
{
  const Row *x = *(Row *const *) a, *y = *(Row *const *) b;
  if (x->e.start != y->e.start)
    return x->e.start < y->e.start ? -1 : 1;
  if (x->e.duration != y->e.duration)
    return x->e.duration > y->e.duration ? -1 : 1;
  return (x->e.ordinal > y->e.ordinal) - (x->e.ordinal < y->e.ordinal);
}

static void
sweep_track (World *w, guint track)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  struct nprof_sweep sweep = { .closed = closed, .user = w };
  for (guint i = 0; i < w->n; i++)
    if (w->rows[i].e.kind == NPROF_SPAN && w->rows[i].e.track == track
        && w->rows[i].e.duration >= 0)
      g_ptr_array_add (rows, w->rows + i);
  g_ptr_array_sort (rows, by_track_order);
  for (guint i = 0; i < rows->len; i++) {
    const Row *r = rows->pdata[i];
    g_assert_cmpint (nprof_sweep_span (&sweep, r->e.start, r->e.duration, r->e.ordinal), ==,
                     NPROF_OK);
  }
  while (sweep.n)
    g_assert_cmpint (nprof_sweep_pop (&sweep), ==, NPROF_OK);
  nprof_sweep_clear (&sweep);
  for (guint i = 0; i < rows->len; i++) {
    Row *r = rows->pdata[i], *up = r->parent >= 0 ? w->rows + r->parent : NULL;
    if (!up)
      continue;
    r->from = MAX (r->from, up->until);
    up->until = MAX (up->until, r->end);
  }
}

/* -- All rows ---------------------------------------------------------------------- */

static int
take (void *user, const struct nprof_event *e)
{
  World *w = user;
  Row *r = w->rows + w->n;
  g_assert_cmpuint (e->ordinal, ==, w->n);
  r->e = *e;
  r->given = &g_array_index (w->made->rows, Given, w->n++);
  r->end = e->start + MAX (e->duration, 0);
  r->parent = -1;
  r->from = r->until = e->start;
  return 0;
}

static World *
world_new (guint32 seed, guint rows)
{
  char error[600];
  World *w = g_new0 (World, 1);
  w->made = make_store (seed, rows);
  w->rand = g_rand_new_with_seed (seed);
  w->store = nprof_store_open (w->made->path, error, sizeof error);
  if (!w->store)
    g_error ("%s", error);
  g_assert_true (nprof_query_init (&w->query, w->store));
  w->rows = g_new0 (Row, rows + 1);
  g_assert_true (nprof_store_each (&w->query, 0, 0, take, w));
  g_assert_cmpuint (w->n, ==, rows);
  for (guint t = 0; t < w->made->n_tracks; t++)
    if (w->made->nests[t])
      sweep_track (w, t);
  return w;
}

static void
world_free (World *w)
{
  nprof_query_clear (&w->query);
  nprof_store_close (w->store);
  made_free (w->made);
  g_rand_free (w->rand);
  g_free (w->rows);
  g_free (w);
}

static void
check_fields (World *w, const Row *r)
{
  const struct nprof_store_field *fields;
  guint32 n;
  guint own = 0;
  g_assert_true (nprof_store_fields (&w->query, &r->e, TRUE, &fields, &n));
  for (guint i = 0; i < n; i++) {
    if (fields[i].shared)
      continue;
    guint64 want = r->given->attrs[own++];
    if (fields[i].type == NPROF_STRING)
      g_assert_cmpuint (fields[i].v.s, ==, (guint32) want);
    else if (fields[i].type != NPROF_JSON)
      g_assert_cmpuint (fields[i].v.u, ==, want);
    else
      g_assert_true (fields[i].len > 10 && *fields[i].v.text == '{');
  }
  g_assert_cmpuint (own, ==, r->given->n_attrs);
  g_assert_cmpuint (n - own, ==, r->given->row.set ? 2 : 0);
}

static void
test_rows (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 30000);
  for (guint i = 0; i < w->n; i++) {
    const Row *r = w->rows + i;
    const struct store_row *g = &r->given->row;
    g_assert_cmpuint (r->e.kind, ==, g->kind);
    g_assert_cmpuint (r->e.track, ==, r->given->track);
    g_assert_cmpint (r->e.start, ==, g->start);
    g_assert_cmpint (r->e.duration, ==, g->duration);
    g_assert_cmpuint (r->e.label, ==, g->label);
    g_assert_cmpuint (r->e.id, ==, g->id);
    g_assert_cmpuint (r->e.parent, ==, g->parent);
    g_assert_cmpuint (r->e.flow, ==, g->flow);
    g_assert_true (r->e.has_value == g->has_value && r->e.value == g->value);
    if (r->e.kind == NPROF_SPAN && r->e.duration >= 0)
      g_assert_cmpint (r->e.child, ==, r->child);
    check_fields (w, r);
  }
  world_free (w);
}

static const Row *
row_of (World *w, struct nprof_row row)
{
  struct nprof_event e;
  if (!nprof_store_event (&w->query, row, &e))
    g_error ("%s", w->query.error);
  return w->rows + e.ordinal;
}

static void
test_nesting (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 12000);
  g_autofree guint *children = g_new0 (guint, w->n);
  for (guint i = 0; i < w->n; i++)
    if (w->rows[i].parent >= 0)
      children[w->rows[i].parent]++;
  for (guint i = 0; i < w->n; i += 3) {
    const Row *r = w->rows + i;
    const struct nprof_row *rows;
    guint32 n;
    guint64 total;
    if (r->e.type != NPROF_STORE_LANE_SPAN)
      continue;
    struct nprof_event e = r->e;
    g_assert_true (nprof_store_enclosing (&w->query, &e, &rows, &n));
    g_autofree struct nprof_row *copy = g_memdup2 (rows, n * sizeof *rows);
    gint up = r->parent;
    for (guint k = n; k-- > 0; up = w->rows[up].parent) {
      g_assert_cmpint (up, >=, 0);
      g_assert_true (row_of (w, copy[k]) == w->rows + up);
    }
    g_assert_cmpint (up, ==, -1);
    g_assert_true (nprof_store_children (&w->query, &e, 10, &rows, &n, &total));
    g_assert_cmpuint (total, ==, children[i]);
  }
  world_free (w);
}

/* -- Viewports ----------------------------------------------------------------------- */

static gboolean
touches (const Row *r, gint64 t0, gint64 t1)
{
  if (r->e.type == NPROF_STORE_LANE_UNCLOSED)
    return r->e.start < t1;
  return r->e.start < t1 && (r->end > t0 || (r->e.start == t0 && r->end == t0));
}

static void
check_lane (World *w, guint32 lane, gint64 t0, guint pixels, gint64 p, struct nprof_rects *rects)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (w->store, lane);
  gint64 t1 = t0 + pixels * p;
  guint64 want = 0, got = 0, touching;
  rects->n = 0;
  if (!nprof_store_viewport (&w->query, lane, t0, pixels, p, rects))
    g_error ("%s", w->query.error);
  for (guint i = 0; i < w->n; i++) {
    const Row *r = w->rows + i;
    if (r->e.row.lane != lane || l->type == NPROF_STORE_LANE_FACT || !touches (r, t0, t1))
      continue;
    want++;
    if (l->type == NPROF_STORE_LANE_COUNTER)
      continue;
    /* the row lies under a rectangle; one longer than a pixel has its own */
    double from = (double) MAX (r->e.start - t0, 0) * 16 / (double) p,
           to = (double) MIN (r->end - t0, t1 - t0) * 16 / (double) p;
    gboolean found = FALSE;
    for (guint k = 0; k < rects->n && !found; k++)
      found = rects->x0[k] <= from + 1 && rects->x1[k] + 1 >= to
              && (r->end - r->e.start <= p || l->type == NPROF_STORE_LANE_UNCLOSED
                  || l->type == NPROF_STORE_LANE_GAP
                  || (rects->count[k] == 1 && rects->row[k] == r->e.row.row));
    g_assert_true (found);
  }
  for (guint k = 0; k < rects->n; k++) {
    got += rects->count[k];
    g_assert_cmpuint (rects->x0[k], <=, rects->x1[k]);
    g_assert_cmpuint (rects->x1[k], <=, pixels * 16);
    g_assert_cmpuint (rects->row[k], <, l->rows);
    if (l->type == NPROF_STORE_LANE_SPAN && k) /* no rectangle reaches into rows of the next */
      g_assert_cmpuint (rects->x1[k - 1], <=, rects->x0[k] + 1);
  }
  g_assert_cmpuint (got, ==, want);
  if (l->type == NPROF_STORE_LANE_SPAN)
    g_assert_cmpuint (rects->n, <=, 2 * pixels + 2);
  g_assert_true (nprof_store_touching (&w->query, lane, t0, t1, &touching));
  g_assert_cmpuint (touching, ==, want);
}

static gint64
random_time (World *w)
{
  const struct nprof_store_meta *m = nprof_store_meta (w->store);
  double f = g_rand_double (w->rand) * 1.2 - 0.1;
  return m->first + (gint64) (f * (double) (m->last - m->first));
}

static void
test_viewport (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 15000);
  struct nprof_rects rects = { 0 };
  guint32 lanes = (guint32) nprof_store_n (w->store, NPROF_STORE_S_LANES);
  for (guint i = 0; i < 170; i++) {
    gint64 p = (gint64) 1 << g_rand_int_range (w->rand, 0, 24);
    gint64 t0
        = i % 5 ? random_time (w) : w->rows[g_rand_int_range (w->rand, 0, (gint) w->n)].e.start;
    check_lane (w, (guint32) g_rand_int_range (w->rand, 0, (gint) lanes), t0,
                1 + (guint) g_rand_int_range (w->rand, 0, 2047), i % 3 ? p : p + 7, &rects);
  }
  const struct nprof_store_meta *m = nprof_store_meta (w->store);
  for (guint32 lane = 0; lane < lanes; lane++) {
    struct nprof_rects over;
    rects.n = 0;
    g_assert_true (nprof_store_viewport (&w->query, lane, m->over_t0, 2048, m->over_p, &rects));
    g_assert_true (nprof_store_over (&w->query, lane, &over));
    g_assert_cmpuint (over.n, ==, rects.n);
    if (over.n)
      g_assert_cmpint (memcmp (over.count, rects.count, over.n * 4)
                           | memcmp (over.x0, rects.x0, over.n * 4)
                           | memcmp (over.fill, rects.fill, over.n),
                       ==, 0);
  }
  nprof_rects_clear (&rects);
  world_free (w);
}

/* The value that holds at a pixel's end is that of the last row before it; values that joined are
 * no longer drawn than they changed, and a pixel more. */
static void
test_counters (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 15000);
  struct nprof_rects rects = { 0 };
  for (guint32 lane = 0; lane < nprof_store_n (w->store, NPROF_STORE_S_LANES); lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (w->store, lane);
    for (guint i = 0; i < 10 && l->type == NPROF_STORE_LANE_COUNTER; i++) {
      gint64 p = (gint64) 1 << g_rand_int_range (w->rand, 6, 20), t0 = random_time (w);
      rects.n = 0;
      g_assert_true (nprof_store_viewport (&w->query, lane, t0, 500, p, &rects));
      for (guint k = 0; k < rects.n; k++) {
        const Row *last = row_of (w, (struct nprof_row){ lane, rects.row[k] });
        float low, high;
        memcpy (&low, &rects.low[k], 4);
        memcpy (&high, &rects.high[k], 4);
        g_assert_true (low <= last->e.value && last->e.value <= high);
        g_assert_true (low == high || rects.x1[k] - rects.x0[k] <= 3 * 16);
        g_assert_cmpuint (rects.x1[k], ==, k + 1 < rects.n ? rects.x0[k + 1] : 500 * 16);
      }
    }
  }
  nprof_rects_clear (&rects);
  world_free (w);
}

/* -- Sums ------------------------------------------------------------------------------ */

static gint64
inside (const Row *r, gint64 t0, gint64 t1)
{
  gint64 from = MAX (r->e.start, t0), to = MIN (r->end, t1);
  return to > from ? to - from : 0;
}

static guint32
key_of (World *w, const Row *r, guint32 by)
{
  const struct nprof_store_label *label = nprof_store_label_at (w->store, r->e.label);
  return by == NPROF_BY_LABEL      ? r->e.label
         : by == NPROF_BY_NAME     ? label->name
         : by == NPROF_BY_CATEGORY ? label->category
                                   : r->e.track;
}

static GHashTable *
sum_by_scan (World *w, const guint32 *tracks, guint n_tracks, gint64 t0, gint64 t1, guint32 by)
{
  GHashTable *sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = 0; i < w->n; i++) {
    const Row *r = w->rows + i;
    gboolean wanted = !n_tracks, open = r->e.duration < 0;
    for (guint k = 0; k < n_tracks; k++)
      wanted |= tracks[k] == r->e.track;
    if (!wanted || r->e.kind != NPROF_SPAN || r->e.start > t1 || (!open && r->end < t0))
      continue;
    gpointer key = GUINT_TO_POINTER (key_of (w, r, by) + 1);
    struct nprof_total *t = g_hash_table_lookup (sums, key);
    if (!t)
      g_hash_table_insert (sums, key, t = g_new0 (struct nprof_total, 1));
    t->count++;
    t->unclosed += open;
    t->whole += open ? 0 : r->e.duration;
    t->inside += open ? 0 : inside (r, t0, t1);
    t->self_inside += open ? 0 : inside (r, t0, t1);
  }
  for (guint i = 0; i < w->n; i++) { /* when any child runs is not its parent's own */
    const Row *r = w->rows + i, *up = r->parent >= 0 ? w->rows + r->parent : NULL;
    struct nprof_total *t
        = up ? g_hash_table_lookup (sums, GUINT_TO_POINTER (key_of (w, up, by) + 1)) : NULL;
    gboolean wanted = !n_tracks;
    for (guint k = 0; k < n_tracks; k++)
      wanted |= tracks[k] == r->e.track;
    if (t && wanted && up->e.start <= t1 && up->end >= t0)
      t->self_inside -= MAX (MIN (r->end, t1) - MAX (r->from, t0), 0);
  }
  return sums;
}

static void
test_summary (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 20000);
  for (guint i = 0; i < 170; i++) {
    gint64 a = i % 7 ? random_time (w) : w->rows[g_rand_int_range (w->rand, 0, (gint) w->n)].end,
           b = random_time (w);
    gint64 t0 = MIN (a, b), t1 = MAX (a, b);
    guint32 tracks[] = { (guint32) (i % 6), (guint32) ((i + 1) % 6) }, n, by = i % 4;
    guint n_tracks = i % 3;
    const struct nprof_total *totals;
    if (i % 11 == 0) {
      t0 = INT64_MIN;
      t1 = INT64_MAX;
    }
    if (!nprof_store_summary (&w->query, tracks, n_tracks, t0, t1, by, i % 2 ? 0 : UINT32_MAX,
                              &totals, &n))
      g_error ("%s", w->query.error);
    g_autoptr (GHashTable) want = sum_by_scan (w, tracks, n_tracks, t0, t1, by);
    g_assert_cmpuint (n, ==, g_hash_table_size (want));
    for (guint k = 0; k < n; k++) {
      const struct nprof_total *t
          = g_hash_table_lookup (want, GUINT_TO_POINTER (totals[k].key + 1));
      g_assert_nonnull (t);
      g_assert_cmpuint (totals[k].count, ==, t->count);
      g_assert_cmpuint (totals[k].unclosed, ==, t->unclosed);
      g_assert_cmpint (totals[k].whole, ==, t->whole);
      g_assert_cmpint (totals[k].inside, ==, t->inside);
      g_assert_cmpint (totals[k].self_inside, ==, t->self_inside);
      g_assert_true (!k || totals[k - 1].inside >= totals[k].inside);
    }
  }
  world_free (w);
}

static int
by_int64 (const void *a, const void *b)
{
  const gint64 *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* Lanes that end where a node of some level does have all of their rows in their sums. */
static void
test_summary_of_lane (void)
{
  static const guint rows[]
      = { 1, 64, 65, 512, 513, 3584, 3585, 4095, 4096, 4097, 8192, 32768, 32769, 262144 };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    char error[600];
    Made *made = make_lane (rows[i]);
    struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
    struct nprof_query q;
    const struct nprof_total *totals;
    guint32 n;
    gint64 count = 0, whole = 0;
    if (!store)
      g_error ("%s", error);
    g_assert_true (nprof_query_init (&q, store));
    if (!nprof_store_summary (&q, NULL, 0, INT64_MIN, INT64_MAX, NPROF_BY_NAME, 0, &totals, &n))
      g_error ("%u rows: %s", rows[i], q.error);
    for (guint k = 0; k < n; k++) {
      count += totals[k].count;
      whole += totals[k].whole;
    }
    g_assert_cmpint (count, ==, rows[i]);
    g_assert_cmpint (whole, ==, 5 * rows[i]);
    nprof_query_clear (&q);
    nprof_store_close (store);
    made_free (made);
  }
}

static void
test_durations (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 12000);
  for (guint i = 0; i < 40; i++) {
    const Row *r = w->rows + g_rand_int_range (w->rand, 0, (gint) w->n);
    gint64 a = random_time (w), b = random_time (w), t0 = MIN (a, b), t1 = MAX (a, b);
    const gint64 *values;
    guint64 n, below, count;
    g_autoptr (GArray) want = g_array_new (FALSE, FALSE, sizeof (gint64));
    guint64 shorter = 0, same_name = 0;
    for (guint k = 0; k < w->n; k++) {
      const Row *x = w->rows + k;
      if (x->e.kind != NPROF_SPAN || x->e.duration < 0)
        continue;
      if (x->e.label == r->e.label && x->e.start <= t1 && x->end >= t0)
        g_array_append_val (want, x->e.duration);
      gboolean same = key_of (w, x, NPROF_BY_NAME) == key_of (w, r, NPROF_BY_NAME);
      same_name += same;
      shorter += same && x->e.duration < r->e.duration;
    }
    if (want->len)
      qsort (want->data, want->len, sizeof (gint64), by_int64);
    g_assert_true (nprof_store_durations (&w->query, &r->e.label, 1, NULL, 0, t0, t1, &values, &n));
    g_assert_cmpuint (n, ==, want->len);
    g_assert_true (!n || memcmp (values, want->data, n * sizeof (gint64)) == 0);
    if (r->e.type != NPROF_STORE_LANE_SPAN)
      continue;
    g_assert_true (nprof_store_rank (&w->query, &r->e, &below, &count));
    g_assert_cmpuint (count, ==, same_name);
    g_assert_cmpuint (below, ==, shorter);
  }
  world_free (w);
}

/* -- Search ------------------------------------------------------------------------------ */

static const struct nprof_store_field *
field (World *w, const Row *r, const char *key)
{
  const struct nprof_store_field *f;
  guint32 n;
  size_t len;
  g_assert_true (nprof_store_fields (&w->query, &r->e, FALSE, &f, &n));
  for (guint i = n; i-- > 0;)
    if (strcmp (nprof_store_string (w->store, f[i].key, &len), key) == 0)
      return f + i;
  return NULL;
}

static const char *
name_of (World *w, const Row *r, gboolean category)
{
  const struct nprof_store_label *label = nprof_store_label_at (w->store, r->e.label);
  size_t len;
  return nprof_store_string (w->store, category ? label->category : label->name, &len);
}

static gboolean
by_name (World *w, const Row *r)
{
  return strstr (name_of (w, r, FALSE), "op1") != NULL;
}

static gboolean
by_category (World *w, const Row *r)
{
  return r->e.kind == NPROF_SPAN && strcmp (name_of (w, r, TRUE), "value1") == 0
         && r->e.duration > 1000;
}

static gboolean
by_int (World *w, const Row *r)
{
  const struct nprof_store_field *f = field (w, r, "key0");
  return f && f->v.i > 500;
}

static gboolean
by_string (World *w, const Row *r)
{
  const struct nprof_store_field *f = field (w, r, "key1");
  size_t len;
  return f && strcmp (nprof_store_string (w->store, f->v.s, &len), "value3") == 0;
}

static gboolean
by_shared (World *w, const Row *r)
{
  const struct nprof_store_field *f = field (w, r, "value1");
  size_t len;
  return f && strcmp (nprof_store_string (w->store, f->v.s, &len), "Text of Value 2") == 0;
}

static gboolean
by_json (World *w, const Row *r)
{
  const struct nprof_store_field *f = field (w, r, "key3");
  return f && memmem (f->v.text, f->len, "\"c\":\"x3\"", 8) != NULL;
}

static gboolean
by_denied (World *w, const Row *r)
{
  return r->e.kind == NPROF_COUNTER && strcmp (name_of (w, r, FALSE), "op1_gemm") != 0;
}

static gboolean
by_self (World *w, const Row *r)
{
  (void) w;
  return r->e.kind == NPROF_SPAN && r->e.duration >= 0 && r->e.duration - r->child < 100;
}

static gboolean
by_either (World *w, const Row *r)
{
  return by_name (w, r) || by_int (w, r);
}

static gboolean
by_neither (World *w, const Row *r)
{
  const struct nprof_store_field *f = field (w, r, "key0");
  return !by_name (w, r) && f && f->v.i <= 500;
}

static const struct {
  const char *text;
  gboolean (*fits) (World *w, const Row *r);
} searches[] = {
  { "OP1", by_name },
  { "name~*op1*", by_name },
  { "category=value1 dur>1ns", by_category },
  { "key0>500", by_int },
  { "key1=value3", by_string },
  { "key1=nothing|value3", by_string },
  { "value1=\"Text of Value 2\"", by_shared },
  { "\"no such name\"", NULL },
  { "key3.b.c=x3", by_json },
  { "kind=counter name!=op1_gemm", by_denied },
  { "self<100ps", by_self },
  { "self<0.1", by_self }, /* ns */
  { "name~/.*OP1/", by_name },
  { "op1 or key0>500", by_either },
  { "not (op1 or key0>500)", by_neither },
  { "(op1 or key0>500) and not op1 or op1", by_either },
  { "name~op1 or name~/^.*op1.*$/", by_name },
};

/* Counts the different names of the rows that are marked. */
static guint
n_names (World *w, const guint8 *marked)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < w->n; i++)
    if (marked[i])
      g_hash_table_add (names, (gpointer) name_of (w, w->rows + i, FALSE));
  return g_hash_table_size (names);
}

static void
check_search (World *w, const char *text, gboolean (*fits) (World *w, const Row *r))
{
  guint32 at;
  struct nprof_search *search = nprof_search_new (&w->query, text, &at);
  if (!search)
    g_error ("%s: %s", text, w->query.error);
  gint64 a = random_time (w), b = random_time (w), t0 = MIN (a, b), t1 = MAX (a, b);
  g_autofree guint8 *want = g_malloc0 (w->n), *got = g_malloc0 (w->n);
  guint64 n_want = 0, n_got = 0, total, names;
  for (guint i = 0; i < w->n; i++) {
    const Row *r = w->rows + i;
    gboolean in = r->e.kind != NPROF_FACT && r->e.start <= t1
                  && (r->e.type == NPROF_STORE_LANE_UNCLOSED || r->end >= t0);
    want[i] = in && fits && fits (w, r);
    n_want += want[i];
  }
  struct nprof_row hits[97], last = { 0 };
  gboolean first = TRUE, more = TRUE;
  while (more) {
    guint32 n;
    bool left;
    if (!nprof_search_hits (&w->query, search, first ? NULL : &last, NULL, 0, t0, t1, hits,
                            G_N_ELEMENTS (hits), &n, &left))
      g_error ("%s: %s", text, w->query.error);
    for (guint k = 0; k < n; k++) {
      g_assert_true (first || hits[k].lane > last.lane
                     || (hits[k].lane == last.lane && hits[k].row > last.row));
      last = hits[k];
      first = FALSE;
      got[row_of (w, hits[k])->e.ordinal] = 1;
      n_got++;
    }
    more = left;
  }
  g_assert_cmpuint (n_got, ==, n_want);
  g_assert_cmpint (memcmp (want, got, w->n), ==, 0);
  guint32 histogram[50] = { 0 };
  guint64 drawn = 0;
  g_assert_true (
      nprof_search_count (&w->query, search, NULL, 0, t0, t1, &total, histogram, 50, &names));
  g_assert_cmpuint (names, ==, n_names (w, want));
  for (guint k = 0; k < 50; k++)
    drawn += histogram[k];
  g_assert_cmpuint (total, ==, n_want);
  g_assert_cmpuint (drawn, ==, n_want);
  guint64 whole = 0;
  for (guint i = 0; i < w->n; i++) {
    want[i] = w->rows[i].e.kind != NPROF_FACT && fits && fits (w, w->rows + i);
    whole += want[i];
  }
  g_assert_true (nprof_search_count (&w->query, search, NULL, 0, INT64_MIN, INT64_MAX, &total, NULL,
                                     0, &names));
  g_assert_cmpuint (total, ==, whole);
  g_assert_cmpuint (names, ==, n_names (w, want));
  nprof_search_free (search);
}

static void
test_search (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 8000);
  for (guint round = g_getenv ("NPROF_TEST_ALL") ? 17 : 3; round; round--)
    for (guint i = 0; i < G_N_ELEMENTS (searches); i++)
      check_search (w, searches[i].text, searches[i].fits);
  world_free (w);
}

static gboolean
by_rare_name (World *w, const Row *r)
{
  return strcmp (name_of (w, r, FALSE), "op0_gemm") == 0
         || strcmp (name_of (w, r, FALSE), "op3_gemm") == 0;
}

/* Lanes of many blocks, of which only those that have the name are read. */
static void
test_search_blocks (void)
{
  World *w = world_new (7, 60000);
  check_search (w, "op1", by_name);
  check_search (w, "name=op0_gemm|op3_gemm", by_rare_name);
  world_free (w);
}

static gboolean
by_double (World *w, const Row *r)
{
  const struct nprof_store_field *f = field (w, r, "key2");
  return f && (f->v.f == w->wanted[0] || f->v.f == w->wanted[1]);
}

/* Alternatives of doubles are numbers, too. */
static void
test_search_doubles (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 3000);
  guint n = 0;
  for (guint i = 0; i < w->n && n < 2; i++) {
    const struct nprof_store_field *f = field (w, w->rows + i, "key2");
    if (f)
      w->wanted[n++] = f->v.f;
  }
  g_assert_cmpuint (n, ==, 2);
  g_autofree char *text = g_strdup_printf ("key2=%.17g|%.17g", w->wanted[0], w->wanted[1]);
  check_search (w, text, by_double);
  world_free (w);
}

static void
test_search_step (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 8000);
  guint32 at;
  struct nprof_search *search = nprof_search_new (&w->query, "key0>900", &at);
  g_assert_nonnull (search);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (struct nprof_row));
  g_array_set_size (all, 8000);
  guint32 n;
  bool more, found, fits;
  struct nprof_row hit;
  g_assert_true (nprof_search_hits (&w->query, search, NULL, NULL, 0, INT64_MIN, INT64_MAX,
                                    (void *) all->data, 8000, &n, &more));
  g_assert_true (n > 5 && !more);
  for (guint i = 0; i < n; i++) {
    struct nprof_row here = g_array_index (all, struct nprof_row, i);
    g_assert_true (nprof_search_step (&w->query, search, here, false, &hit, &found));
    g_assert_true (found == (i + 1 < n));
    if (found)
      g_assert_cmpint (memcmp (&hit, &g_array_index (all, struct nprof_row, i + 1), sizeof hit), ==,
                       0);
    g_assert_true (nprof_search_step (&w->query, search, here, true, &hit, &found));
    g_assert_true (found == (i > 0));
    if (found)
      g_assert_cmpint (memcmp (&hit, &g_array_index (all, struct nprof_row, i - 1), sizeof hit), ==,
                       0);
    g_assert_true (nprof_search_fits (&w->query, search, here, &fits) && fits);
  }
  nprof_search_free (search);
  world_free (w);
}

static void
test_search_errors (void)
{
  static const struct {
    const char *text;
    guint32 at;
  } wrong[] = {
    { "dur>", 4 },   { "a dur>soon", 6 }, { "name=\"open", 5 },
    { "name>3", 5 }, { "value>many", 6 }, { "dur>0.5ps", 4 }, /* finer than a ps */
  };
  World *w = world_new (1, 1000);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    guint32 at = 0;
    g_assert_null (nprof_search_new (&w->query, wrong[i].text, &at));
    g_assert_cmpuint (at, ==, wrong[i].at);
    g_assert_cmpstr (w->query.error, !=, "");
  }
  world_free (w);
}

/* -- Neighbours ------------------------------------------------------------------------------ */

static int
by_start_lane (gconstpointer a, gconstpointer b)
{
  const Row *x = *(Row *const *) a, *y = *(Row *const *) b;
  if (x->e.start != y->e.start)
    return x->e.start < y->e.start ? -1 : 1;
  if (x->e.row.lane != y->e.row.lane)
    return x->e.row.lane < y->e.row.lane ? -1 : 1;
  return (x->e.row.row > y->e.row.row) - (x->e.row.row < y->e.row.row);
}

static void
test_steps (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 6000);
  for (guint track = 0; track < w->made->n_tracks; track++) {
    g_autoptr (GPtrArray) rows = g_ptr_array_new ();
    for (guint i = 0; i < w->n; i++)
      if (w->rows[i].e.track == track && w->rows[i].e.kind != NPROF_FACT)
        g_ptr_array_add (rows, w->rows + i);
    g_ptr_array_sort (rows, by_start_lane);
    for (guint i = 0; i < rows->len; i += 7) {
      const Row *r = rows->pdata[i];
      struct nprof_row row;
      bool found;
      g_assert_true (nprof_store_step (&w->query, r->e.row, false, &row, &found));
      g_assert_true (found == (i + 1 < rows->len));
      g_assert_true (!found || row_of (w, row) == rows->pdata[i + 1]);
      g_assert_true (nprof_store_step (&w->query, r->e.row, true, &row, &found));
      g_assert_true (found == (i > 0));
      g_assert_true (!found || row_of (w, row) == rows->pdata[i - 1]);
    }
  }
  world_free (w);
}

/* Returns whether the row is the other one, or lies somewhere below it. */
static gboolean
is_below (World *w, const Row *r, const Row *other)
{
  while (r != other && r->parent >= 0)
    r = w->rows + r->parent;
  return r == other;
}

static void
test_overlaps (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 6000);
  for (guint i = 0; i < w->n; i += 37) {
    const Row *r = w->rows + i;
    const struct nprof_overlap *overlaps;
    guint32 n;
    guint64 total, want = 0;
    gint64 most = 0, sum, all = 0;
    if (r->e.type != NPROF_STORE_LANE_SPAN)
      continue;
    for (guint k = 0; k < w->n; k++) {
      const Row *x = w->rows + k;
      gint64 both = inside (x, r->e.start, r->end);
      gboolean meets = x->e.type == NPROF_STORE_LANE_SPAN && both > 0
                       && !(x->e.track == r->e.track && (is_below (w, x, r) || is_below (w, r, x)));
      want += meets;
      all += meets ? both : 0;
      most = meets && both > most ? both : most;
    }
    g_assert_true (
        nprof_store_overlaps (&w->query, &r->e, NULL, 0, 5, &overlaps, &n, &total, &sum));
    g_assert_cmpuint (total, ==, want);
    g_assert_cmpint (sum, ==, all);
    g_assert_cmpuint (n, ==, MIN (want, 5));
    g_assert_true (!n || overlaps[0].overlap == most);
  }
  world_free (w);
}

/* Ids and parents link all rows that name it, and the one that it names. */
static void
test_links (gconstpointer seed)
{
  World *w = world_new (GPOINTER_TO_UINT (seed), 4000);
  guint seen = 0;
  for (guint i = 0; i < w->n; i++) {
    const Row *r = w->rows + i;
    const struct nprof_row *rows;
    guint32 n;
    guint want = 0, flows = 0;
    for (guint k = 0; k < w->n; k++) {
      want += r->e.id && w->rows[k].e.parent == r->e.id;
      flows += r->e.flow && w->rows[k].e.flow == r->e.flow;
    }
    g_assert_true (nprof_store_linked (&w->query, NPROF_LINK_PARENT, 0, r->e.id, 1000, &rows, &n));
    g_assert_cmpuint (n, ==, want);
    g_assert_true (nprof_store_linked (&w->query, NPROF_LINK_FLOW, 0, r->e.flow, 1000, &rows, &n));
    g_assert_cmpuint (n, ==, flows > 1 ? flows : 0);
    if (i % 9)
      continue;
    const struct nprof_link *links;
    guint64 totals[2], few[2];
    guint32 n_few;
    if (!nprof_store_links (&w->query, &r->e, 1, &links, &n_few, few)
        || !nprof_store_links (&w->query, &r->e, 1000, &links, &n, totals))
      g_error ("%s", w->query.error);
    g_assert_cmpuint (totals[0] + totals[1], ==, n);
    g_assert_true (few[0] == totals[0] && few[1] == totals[1]);
    g_assert_cmpuint (n_few, ==, MIN (totals[0], 1) + MIN (totals[1], 1));
    seen += n;
    guint below = 0, above = 0;
    for (guint32 k = 0; k < n; k++) {
      if (links[k].family != NPROF_LINK_PARENT)
        continue;
      g_autofree struct nprof_link *link = g_memdup2 (links + k, sizeof *link);
      const Row *x = row_of (w, link->row);
      g_assert_true (link->depends ? x->e.id == r->e.parent : x->e.parent == r->e.id);
      below += !link->depends;
      above += link->depends;
    }
    guint want_below = 0, want_above = 0;
    for (guint k = 0; k < w->n; k++) {
      want_below
          += k != i && r->e.id && w->rows[k].e.parent == r->e.id && w->rows[k].e.kind != NPROF_FLOW;
      want_above += k != i && r->e.parent && w->rows[k].e.id == r->e.parent;
    }
    g_assert_cmpuint (below, ==, want_below);
    g_assert_cmpuint (above, ==, want_above);
  }
  g_assert_cmpuint (seen, >, 20);
  world_free (w);
}

/* -- Damage ------------------------------------------------------------------------------------ */

static void
ask_everything (const char *path)
{
  char error[600];
  struct nprof_store *store = nprof_store_open (path, error, sizeof error);
  struct nprof_query q;
  struct nprof_rects rects = { 0 };
  const struct nprof_total *totals;
  guint32 n;
  if (!store) {
    g_assert_cmpstr (error, !=, "");
    return;
  }
  g_assert_true (nprof_query_init (&q, store));
  for (guint32 lane = 0; lane < nprof_store_n (store, NPROF_STORE_S_LANES); lane++) {
    nprof_store_viewport (&q, lane, -100000, 2000, 5000, &rects);
    struct nprof_event e;
    const struct nprof_store_field *fields;
    if (nprof_store_event (&q, (struct nprof_row){ lane, 0 }, &e))
      nprof_store_fields (&q, &e, TRUE, &fields, &n);
  }
  nprof_store_summary (&q, NULL, 0, -1000, 90000000, NPROF_BY_NAME, 0, &totals, &n);
  nprof_rects_clear (&rects);
  nprof_query_clear (&q);
  nprof_store_close (store);
}

/* A flipped byte is found by whoever meets it, or does not matter; a cut file is found at once. */
static void
test_damage (void)
{
  static const char *const files[] = NPROF_STORE_FILE_NAMES;
  Made *made = make_store (9, 5000);
  GRand *rand = g_rand_new_with_seed (1);
  guint found = 0;
  for (guint i = 0; i < 200; i++) {
    g_autofree char *path
        = g_build_filename (made->path, i % 14 == 13 ? "meta" : files[i % 13], NULL);
    g_autofree char *bytes = NULL;
    gsize len;
    g_assert_true (g_file_get_contents (path, &bytes, &len, NULL));
    if (!len)
      continue;
    g_autofree char *kept = g_memdup2 (bytes, len);
    bytes[g_rand_int_range (rand, 0, (gint) len)] ^= (char) (1 << g_rand_int_range (rand, 0, 8));
    g_assert_true (g_file_set_contents (path, bytes, (gssize) (i % 5 ? len : len - 1), NULL));
    char error[600];
    struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
    found += !store;
    nprof_store_close (store);
    ask_everything (made->path);
    g_assert_true (g_file_set_contents (path, kept, (gssize) len, NULL));
  }
  g_assert_cmpuint (found, >, 30);
  ask_everything (made->path);
  g_rand_free (rand);
  made_free (made);
}

/* -- Hostile claims ------------------------------------------------------------------ */

typedef struct { /* `index` of a store, to be changed */
  const struct nprof_store_meta *meta;
  char *data;
} Index;

static void *
section (const Index *index, guint number)
{
  return index->data + index->meta->section[number].at;
}

static guint64
count (const Index *index, guint number)
{
  return index->meta->section[number].n;
}

/* Makes a store, changes its `index` and mends the checksums. */
static Made *
make_changed (void (*change) (const Index *))
{
  static const char *const names[] = { "index", "sums", "meta" };
  Made *made = make_store (9, 5000);
  char *paths[3], *files[3];
  gsize len[3];
  for (guint i = 0; i < 3; i++) {
    paths[i] = g_build_filename (made->path, names[i], NULL);
    g_assert_true (g_file_get_contents (paths[i], &files[i], &len[i], NULL));
  }
  struct nprof_store_meta *meta = (struct nprof_store_meta *) files[2];
  change (&(Index){ meta, files[0] });
  for (gsize at = 0; at < len[0]; at += NPROF_STORE_PAGE) /* it is the first file of `sums` */
    ((guint32 *) files[1])[at / NPROF_STORE_PAGE]
        = (guint32) nprof_store_hash (files[0] + at, MIN (len[0] - at, NPROF_STORE_PAGE));
  meta->sums_hash = nprof_store_hash (files[1], len[1]);
  meta->hash = 0;
  meta->hash = nprof_store_hash (meta, sizeof *meta);
  for (guint i = 0; i < 3; i++) {
    g_assert_true (g_file_set_contents (paths[i], files[i], (gssize) len[i], NULL));
    g_free (paths[i]);
    g_free (files[i]);
  }
  return made;
}

static void
claim_lanes_beyond (const Index *index)
{
  ((struct nprof_store_track *) section (index, NPROF_STORE_S_TRACKS))->n_lanes = 4000000000u;
}

static void
claim_all_lanes (const Index *index)
{
  struct nprof_store_track *tracks = section (index, NPROF_STORE_S_TRACKS);
  for (guint64 i = 0; i < count (index, NPROF_STORE_S_TRACKS); i++) {
    tracks[i].lane = 0;
    tracks[i].n_lanes = (guint32) count (index, NPROF_STORE_S_LANES);
  }
}

static void
claim_rows_without_columns (const Index *index)
{
  struct nprof_store_table *table = section (index, NPROF_STORE_S_TABLES);
  table->n_columns = 0;
  table->rows = 1ull << 60;
}

static void
claim_columns_beyond (const Index *index)
{
  ((struct nprof_store_table *) section (index, NPROF_STORE_S_TABLES))->n_columns = UINT32_MAX;
}

static void
claim_rows_beyond (const Index *index)
{
  ((struct nprof_store_table *) section (index, NPROF_STORE_S_TABLES))->rows = 1ull << 60;
}

static void
claim_blocks_beyond (const Index *index)
{
  struct nprof_store_table *tables = section (index, NPROF_STORE_S_TABLES);
  tables[1].blocks = 2;
}

static void
claim_rows_of_another (const Index *index)
{
  struct nprof_store_table *tables = section (index, NPROF_STORE_S_TABLES);
  tables[1].blocks = tables[0].blocks;
}

static void
test_claims (void)
{
  static const struct {
    void (*change) (const Index *);
    const char *what;
  } claims[] = { { claim_lanes_beyond, "track 0 claims lanes" },
                 { claim_all_lanes, "track 1 claims lanes" },
                 { claim_rows_without_columns, "table 0 claims rows" },
                 { claim_columns_beyond, "table 0 claims columns" },
                 { claim_rows_beyond, "table 0 claims rows" },
                 { claim_blocks_beyond, "table 1 claims rows" } };
  for (guint i = 0; i < G_N_ELEMENTS (claims); i++) {
    char error[600];
    Made *made = make_changed (claims[i].change);
    g_assert_null (nprof_store_open (made->path, error, sizeof error));
    g_assert_nonnull (strstr (error, claims[i].what));
    made_free (made);
  }
}

/* Returns two of its lanes of spans. */
static void
two_lanes (const Index *index, struct nprof_store_lane *two[2])
{
  struct nprof_store_lane *lanes = section (index, NPROF_STORE_S_LANES);
  guint found = 0;
  for (guint64 i = 0; i < count (index, NPROF_STORE_S_LANES) && found < 2; i++)
    if (lanes[i].type == NPROF_STORE_LANE_SPAN)
      two[found++] = lanes + i;
  g_assert_cmpuint (found, ==, 2);
}

static void
share_blocks (const Index *index)
{
  struct nprof_store_lane *two[2];
  two_lanes (index, two);
  two[1]->serial = two[0]->serial;
  two[1]->rows = two[0]->rows;
  two[1]->root = two[0]->root;
  two[1]->below = two[0]->below;
  two[1]->only = two[0]->only;
}

static void
share_lists (const Index *index)
{
  struct nprof_store_lane *lanes = section (index, NPROF_STORE_S_LANES);
  const struct nprof_store_list *lists = section (index, NPROF_STORE_S_LISTS);
  guint64 i = 0;
  while (i < count (index, NPROF_STORE_S_LISTS) && lists[i].at == NPROF_STORE_NONE)
    i++;
  g_assert_cmpuint (i, <, count (index, NPROF_STORE_S_LISTS));
  for (guint64 k = 0; k < count (index, NPROF_STORE_S_LANES); k++)
    lanes[k].list = (guint32) i;
}

/* What belongs to one lane is not read for another. */
static void
test_shared_lanes (void)
{
  void (*const changes[]) (const Index *) = { share_blocks, share_lists };
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    Made *made = make_changed (changes[i]);
    struct nprof_query q;
    const struct nprof_total *totals;
    guint32 n;
    char error[600];
    struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
    g_assert_true (store && nprof_query_init (&q, store));
    g_assert_false (nprof_store_summary (&q, NULL, 0, -1000, 1ll << 60, NPROF_BY_NAME, UINT32_MAX,
                                         &totals, &n));
    g_assert_nonnull (strstr (q.error, "damaged"));
    nprof_query_clear (&q);
    nprof_store_close (store);
    made_free (made);
  }
}

/* Of two tables that say the same blocks are theirs the block tells whose it is. */
static void
test_rows_of_another (void)
{
  Made *made = make_changed (claim_rows_of_another);
  struct nprof_query q;
  struct nprof_store_cell cell;
  char error[600];
  struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
  g_assert_true (store && nprof_query_init (&q, store));
  g_assert_true (nprof_store_cell (&q, nprof_store_table_at (store, 0), 3, 1, &cell));
  g_assert_cmpuint (cell.value, ==, 31);
  g_assert_false (nprof_store_cell (&q, nprof_store_table_at (store, 1), 3, 1, &cell));
  g_assert_cmpuint (cell.type, ==, NPROF_NULL);
  g_assert_nonnull (strstr (q.error, "belongs elsewhere"));
  nprof_query_clear (&q);
  nprof_store_close (store);
  made_free (made);
}

typedef struct {
  const char *path;
  char *kept, *next; /* folders: what it is made of, and where                 */
  gint done;         /* whether it was replaced as often as the test wants     */
} Replaced;

/* Gives the folder `to` the files of `from`. */
static void
link_all (const char *from, const char *to)
{
  g_autoptr (GDir) dir = g_dir_open (from, 0, NULL);
  g_assert_cmpint (g_mkdir (to, 0700), ==, 0);
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *old = g_build_filename (from, name, NULL),
                    *made = g_build_filename (to, name, NULL);
    if (!g_file_test (old, G_FILE_TEST_IS_DIR))
      g_assert_cmpint (link (old, made), ==, 0);
  }
}

static void
unlink_all (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_assert_cmpint (g_unlink (path), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static gpointer
replace_often (gpointer user)
{
  Replaced *r = user;
  for (guint i = 0; i < 500; i++) {
    link_all (r->kept, r->next);
    g_assert_cmpint (renameat2 (AT_FDCWD, r->next, AT_FDCWD, r->path, RENAME_EXCHANGE), ==, 0);
    unlink_all (r->next);
  }
  g_atomic_int_set (&r->done, 1);
  return NULL;
}

/* Whoever opens a profile while it is replaced has the old one or the new one. */
static void
test_replaced (void)
{
  Made *made = make_store (3, 50);
  g_autofree char *kept = g_build_filename (made->root, "kept", NULL),
                  *next = g_build_filename (made->root, "next", NULL);
  Replaced r = { made->path, kept, next, 0 };
  g_autofree char *inputs = g_build_filename (made->path, "inputs", NULL);
  g_rmdir (inputs);
  link_all (made->path, kept);
  GThread *thread = g_thread_new ("replaces", replace_often, &r);
  while (!g_atomic_int_get (&r.done)) {
    char error[600];
    struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
    g_assert_cmpstr (store ? "" : error, ==, "");
    nprof_store_close (store);
  }
  g_thread_join (thread);
  made_free (made);
}

static void
test_flipped_block (void)
{
  Made *made = make_store (9, 5000);
  g_autofree char *path = g_build_filename (made->path, "rows", NULL);
  g_autofree char *bytes = NULL;
  gsize len;
  char error[600];
  guint failed = 0, fine = 0;
  g_assert_true (g_file_get_contents (path, &bytes, &len, NULL));
  bytes[100] ^= 1;
  g_assert_true (g_file_set_contents (path, bytes, (gssize) len, NULL));
  struct nprof_store *store = nprof_store_open (made->path, error, sizeof error);
  struct nprof_query q;
  g_assert_nonnull (store);
  g_assert_true (nprof_query_init (&q, store));
  for (guint32 lane = 0; lane < nprof_store_n (store, NPROF_STORE_S_LANES); lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (store, lane);
    for (guint32 b = 0; b * NPROF_STORE_ROWS < l->rows; b++)
      if (nprof_store_rows (&q, lane, b))
        fine++;
      else {
        failed++;
        g_assert_nonnull (strstr (q.error, "rows: byte 0"));
      }
  }
  g_assert_cmpuint (failed, ==, 1);
  g_assert_cmpuint (fine, >, 8);
  nprof_query_clear (&q);
  nprof_store_close (store);
  made_free (made);
}

static void
test_hash (void)
{
  g_assert_cmphex (nprof_store_hash ("", 0), ==, 0xef46db3751d8e999);
  g_assert_cmphex (nprof_store_hash ("abc", 3), ==, 0x44bc2cf5ad770999);
  g_assert_cmphex (nprof_store_hash ("Nobody inspects the spammish repetition", 39), ==,
                   0xfbcea83c8a378bf1);
}

static void
test_find (void)
{
  Made *made = make_store (0xabcdef, 100);
  char path[4096];
  g_autofree char *other = g_strdup_printf ("%s/n_%040x", made->root, 0xabcdee);
  g_autofree char *name = g_path_get_basename (made->path);
  g_assert_cmpint (nprof_store_find (made->root, name, path, sizeof path), ==, 1);
  g_assert_cmpstr (path, ==, made->path);
  g_assert_cmpint (nprof_store_find (made->root, "n_000000", path, sizeof path), ==, 1);
  g_assert_cmpint (nprof_store_find (made->root, "n_00000", path, sizeof path), ==, -2);
  g_assert_cmpint (nprof_store_find (made->root, "n_000001", path, sizeof path), ==, 0);
  g_assert_cmpint (nprof_store_find (made->root, "n_../etc", path, sizeof path), ==, -2);
  g_assert_cmpint (g_mkdir_with_parents (other, 0700), ==, 0);
  g_assert_cmpint (nprof_store_find (made->root, "n_000000", path, sizeof path), ==, -1);
  made_free (made);
}

static void
add (const char *name, GTestDataFunc test)
{
  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++) {
    g_autofree char *path = g_strdup_printf ("/store/%s/%u", name, seeds[i]);
    g_test_add_data_func (path, GUINT_TO_POINTER (seeds[i]), test);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/hash", test_hash);
  g_test_add_func ("/store/find", test_find);
  add ("rows", test_rows);
  add ("nesting", test_nesting);
  add ("viewport", test_viewport);
  add ("counters", test_counters);
  add ("summary", test_summary);
  g_test_add_func ("/store/summary-of-lane", test_summary_of_lane);
  add ("durations", test_durations);
  add ("search", test_search);
  g_test_add_func ("/store/search-blocks", test_search_blocks);
  add ("search-doubles", test_search_doubles);
  add ("search-step", test_search_step);
  g_test_add_func ("/store/search-errors", test_search_errors);
  add ("steps", test_steps);
  add ("overlaps", test_overlaps);
  add ("links", test_links);
  g_test_add_func ("/store/damage", test_damage);
  g_test_add_func ("/store/claims", test_claims);
  g_test_add_func ("/store/shared-lanes", test_shared_lanes);
  g_test_add_func ("/store/rows-of-another", test_rows_of_another);
  g_test_add_func ("/store/replaced", test_replaced);
  g_test_add_func ("/store/flipped-block", test_flipped_block);
  return g_test_run ();
}
