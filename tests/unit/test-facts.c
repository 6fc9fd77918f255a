/* SPDX-License-Identifier: Apache-2.0 */
/* test-facts.c - constants: which one wins, what is said, and what outlives its batch. */

#include "fake-run.h"

typedef struct {
  FakeRun *fake;
  NpRunInput *input;
  nprof_track track, other;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->fake = fake_run_new (16);
  f->input = fake_input (f->fake, "a", NPROF_NO_EPOCH);
  f->track = fake_track (f->fake, f->input->info.root, NPROF_TRACK_DEVICE, "0", "TPU 0");
  f->other = fake_track (f->fake, f->input->info.root, NPROF_TRACK_DEVICE, "1", "");
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  fake_run_free (f->fake);
}

static void
begin_fact (Fixture *f, NpBatch *batch, nprof_track track, const char *key)
{
  g_assert_cmpint (nprof_row (&batch->writer, NPROF_FACT, track, fake_str (f->fake, key), 0, 0), ==,
                   NPROF_OK);
}

static void
add_int (Fixture *f, NpBatch *batch, nprof_track track, const char *key, gint64 value)
{
  begin_fact (f, batch, track, key);
  nprof_set_category (&batch->writer, fake_str (f->fake, "header"));
  g_assert_cmpint (nprof_attr_int (&batch->writer, fake_str (f->fake, key), value), ==, NPROF_OK);
}

static void
add_bytes (Fixture *f, NpBatch *batch, const char *key, guint8 type, const char *bytes, guint len)
{
  begin_fact (f, batch, f->track, key);
  g_assert_cmpint (nprof_attr_bytes (&batch->writer, fake_str (f->fake, key), type, bytes, len), ==,
                   NPROF_OK);
}

/* Gives the batch back to the pool: nothing may point into it any more. */
static void
see (Fixture *f, NpBatch *batch, const char *expected)
{
  g_autofree char *problem = NULL;
  gboolean ok = np_facts_see (f->fake->run.facts, fake_seal (batch, 0), &problem);
  if (expected)
    assert_part (problem, expected);
  else
    g_assert_cmpstr (problem, ==, NULL);
  g_assert_cmpint (ok, ==, expected == NULL);
  np_batch_unref (batch);
}

static const struct nprof_fact *
nth (Fixture *f, guint i)
{
  g_assert_cmpuint (i, <, np_facts_count (f->fake->run.facts));
  return np_facts_get (f->fake->run.facts, i);
}

static const char *
text_of (Fixture *f, const struct nprof_fact *fact)
{
  g_assert_cmpuint (fact->type, ==, NPROF_STRING);
  return np_strings_get (f->fake->run.strings, fact->value.s, NULL);
}

static void
test_first_wins (Fixture *f, gconstpointer data)
{
  (void) data;
  NpBatch *batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "cores", 2);
  g_assert_cmpint (nprof_instant (&batch->writer, f->track, fake_str (f->fake, "cores"), 5), ==,
                   NPROF_OK);
  add_int (f, batch, f->other, "cores", 3);
  add_int (f, batch, f->track, "clock", 4);
  see (f, batch, NULL);
  batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "cores", 2);
  see (f, batch, NULL);
  g_autofree char *nothing = fake_said (f->fake);
  g_assert_cmpstr (nothing, ==, "");

  batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "cores", 7);
  add_int (f, batch, f->other, "cores", 8);
  see (f, batch, NULL);
  g_autofree char *said = fake_said (f->fake);
  assert_part (said, "TPU 0: a second, different value of cores is left out");
  assert_part (said, "1: a second, different value of cores is left out");

  g_assert_cmpuint (np_facts_count (f->fake->run.facts), ==, 3);
  g_assert_cmpuint (nth (f, 0)->track, ==, f->track);
  g_assert_cmpint (nth (f, 0)->value.i, ==, 2);
  g_assert_cmpuint (nth (f, 0)->source, ==, fake_str (f->fake, "header"));
  g_assert_cmpuint (nth (f, 1)->track, ==, f->other);
  g_assert_cmpint (nth (f, 1)->value.i, ==, 3);
  g_assert_cmpuint (nth (f, 2)->key, ==, fake_str (f->fake, "clock"));
}

static void
test_holds_for_the_subtree (Fixture *f, gconstpointer data)
{
  (void) data;
  NpFacts *facts = f->fake->run.facts;
  nprof_str cores = fake_str (f->fake, "cores"), clock = fake_str (f->fake, "clock");
  nprof_track core = fake_track (f->fake, f->track, NPROF_TRACK_CORE, "0", "");
  nprof_track queue = fake_track (f->fake, core, NPROF_TRACK_QUEUE, "7", "");
  NpBatch *batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "cores", 2);
  add_int (f, batch, core, "cores", 1);
  add_int (f, batch, f->input->info.root, "clock", 9);
  see (f, batch, NULL);
  g_assert_cmpint (np_facts_find (facts, f->track, cores)->value.i, ==, 2);
  g_assert_cmpint (np_facts_find (facts, queue, cores)->value.i, ==, 1);
  g_assert_cmpuint (np_facts_find (facts, queue, cores)->track, ==, core);
  g_assert_null (np_facts_find (facts, f->other, cores));
  g_assert_cmpint (np_facts_find (facts, f->other, clock)->value.i, ==, 9);
  g_assert_null (np_facts_find (facts, queue, fake_str (f->fake, "none")));
  g_assert_null (np_facts_find (facts, 0, clock));
}

