/* SPDX-License-Identifier: Apache-2.0 */
/* test-clock-align.c - inputs on one clock: shifts, limits, flow ids, and the range of times. */

#include "run/clock-align.h"

#include "fake-run.h"

#define EPOCH INT64_C (1700000000000000000)
#define DAY_NS (INT64_C (86400) * 1000000000)
#define MAX_PS (INT64_C (106) * DAY_NS * 1000)

typedef struct {
  FakeRun *fake;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->fake = fake_run_new (16);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  fake_run_free (f->fake);
}

static NpRunInput *
aligned_input (Fixture *f, const char *path, gint64 origin)
{
  NpRunInput *input = fake_input (f->fake, path, origin);
  np_align_input (&f->fake->run, input);
  return input;
}

static NpBatch *
one_row (Fixture *f, NpRunInput *input, guint8 kind, gint64 start, gint64 duration)
{
  NpBatch *batch = fake_batch (f->fake);
  g_assert_cmpint (nprof_row (&batch->writer, kind, input->info.root, fake_str (f->fake, "op"),
                              start, duration),
                   ==, NPROF_OK);
  fake_seal (batch, input->info.number);
  return batch;
}

/* Where a span at `start` of this input comes to lie in the run. */
static void
check_start (Fixture *f, NpRunInput *input, gint64 start, gint64 expected)
{
  g_autoptr (GError) error = NULL;
  NpBatch *batch = one_row (f, input, NPROF_SPAN, start, 1);
  np_align_batch (&f->fake->run, input, batch, &error);
  g_assert_no_error (error);
  g_assert_cmpint (batch->view.start[0], ==, expected);
  g_assert_cmpint (batch->view.duration[0], ==, 1);
  np_batch_unref (batch);
}

static void
check_too_far (Fixture *f, NpRunInput *input, gint64 start)
{
  g_autoptr (GError) error = NULL;
  NpBatch *batch = one_row (f, input, NPROF_SPAN, start, 1);
  g_assert_false (np_align_batch (&f->fake->run, input, batch, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_INPUT);
  g_autofree char *text
      = g_strdup_printf ("%s: row %" G_GUINT64_FORMAT
                         " (\"op\") lies more than 106 days from the origin of the first "
                         "input: give inputs of one time together",
                         input->path, input->decoded);
  g_assert_cmpstr (error->message, ==, text);
  np_batch_unref (batch);
}

static void
check_said (Fixture *f, const char *expected)
{
  g_autofree char *said = fake_said (f->fake);
  if (expected)
    assert_part (said, expected);
  else
    g_assert_cmpstr (said, ==, "");
}

static void
test_origins (Fixture *f, gconstpointer data)
{
  (void) data;
  NpRunInput *first = aligned_input (f, "first", EPOCH);
  g_assert_cmpint (f->fake->run.info.origin_unix_ns, ==, EPOCH);
  NpRunInput *later = aligned_input (f, "later", EPOCH + 3);
  NpRunInput *earlier = aligned_input (f, "earlier", EPOCH - 1000000);
  check_said (f, NULL);
  check_start (f, first, 5, 5);
  check_start (f, later, 5, 3005);
  check_start (f, later, -4000, -1000);
  check_start (f, earlier, 5, 5 - INT64_C (1000000000));
  g_assert_cmpint (f->fake->run.info.origin_unix_ns, ==, EPOCH);
}

/* What has times but no epoch starts at time 0, and nobody can say how wrong that is. */
static void
test_without_an_epoch (Fixture *f, gconstpointer data)
{
  (void) data;
  aligned_input (f, "first", EPOCH);
  NpRunInput *without = aligned_input (f, "without", NPROF_NO_EPOCH);
  check_said (f, NULL);
  check_start (f, without, 5, 5);
  check_said (f, "without: it has no absolute times, others have: all such inputs start at time 0");
  check_start (f, without, 6, 6); /* said once */
  check_said (f, NULL);
}

static void
test_first_without_an_epoch (Fixture *f, gconstpointer data)
{
  (void) data;
  check_start (f, aligned_input (f, "first", NPROF_NO_EPOCH), 5, 5);
  check_start (f, aligned_input (f, "second", NPROF_NO_EPOCH), 5, 5);
  check_said (f, NULL);
  NpRunInput *third = aligned_input (f, "third", EPOCH);
  check_said (f, "first: it has no absolute times, others have: all such inputs start at time 0");
  aligned_input (f, "fourth", EPOCH);
  check_said (f, NULL);
  check_start (f, third, 5, 5);
  g_assert_cmpint (f->fake->run.info.origin_unix_ns, ==, NPROF_NO_EPOCH);
}

/* Facts have no time, so the inputs behind them lie on their own clock. */
static void
test_only_facts_before (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GError) error = NULL;
  NpRunInput *model = aligned_input (f, "model", NPROF_NO_EPOCH);
  NpBatch *batch = one_row (f, model, NPROF_FACT, 0, 0);
  g_assert_true (np_align_batch (&f->fake->run, model, batch, &error));
  np_batch_unref (batch);
  aligned_input (f, "second", EPOCH);
  NpRunInput *third = aligned_input (f, "third", EPOCH + 3);
  check_start (f, third, 5, 3005);
  check_said (f, NULL);
  g_assert_cmpint (f->fake->run.info.origin_unix_ns, ==, EPOCH);
  aligned_input (f, "fourth", EPOCH + 90 * DAY_NS);
  check_said (f, "fourth: it was recorded 90 days after second: as one run");
}

