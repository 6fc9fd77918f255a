/* SPDX-License-Identifier: Apache-2.0 */
/* make-store.c - random profiles, through the writer alone. */
#include "make-store.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define RARE 4 /* labels that few rows have */

typedef struct {
  GRand *rand;
  struct store_writer *w;
  Made *made;
  struct store_line *lines[8];
  gint64 now[8];
  guint32 labels[24];
  guint32 set;
  guint16 keys[4];
  guint32 shapes[4];
  guint32 strings[8];
} Maker;

static guint
pick (Maker *m, guint n)
{
  return (guint) g_rand_int_range (m->rand, 0, (gint32) n);
}

/* Returns the number of a text, of which a store holds one. */
static guint32
intern (Maker *m, GHashTable *strings, const char *text)
{
  gpointer number = NULL;
  if (!g_hash_table_lookup_extended (strings, text, NULL, &number)) {
    number = GUINT_TO_POINTER (store_writer_string (m->w, text, strlen (text)));
    g_hash_table_insert (strings, g_strdup (text), number);
  }
  return GPOINTER_TO_UINT (number);
}

static void
make_names (Maker *m)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  static const guint16 types[] = { NPROF_INT64, NPROF_STRING, NPROF_DOUBLE, NPROF_JSON };
  for (guint k = 0; k < 8; k++) {
    g_autofree char *text = g_strdup_printf (k % 2 ? "value%u" : "Text of Value %u", k);
    m->strings[k] = store_writer_string (m->w, text, strlen (text));
  }
  for (guint k = 0; k < G_N_ELEMENTS (m->labels); k++) {
    g_autofree char *text = g_strdup_printf ("op%u_%s", k % 20, k % 3 ? "gemm" : "copy");
    m->labels[k]
        = store_writer_label (m->w, intern (m, names, text), k % 4 ? m->strings[k % 3] : 0);
  }
  for (guint k = 0; k < 4; k++) {
    g_autofree char *text = g_strdup_printf ("key%u", k);
    m->keys[k] = (guint16) store_writer_key (m->w, store_writer_string (m->w, text, strlen (text)),
                                             types[k], 0);
  }
  m->shapes[1] = store_writer_shape (m->w, m->keys, 2);
  m->shapes[2] = store_writer_shape (m->w, (guint16[]){ m->keys[1], m->keys[0] }, 2);
  m->shapes[3] = store_writer_shape (m->w, m->keys, 4);
  struct nprof_store_value shared[]
      = { { m->strings[0], NPROF_INT64, 7 }, { m->strings[1], NPROF_STRING, m->strings[2] } };
  m->set = store_writer_set (m->w, shared, 2);
}

static void
make_attributes (Maker *m, Given *g)
{
  guint shape = pick (m, 4);
  g->row.set = pick (m, 3) ? 0 : m->set;
  g->row.shape = m->shapes[shape];
  g->n_attrs = shape == 3 ? 4 : shape ? 2 : 0;
  for (guint k = 0; k < g->n_attrs; k++) {
    guint what = shape == 2 ? 1 - k : k;
    gdouble f = g_rand_double (m->rand);
    char json[32];
    g_snprintf (json, sizeof json, "{\"a\":%u,\"b\":{\"c\":\"x%u\"}}", pick (m, 10), pick (m, 10));
    if (what == 0)
      g->attrs[k] = pick (m, 3) ? pick (m, 1000) : 0;
    else if (what == 1)
      g->attrs[k] = m->strings[pick (m, 8)];
    else if (what == 2)
      memcpy (&g->attrs[k], &f, sizeof f);
    else
      g->attrs[k] = store_writer_text (m->w, json, (guint32) strlen (json));
  }
}

/* Track t: 0 nested, 1 partial overlaps, 2 async, 3 starts go back, 4 counters and instants, 5
 * flows, gaps, facts. */
static void
make_time (Maker *m, guint t, Given *g)
{
  gint64 gap = pick (m, 4) ? pick (m, 3000) : (gint64) pick (m, 50) * 20000;
  m->now[t] += t == 3 && !pick (m, 3) ? -(gint64) pick (m, 200000) : pick (m, 6) ? gap : 0;
  g->row.start = m->now[t];
  if (g->row.kind != NPROF_SPAN && g->row.kind != NPROF_GAP)
    return;
  g->row.duration = pick (m, 9) ? pick (m, t == 0 ? 4000 : 9000) : pick (m, 2) ? 0 : 300000;
  if (!pick (m, 12))
    g->row.duration *= 1000;
  if (g->row.kind == NPROF_SPAN && !pick (m, 400))
    g->row.duration = -1;
}

static guint32
kind_on (Maker *m, guint t)
{
  static const guint8 four[] = { NPROF_COUNTER, NPROF_COUNTER, NPROF_INSTANT };
  static const guint8 five[] = { NPROF_FLOW, NPROF_FLOW, NPROF_GAP, NPROF_FACT, NPROF_SPAN };
  return t == 4 ? four[pick (m, 3)] : t == 5 ? five[pick (m, 5)] : NPROF_SPAN;
}

/* Counters have the first labels; few rows have the last four. */
static guint
label_of (Maker *m, guint32 kind)
{
  guint often = G_N_ELEMENTS (m->labels) - RARE;
  gboolean rare = !pick (m, 300);
  return kind == NPROF_COUNTER ? pick (m, 3) : rare ? often + pick (m, RARE) : pick (m, often);
}

