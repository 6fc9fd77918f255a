/* SPDX-License-Identifier: Apache-2.0 */
/* test-core-tables.c - the tables that the core writes, as text: one line a row. */

#include "pipeline/core-tables.h"

#include "fake-run.h"

#include <nprof/keys.h>

typedef struct {
  FakeRun *fake;
  GString *text;
  const char *wanted; /* only this table; NULL: all */
  guint chunks, stop_after;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->fake = fake_run_new (16);
  f->text = g_string_new (NULL);
  f->stop_after = G_MAXUINT;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  g_string_free (f->text, TRUE);
  fake_run_free (f->fake);
}

static void
add_cell (Fixture *f, const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_NULL:
    g_string_append (f->text, " ?");
    break;
  case NPROF_INT64:
    g_string_append_printf (f->text, " %" G_GINT64_FORMAT, cell->v.i);
    break;
  case NPROF_UINT64:
    g_string_append_printf (f->text, " %" G_GUINT64_FORMAT, cell->v.u);
    break;
  case NPROF_STRING:
    g_string_append_printf (f->text, " %s", np_strings_get (f->fake->run.strings, cell->v.s, NULL));
    break;
  default:
    g_string_append_printf (f->text, " %.*s", (int) cell->len, cell->v.text);
  }
}

static gboolean
take (NpChunk *chunk, gpointer user)
{
  Fixture *f = user;
  f->chunks++;
  if (chunk->n_rows == 0)
    g_string_append_printf (f->text, "[%s]\n", chunk->table->name);
  gboolean wanted = !f->wanted || strcmp (f->wanted, chunk->table->name) == 0;
  for (guint i = 0; wanted && i < chunk->n_rows; i++) {
    g_string_append_c (f->text, '-');
    for (guint k = 0; k < chunk->n_columns; k++)
      add_cell (f, &chunk->cells[i * chunk->n_columns + k]);
    g_string_append_c (f->text, '\n');
  }
  np_chunk_unref (chunk);
  return f->chunks < f->stop_after;
}

static void
check_table (Fixture *f, const char *name, const char *expected)
{
  f->wanted = name;
  g_assert_true (np_core_tables (&f->fake->run, take, f, NULL));
  g_assert_cmpstr (f->text->str, ==, expected);
}

static void
property (NpRunInput *input, const char *key, const char *value)
{
  g_ptr_array_add (input->properties, g_strdup (key));
  g_ptr_array_add (input->properties, g_strdup (value));
}

static void
test_inputs (Fixture *f, gconstpointer data)
{
  (void) data;
  NpRunInput *first = fake_input (f->fake, "a", 1700000000000000000);
  property (first, "rank", "3");
  property (first, "version", "7");
  property (first, "note", "\"x\"\n");
  first->bytes = 100;
  first->rows = 2;
  first->first = -5;
  first->last = 10;
  NpRunInput *second = fake_input (f->fake, "b", NPROF_NO_EPOCH);
  second->rows = 1; /* a fact, so no time */
  check_table (f, "inputs",
               "- a fake 7 1700000000000000000 100 2 -5 10 "
               "{\"rank\":\"3\",\"note\":\"\\\"x\\\"\\n\"}\n"
               "- b fake ? ? 0 1 ? ? ?\n");
}

static void
test_tracks (Fixture *f, gconstpointer data)
{
  (void) data;
  NpRunInput *input = fake_input (f->fake, "in", 0);
  nprof_track silent = fake_track (f->fake, input->info.root, NPROF_TRACK_HOST, "h", "");
  nprof_track device = fake_track (f->fake, input->info.root, NPROF_TRACK_DEVICE, "0", "TPU 0");
  nprof_track queue = fake_track (f->fake, device, NPROF_TRACK_QUEUE, "q", "");
  fake_track (f->fake, silent, 99, "x", "odd");
  np_tracks_delivered (f->fake->run.tracks, queue, 5);
  check_table (f, "tracks",
               "- in 1 ? input in ? ? in 0 0\n"
               "- in 2 1 device 0 TPU 0 TPU 0 TPU 0 0 0\n"
               "- in 3 2 queue q ? TPU 0 q 0 5\n"
               "- in 4 1 host h ? ? h 0 0\n"
               "- in 5 4 unknown x odd ? odd 0 0\n");
}

static void
test_skipped (Fixture *f, gconstpointer data)
{
  (void) data;
  fake_input (f->fake, "a", 0);
  fake_input (f->fake, "b", 0);
  np_skipped_add (f->fake->run.skipped, 1, "M", 9, "why");
  np_skipped_add (f->fake->run.skipped, 0, "P", 7, "");
  np_skipped_add (f->fake->run.skipped, 1, "M", 3, "why");
  check_table (f, "skipped", "- a P 1 7 \n- b M 2 3 why\n");
}

static void
add_fact (Fixture *f, NpBatch *batch, nprof_track track, const char *key)
{
  g_assert_cmpint (nprof_row (&batch->writer, NPROF_FACT, track, fake_str (f->fake, key), 0, 0), ==,
                   NPROF_OK);
}