/* Two rows, each near time 0, on whose difference nobody may stumble: as many ps as an int64
 * holds. */
static void
check_apart (Fixture *f, gint64 origin, gint64 first, gint64 second, const char *expected)
{
  g_autoptr (GError) error = NULL;
  f->fake->run.info.origin_unix_ns = origin;
  f->fake->run.span = (NpRunSpan){ INT64_MAX, INT64_MIN, NULL, NULL };
  NpRunInput *inputs[]
      = { aligned_input (f, "one", NPROF_NO_EPOCH), aligned_input (f, "two", NPROF_NO_EPOCH) };
  NpBatch *rows[] = { one_row (f, inputs[0], NPROF_SPAN, first, 7),
                      one_row (f, inputs[1], NPROF_SPAN, second, 7) };
  g_assert_true (np_align_batch (&f->fake->run, inputs[0], rows[0], &error));
  g_assert_cmpint (np_align_batch (&f->fake->run, inputs[1], rows[1], &error), ==, !expected);
  g_assert_cmpstr (error ? error->message : NULL, ==, expected);
  np_batch_unref (rows[0]);
  np_batch_unref (rows[1]);
}

static void
test_rows_far_apart (Fixture *f, gconstpointer data)
{
  (void) data;
  const gint64 least = -60 * DAY_NS * 1000;
  check_apart (f, EPOCH, least, least + (INT64_MAX - 7), NULL);
  check_apart (f, EPOCH, least + (INT64_MAX - 7), least, NULL);
  check_apart (f, EPOCH, least, least + (INT64_MAX - 7) + 1,
               "two: row 0 (\"op\") and another lie more than 106 days apart: one begins at "
               "2023-09-15T22:13:20Z, two ends at 2023-12-31T16:16:12Z: give inputs of one time "
               "together");
  check_apart (
      f, NPROF_NO_EPOCH, -least, -least - (INT64_MAX - 7) - 1,
      "two: row 0 (\"op\") and another lie more than 106 days apart: two begins at -46 "
      "days from time 0, one ends at 60 days from time 0: give inputs of one time together");
}