static void
make_row (Maker *m, guint64 ordinal)
{
  Given g = { .track = pick (m, m->made->n_tracks) };
  if (ordinal % 1000 < 800)
    g.track = ordinal / 1000 % m->made->n_tracks; /* long runs of one track */
  g.row.kind = kind_on (m, g.track);
  g.row.ordinal = ordinal;
  g.row.label = m->labels[label_of (m, g.row.kind)];
  make_time (m, g.track, &g);
  if (g.row.kind == NPROF_FACT)
    g.row.start = 0;
  g.row.id = pick (m, 2) ? ordinal + 1 : 0;
  g.row.parent = pick (m, 5) ? 0 : pick (m, (guint) ordinal + 1) + 1;
  g.row.flow = g.row.kind == NPROF_FLOW ? 1 + pick (m, 500) : pick (m, 40) ? 0 : 1 + pick (m, 500);
  g.row.has_value = g.row.kind == NPROF_COUNTER || !pick (m, 20);
  g.row.value = g.row.has_value ? (double) pick (m, 1000) / 8 - 20 : 0;
  make_attributes (m, &g);
  g_array_append_val (m->made->rows, g);
  g.row.attrs = g.attrs;
  g_assert_true (store_writer_row (m->w, m->lines[g.track], &g.row));
}

static void
finish (Maker *m)
{
  struct nprof_store_track tracks[8] = { 0 };
  struct nprof_store_input input
      = { .label = m->strings[0], .decoder = m->strings[1], .origin_unix_ns = INT64_MIN };
  guint32 zero = 0;
  for (guint t = 0; t < m->made->n_tracks; t++)
    tracks[t] = (struct nprof_store_track){ .number = t + 1,
                                            .kind = NPROF_TRACK_THREAD,
                                            .key = m->strings[t] };
  g_assert_true (store_writer_section (m->w, NPROF_STORE_S_TRACKS, tracks, m->made->n_tracks));
  g_assert_true (store_writer_section (m->w, NPROF_STORE_S_INPUTS, &input, 1));
  g_assert_true (store_writer_section (m->w, NPROF_STORE_S_ORIGINS, &zero, 1));
  struct store_facts facts = { .generation = 1, .origin_unix_ns = INT64_MIN };
  if (!store_writer_finish (m->w, &facts) || !store_writer_commit (m->w, &m->made->path))
    g_error ("%s", store_writer_fault (m->w)->text);
}

/* Two tables: one of 3 columns and 40 rows, one of 2 columns and 10. */
static void
make_tables (Maker *m)
{
  struct nprof_store_table_column columns[3] = { 0 };
  for (guint t = 0; t < 2; t++) {
    struct nprof_store_table table = { .name = m->strings[t], .n_columns = 3 - t };
    guint32 number;
    for (guint c = 0; c < table.n_columns; c++)
      columns[c] = (struct nprof_store_table_column){ .name = m->strings[c], .type = NPROF_INT64 };
    g_assert_true (store_writer_table (m->w, &table, columns, &number));
    for (guint row = 0; row < (t ? 10 : 40); row++) {
      struct nprof_store_cell cells[3];
      for (guint c = 0; c < table.n_columns; c++)
        cells[c] = (struct nprof_store_cell){ NPROF_INT64, row * 10 + c };
      g_assert_true (store_writer_cells (m->w, number, cells, 1));
    }
  }
}

static Maker
maker_new (guint32 seed, guint n_tracks)
{
  g_autofree char *id = g_strdup_printf ("n_%040x", seed);
  struct store_fault fault = { 0 };
  Made *made = g_new0 (Made, 1);
  Maker m = { .rand = g_rand_new_with_seed (seed), .made = made };
  made->root = g_dir_make_tmp ("nprof-store-XXXXXX", NULL);
  made->rows = g_array_new (FALSE, TRUE, sizeof (Given));
  made->n_tracks = n_tracks;
  m.w = store_writer_new (made->root, id, &fault);
  if (!m.w)
    g_error ("%s", fault.text);
  make_names (&m);
  for (guint t = 0; t < made->n_tracks; t++) {
    made->nests[t] = t != 2;
    m.lines[t] = store_writer_line (m.w, t + 1, 0, 0, made->nests[t]);
    m.now[t] = (gint64) pick (&m, 100000) - 50000;
  }
  return m;
}

static Made *
maker_end (Maker *m)
{
  make_tables (m);
  finish (m);
  store_writer_free (m->w);
  g_rand_free (m->rand);
  return m->made;
}

Made *
make_store (guint32 seed, guint n_rows)
{
  Maker m = maker_new (seed, 6);
  for (guint i = 0; i < n_rows; i++)
    make_row (&m, i);
  return maker_end (&m);
}

Made *
make_lane (guint n_rows)
{
  Maker m = maker_new (n_rows, 1);
  for (guint i = 0; i < n_rows; i++) {
    struct store_row row = { .kind = NPROF_SPAN, .ordinal = i, .start = 10 * i, .duration = 5 };
    row.label = m.labels[i % 5];
    g_assert_true (store_writer_row (m.w, m.lines[0], &row));
  }
  return maker_end (&m);
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    remove_all (child);
  }
  g_remove (path);
}

void
made_free (Made *made)
{
  remove_all (made->root);
  g_array_unref (made->rows);
  free (made->path);
  g_free (made->root);
  g_free (made);
}