static void
test_facts (Fixture *f, gconstpointer data)
{
  (void) data;
  FakeRun *fake = f->fake;
  nprof_track root = fake_input (fake, "in", 0)->info.root;
  nprof_track core = fake_track (fake, root, NPROF_TRACK_CORE, "c", "");
  np_columns_declare (fake->run.columns,
                      NPROF_ATTRIBUTES (
                          NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s", "peak")));
  NpBatch *batch = fake_batch (fake);
  struct nprof_writer *w = &batch->writer;
  add_fact (f, batch, core, NPROF_KEY_PEAK_FLOPS);
  nprof_set_category (w, fake_str (fake, "header"));
  g_assert_cmpint (nprof_attr_double (w, fake_str (fake, NPROF_KEY_PEAK_FLOPS), 0.1), ==, NPROF_OK);
  add_fact (f, batch, root, "i");
  g_assert_cmpint (nprof_attr_int (w, fake_str (fake, "i"), INT64_MIN), ==, NPROF_OK);
  add_fact (f, batch, root, "u");
  g_assert_cmpint (nprof_attr_uint (w, fake_str (fake, "u"), UINT64_MAX), ==, NPROF_OK);
  add_fact (f, batch, root, "b");
  g_assert_cmpint (nprof_attr (w, fake_str (fake, "b"), NPROF_BOOL, (nprof_value){ .u = 1 }), ==,
                   NPROF_OK);
  add_fact (f, batch, root, "s");
  g_assert_cmpint (nprof_attr_str (w, fake_str (fake, "s"), fake_str (fake, "some, text")), ==,
                   NPROF_OK);
  g_autofree char *problem = NULL;
  g_assert_true (np_facts_see (fake->run.facts, fake_seal (batch, 0), &problem));
  np_batch_unref (batch);
  check_table (f, "facts",
               "- in 2 peak_flops 0.1 flop/s header\n"
               "- in 1 i -9223372036854775808 ? ?\n"
               "- in 1 u 18446744073709551615 ? ?\n"
               "- in 1 b true ? ?\n"
               "- in 1 s some, text ? ?\n");
}

static void
test_all_are_announced (Fixture *f, gconstpointer data)
{
  (void) data;
  fake_input (f->fake, "in", NPROF_NO_EPOCH);
  g_assert_true (np_core_tables_announce (take, f));
  g_assert_cmpstr (f->text->str, ==, "[inputs]\n[tracks]\n[skipped]\n[facts]\n");
  g_string_truncate (f->text, 0);
  g_assert_true (np_core_tables (&f->fake->run, take, f, NULL));
  g_assert_cmpstr (f->text->str, ==, "- in fake ? ? 0 0 ? ? ?\n- in 1 ? input in ? ? in 0 0\n");
  for (f->stop_after = 1; f->stop_after <= 4; f->stop_after++) {
    f->chunks = 0;
    g_assert_false (np_core_tables_announce (take, f));
    g_assert_cmpuint (f->chunks, ==, f->stop_after);
  }
}

static void
test_many_rows (Fixture *f, gconstpointer data)
{
  (void) data;
  fake_input (f->fake, "in", 0);
  for (guint i = 0; i < 2 * NP_CHUNK_ROWS; i++) {
    g_autofree char *what = g_strdup_printf ("%u", i);
    np_skipped_add (f->fake->run.skipped, 0, what, i, "many");
  }
  f->wanted = "skipped";
  g_assert_true (np_core_tables (&f->fake->run, take, f, NULL));
  g_auto (GStrv) rows = g_strsplit (f->text->str, "\n", -1);
  g_assert_cmpuint (g_strv_length (rows), ==, 2 * NP_CHUNK_ROWS + 1);
  for (guint i = 0; i < 2 * NP_CHUNK_ROWS; i++) {
    g_autofree char *row = g_strdup_printf ("- in %u 1 %u many", i, i);
    g_assert_cmpstr (rows[i], ==, row);
  }
  g_assert_cmpuint (f->chunks, ==, 1 + 1 + 2); /* no empty one behind full ones */
}

/* The taker of the chunks may have failed: it is given nothing more, and no memory is lost. */
static void
test_stopped (Fixture *f, gconstpointer data)
{
  (void) data;
  fake_input (f->fake, "in", 0);
  np_skipped_add (f->fake->run.skipped, 0, "P", 1, "why");
  for (f->stop_after = 1; f->stop_after <= 3; f->stop_after++) {
    f->chunks = 0;
    g_assert_false (np_core_tables (&f->fake->run, take, f, NULL));
    g_assert_cmpuint (f->chunks, ==, f->stop_after);
  }
}

static void
test_names (Fixture *f, gconstpointer data)
{
  (void) f, (void) data;
  static const char *const names[] = { "inputs", "tracks", "skipped", "facts" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (np_core_table_named (names[i]));
  g_assert_false (np_core_table_named ("events"));
  g_assert_false (np_core_table_named (""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, fn) g_test_add (path, Fixture, NULL, set_up, fn, tear_down)
  TEST ("/core-tables/inputs", test_inputs);
  TEST ("/core-tables/tracks", test_tracks);
  TEST ("/core-tables/skipped", test_skipped);
  TEST ("/core-tables/facts", test_facts);
  TEST ("/core-tables/all-are-announced", test_all_are_announced);
  TEST ("/core-tables/many-rows", test_many_rows);
  TEST ("/core-tables/stopped", test_stopped);
  TEST ("/core-tables/names", test_names);
  return g_test_run ();
}