/* Of two rows of an input the second is named, however many batches they come in. */
static void
test_far_apart_in_one_input (Fixture *f, gconstpointer data)
{
  (void) data;
  g_autoptr (GError) error = NULL;
  NpRunInput *input = aligned_input (f, "one", EPOCH);
  NpBatch *batch = fake_batch (f->fake);
  nprof_str name = fake_str (f->fake, "op");
  const gint64 day = DAY_NS * 1000;
  for (gint i = -1; i <= 1; i++)
    nprof_row (&batch->writer, i ? NPROF_SPAN : NPROF_FACT, input->info.root, name, 60 * day * i,
               0);
  fake_seal (batch, 0);
  g_assert_false (np_align_batch (&f->fake->run, input, batch, &error));
  g_assert_cmpstr (
      error->message, ==,
      "one: row 2 (\"op\") and another lie more than 106 days apart: one begins at "
      "2023-09-15T22:13:20Z, it ends at 2024-01-13T22:13:20Z: is a time of the file wrong?");
  np_batch_unref (batch);
}

static void
test_far_away (Fixture *f, gconstpointer data)
{
  (void) data;
  aligned_input (f, "first", EPOCH);
  NpRunInput *later = aligned_input (f, "later", EPOCH + 100 * DAY_NS);
  gint64 shift = 100 * DAY_NS * 1000;
  check_start (f, later, MAX_PS - shift - 1, MAX_PS - 1); /* it lasts a ps */
  check_too_far (f, later, MAX_PS - shift);
  check_too_far (f, later, INT64_MAX);
  later->decoded = 12;
  check_too_far (f, later, MAX_PS - shift);
  f->fake->run.span = (NpRunSpan){ INT64_MAX, INT64_MIN, NULL, NULL };
  NpRunInput *earlier = aligned_input (f, "earlier", EPOCH - 100 * DAY_NS);
  check_start (f, earlier, -(MAX_PS - shift), -MAX_PS);
  check_too_far (f, earlier, -(MAX_PS - shift) - 1);
  check_too_far (f, earlier, INT64_MIN);
}

/* No shift of this size fits into 64 bits, whatever the rows say. */
static void
test_too_far_for_any_row (Fixture *f, gconstpointer data)
{
  (void) data;
  aligned_input (f, "first", EPOCH);
  static const gint64 origins[]
      = { 1, EPOCH - 107 * DAY_NS, EPOCH + 107 * DAY_NS, INT64_MAX, INT64_MIN + 1 };
  for (guint i = 0; i < G_N_ELEMENTS (origins); i++) {
    NpRunInput *far = aligned_input (f, "far", origins[i]);
    check_too_far (f, far, 0);
    check_too_far (f, far, INT64_MIN);
    check_too_far (f, far, -INT64_MAX);
    check_too_far (f, far, INT64_MAX);
  }
}

static void
test_facts_have_no_time (Fixture *f, gconstpointer data)
{
  (void) data;
  aligned_input (f, "first", EPOCH);
  NpRunInput *far = aligned_input (f, "far", 1);
  NpBatch *batch = one_row (f, far, NPROF_FACT, 0, 0);
  g_autoptr (GError) error = NULL;
  g_assert_true (np_align_batch (&f->fake->run, far, batch, &error));
  g_assert_cmpint (batch->view.start[0], ==, 0);
  np_align_seen (far, &batch->view);
  g_assert_cmpint (far->first, >, far->last);
  g_assert_cmpuint (far->rows, ==, 1);
  np_batch_unref (batch);
}

static guint64
flow_of (Fixture *f, NpRunInput *input, guint64 flow)
{
  NpBatch *batch = fake_batch (f->fake);
  nprof_str name = fake_str (f->fake, "f");
  for (guint i = 0; i < 2; i++) /* the first row has none */
    g_assert_cmpint (nprof_row (&batch->writer, NPROF_FLOW, input->info.root, name, 0, 0), ==,
                     NPROF_OK);
  nprof_set_flow (&batch->writer, flow);
  fake_seal (batch, input->info.number);
  g_assert_true (np_align_batch (&f->fake->run, input, batch, NULL));
  g_assert_cmpuint (batch->view.flow[0], ==, 0);
  guint64 mixed = batch->view.flow[1];
  np_batch_unref (batch);
  return mixed;
}