static void
test_another_type_is_another_value (Fixture *f, gconstpointer data)
{
  (void) data;
  NpBatch *batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "n", 0);
  begin_fact (f, batch, f->track, "n");
  g_assert_cmpint (nprof_attr_double (&batch->writer, fake_str (f->fake, "n"), 0.0), ==, NPROF_OK);
  see (f, batch, NULL);
  g_autofree char *said = fake_said (f->fake);
  assert_part (said, "different value of n");
}

static void
test_bytes_outlive_their_batch (Fixture *f, gconstpointer data)
{
  (void) data;
  NpBatch *batch = fake_batch (f->fake);
  add_bytes (f, batch, "text", NPROF_TEXT, "some text", 9);
  add_bytes (f, batch, "json", NPROF_JSON, "{\"a\":1}", 7);
  add_bytes (f, batch, "empty", NPROF_TEXT, "", 0);
  see (f, batch, NULL);
  batch = fake_batch (f->fake); /* the same memory */
  memset (batch->writer.bytes, 'x', 64);
  np_batch_unref (batch);
  g_assert_cmpstr (text_of (f, nth (f, 0)), ==, "some text");
  g_assert_cmpstr (text_of (f, nth (f, 1)), ==, "{\"a\":1}");
  g_assert_cmpstr (text_of (f, nth (f, 2)), ==, "");
}

/* Their bytes are no text: made valid UTF-8, these two would be one. */
static void
test_ids_are_kept_as_hex (Fixture *f, gconstpointer data)
{
  (void) data;
  static const char one[16] = { '\xff', '\xfe', 1, 0, 5 }, two[16] = { '\xfe', '\xff', 1, 0, 5 };
  NpBatch *batch = fake_batch (f->fake);
  add_bytes (f, batch, "trace", NPROF_ID128, one, 16);
  add_bytes (f, batch, "trace", NPROF_ID128, one, 16);
  see (f, batch, NULL);
  g_assert_cmpstr (text_of (f, nth (f, 0)), ==, "fffe0100050000000000000000000000");
  g_autofree char *nothing = fake_said (f->fake);
  g_assert_cmpstr (nothing, ==, "");
  batch = fake_batch (f->fake);
  add_bytes (f, batch, "trace", NPROF_ID128, two, 16);
  see (f, batch, NULL);
  g_autofree char *said = fake_said (f->fake);
  assert_part (said, "different value of trace");
}

static void
test_broken_facts (Fixture *f, gconstpointer data)
{
  (void) data;
  const char *one_attribute = "a fact named \"n\" has not exactly one attribute of that key";
  NpBatch *batch = fake_batch (f->fake);
  begin_fact (f, batch, f->track, "n");
  see (f, batch, one_attribute);

  batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "m", 1);
  begin_fact (f, batch, f->track, "n"); /* none, but the batch has attributes */
  see (f, batch, one_attribute);

  batch = fake_batch (f->fake);
  add_int (f, batch, f->track, "n", 1);
  g_assert_cmpint (nprof_attr_int (&batch->writer, fake_str (f->fake, "n"), 1), ==, NPROF_OK);
  see (f, batch, one_attribute);

  batch = fake_batch (f->fake);
  begin_fact (f, batch, f->track, "n");
  g_assert_cmpint (nprof_attr_int (&batch->writer, fake_str (f->fake, "other"), 1), ==, NPROF_OK);
  see (f, batch, one_attribute);

  batch = fake_batch (f->fake);
  add_int (f, batch, 0, "n", 1);
  see (f, batch, "a fact named \"n\" has no track");
  batch = fake_batch (f->fake);
  add_int (f, batch, 999, "n", 1);
  see (f, batch, "a fact named \"n\" has no track");
}

static void
test_none (Fixture *f, gconstpointer data)
{
  (void) data;
  see (f, fake_batch (f->fake), NULL);
  g_assert_cmpuint (np_facts_count (f->fake->run.facts), ==, 0);
  np_facts_free (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, fn) g_test_add (path, Fixture, NULL, set_up, fn, tear_down)
  TEST ("/facts/first-wins", test_first_wins);
  TEST ("/facts/subtree", test_holds_for_the_subtree);
  TEST ("/facts/another-type-is-another-value", test_another_type_is_another_value);
  TEST ("/facts/bytes-outlive-their-batch", test_bytes_outlive_their_batch);
  TEST ("/facts/ids-are-kept-as-hex", test_ids_are_kept_as_hex);
  TEST ("/facts/broken", test_broken_facts);
  TEST ("/facts/none", test_none);
  return g_test_run ();
}