static void
test_flows_are_of_one_input (Fixture *f, gconstpointer data)
{
  (void) data;
  NpRunInput *inputs[3];
  for (guint i = 0; i < 3; i++)
    inputs[i] = aligned_input (f, "in", EPOCH);
  static const guint64 flows[] = { 1, 77, G_GUINT64_CONSTANT (0x9e3779b97f4a7c15),
                                   G_GUINT64_CONSTANT (0x3c6ef372fe94f82a), G_MAXUINT64 };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < G_N_ELEMENTS (flows); k++) {
      guint64 *mixed = g_new (guint64, 1);
      *mixed = flow_of (f, inputs[i], flows[k]);
      g_assert_cmpuint (*mixed, !=, 0);
      g_assert_cmpuint (flow_of (f, inputs[i], flows[k]), ==, *mixed); /* both ends alike */
      if (i == 0)
        g_assert_cmpuint (*mixed, ==, flows[k]);
      if (i < 2) /* these ids are chosen to clash with each other's salt */
        g_hash_table_add (seen, mixed);
      else
        g_free (mixed);
    }
  g_assert_cmpuint (g_hash_table_size (seen), >=, 2 * G_N_ELEMENTS (flows) - 2);
}

static void
test_range_of_times (Fixture *f, gconstpointer data)
{
  (void) data;
  NpRunInput *input = aligned_input (f, "in", EPOCH);
  static const gint64 rows[][2] = { { 50, 10 }, { 20, -1 }, { -7, 3 }, { 55, 2 }, { 90, -1 } };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    NpBatch *batch = one_row (f, input, NPROF_SPAN, rows[i][0], rows[i][1]);
    np_align_seen (input, &batch->view);
    np_batch_unref (batch);
  }
  g_assert_cmpuint (input->rows, ==, 5);
  g_assert_cmpuint (input->unclosed, ==, 2);
  g_assert_cmpint (input->first, ==, -7);
  g_assert_cmpint (input->last, ==, 90); /* the start of the span without an end */

  NpBatch *batch = one_row (f, input, NPROF_SPAN, INT64_MAX - 1, INT64_MAX);
  np_align_seen (input, &batch->view);
  g_assert_cmpint (input->last, ==, INT64_MAX);
  np_batch_unref (batch);
}

/* Times of a batch that were found before its rows were shifted must not be told of the shifted
 * ones. */
static void
test_range_of_shifted_times (Fixture *f, gconstpointer data)
{
  (void) data;
  aligned_input (f, "first", EPOCH);
  NpRunInput *later = aligned_input (f, "later", EPOCH + 3);
  NpBatch *batch = one_row (f, later, NPROF_SPAN, 50, 10);
  np_batch_sum (&batch->sum, &batch->view);
  g_assert_true (np_align_batch (&f->fake->run, later, batch, NULL));
  np_align_seen (later, &batch->view);
  g_assert_cmpint (later->first, ==, 3050);
  g_assert_cmpint (later->last, ==, 3060);
  np_batch_unref (batch);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, fn) g_test_add (path, Fixture, NULL, set_up, fn, tear_down)
  TEST ("/align/origins", test_origins);
  TEST ("/align/range-of-shifted-times", test_range_of_shifted_times);
  TEST ("/align/without-an-epoch", test_without_an_epoch);
  TEST ("/align/first-without-an-epoch", test_first_without_an_epoch);
  TEST ("/align/only-facts-before", test_only_facts_before);
  TEST ("/align/far-away", test_far_away);
  TEST ("/align/rows-far-apart", test_rows_far_apart);
  TEST ("/align/far-apart-in-one-input", test_far_apart_in_one_input);
  TEST ("/align/too-far-for-any-row", test_too_far_for_any_row);
  TEST ("/align/facts-have-no-time", test_facts_have_no_time);
  TEST ("/align/flows-are-of-one-input", test_flows_are_of_one_input);
  TEST ("/align/range-of-times", test_range_of_times);
  return g_test_run ();
}
