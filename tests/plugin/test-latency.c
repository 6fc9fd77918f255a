/* SPDX-License-Identifier: Apache-2.0 */
/* test-latency.c - the analyzer latency: what makes a row, what counts, the bound of memory, and
 * states that are merged in any order. */
#include "say-work.h"
#include "test-run.h"

static const struct nprof_component *latency;

typedef struct {
  NprofTestRun *run;
  const struct nprof_host *h;
  struct nprof_writer *w;
} Feed;

static Feed
feed_new (const char *options, guint rows)
{
  const NprofTestConfig config = { .rows = rows };
  Feed f = { .run = nprof_test_open (latency, options, &config) };
  f.h = nprof_test_host (f.run);
  f.w = f.h->writer (f.h);
  return f;
}

static nprof_track
track (const Feed *f, nprof_track parent, guint kind, const char *key)
{
  return f->h->track (f->h, parent, kind, nprof_intern (f->h, key), 0, 0);
}

static void
span (Feed *f, nprof_track on, const char *name, gint64 start, gint64 duration)
{
  nprof_str str = nprof_intern (f->h, name);
  g_assert_cmpint (nprof_span (f->w, on, str, start, duration), ==, NPROF_OK);
  say_work (f->h, f->w);
}

static void
finish (Feed *f)
{
  nprof_test_finish (f->run);
  nprof_test_assert_ok (f->run);
}

static int
row_of (const NprofTestRun *run, const char *process, const char *thread, const char *name)
{
  for (guint row = 0; row < nprof_test_table (run, "latency")->n_rows; row++)
    if (g_strcmp0 (nprof_test_cell (run, "latency", row, "name"), name) == 0
        && g_strcmp0 (nprof_test_cell (run, "latency", row, "thread"), thread) == 0
        && g_strcmp0 (nprof_test_cell (run, "latency", row, "process"), process) == 0)
      return (int) row;
  return -1;
}

#define CELL(row, column, value)                                                                   \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_assert_cmpint (row, >=, 0);                                                                  \
    g_assert_cmpstr (nprof_test_cell (f.run, "latency", (guint) (row), column), ==, value);        \
  }                                                                                                \
  G_STMT_END

/* Two processes, three threads; the same rows in each test. */
static void
feed_rows (Feed *f)
{
  nprof_track p = track (f, 0, NPROF_TRACK_PROCESS, "p"), q = track (f, 0, NPROF_TRACK_DEVICE, "q"),
              p1 = track (f, p, NPROF_TRACK_THREAD, "t1"),
              p2 = track (f, p, NPROF_TRACK_THREAD, "t2"),
              ops = track (f, q, NPROF_TRACK_ENGINE, "XLA Ops"),
              steps = track (f, q, NPROF_TRACK_THREAD, "Steps"),
              modules = track (f, q, NPROF_TRACK_THREAD, "XLA Modules"),
              fusions = track (f, q, NPROF_TRACK_DERIVED, "Fusions");
  for (int i = 1; i <= 4; i++) {
    g_autofree char *number = g_strdup_printf ("%d", i);
    span (f, p1, "a", i * 1000, i * 100);
    span (f, p2, "a", i * 1000, 1000);
    span (f, ops, "b", i * 1000, 7);
    span (f, fusions, "b", i * 1000, 7);
    span (f, steps, number, i * 1000, i * 10);
    span (f, modules, "jit_f", i * 1000, i * 20);
  }
  span (f, p1, "a", 9000, -1);
  g_assert_cmpint (nprof_row (f->w, NPROF_GAP, p, 0, 0, 0), ==, NPROF_OK);
  g_assert_cmpint (nprof_row (f->w, NPROF_GAP, p1, 0, 0, 0), ==, NPROF_OK);
  g_assert_cmpint (nprof_row (f->w, NPROF_INSTANT, p1, 0, 0, 0), ==, NPROF_OK);
}

static void
test_by_name (void)
{
  Feed f = feed_new (NULL, 0);
  feed_rows (&f);
  finish (&f);
  int row = row_of (f.run, "p", "t1", "a");
  CELL (row, "calls", "4");
  CELL (row, "total_ns", "1000");
  CELL (row, "share", "0.125"); /* of 1000 .. 9000: the start without an end counts */
  CELL (row, "min_ns", "100");
  CELL (row, "mean_ns", "250");
  CELL (row, "median_ns", "250");
  CELL (row, "p90_ns", "370");
  CELL (row, "p99_9_ns", "400"); /* 399.7 */
  CELL (row, "max_ns", "400");
  CELL (row, "method", "linear");
  CELL (row, "gaps", "2");
  CELL (row, "category", NULL);
  CELL (row_of (f.run, "p", "t2", "a"), "gaps", "1");
  CELL (row_of (f.run, "q", "XLA Ops", "b"), "gaps", "0");
  g_assert_true (nprof_test_logged (f.run, "spans without an end in the file: 1"));
  nprof_test_run_free (f.run);
}

static void
test_by_others (void)
{
  Feed f = feed_new ("by=track,method=nearest", 0);
  feed_rows (&f);
  finish (&f);
  CELL (row_of (f.run, "p", "t1", NULL), "calls", "4");
  CELL (row_of (f.run, "p", "t1", NULL), "median_ns", "200");
  CELL (row_of (f.run, "p", "t1", NULL), "method", "nearest");
  nprof_test_run_free (f.run);

  f = feed_new ("by=process", 0);
  feed_rows (&f);
  finish (&f);
  CELL (row_of (f.run, "p", NULL, "a"), "calls", "8");
  CELL (row_of (f.run, "p", NULL, "a"), "track", NULL);
  CELL (row_of (f.run, "p", NULL, "a"), "gaps", "2");
  CELL (row_of (f.run, "q", NULL, "b"), "calls", "4"); /* and not those of Fusions again */
  nprof_test_run_free (f.run);

  f = feed_new ("by=step", 0);
  feed_rows (&f);
  finish (&f);
  g_assert_cmpuint (nprof_test_table (f.run, "latency")->n_rows, ==, 1);
  CELL (row_of (f.run, "q", "Steps", "step"), "mean_ns", "25");
  nprof_test_run_free (f.run);

  f = feed_new ("by=inference", 0);
  feed_rows (&f);
  finish (&f);
  g_assert_cmpuint (nprof_test_table (f.run, "latency")->n_rows, ==, 1);
  CELL (row_of (f.run, "q", "XLA Modules", "jit_f"), "total_ns", "200");
  nprof_test_run_free (f.run);
}

/* -- The bound -------------------------------------------------------------------------- */

static void
feed_many (Feed *f, guint from, guint to)
{
  nprof_track p = track (f, 0, NPROF_TRACK_PROCESS, "p");
  for (guint i = from; i < to; i++) {
    span (f, p, "often", i, 1000000 + i % 5000);
    if (i % 4 == 0)
      span (f, p, i % 8 ? "less" : "seldom", i, 5000 + i);
  }
}

static void
test_bound (void)
{
  /* 4096 durations fit; 8000 of one, 1000 and 1000 of two others: those two stay exact */
  for (guint rows = 0; rows <= 7; rows += 7) {
    Feed f = feed_new ("memory=32k", rows);
    feed_many (&f, 0, 8000);
    finish (&f);
    int row = row_of (f.run, NULL, "p", "often");
    if (row < 0)
      row = row_of (f.run, "p", "p", "often");
    CELL (row, "method", "linear, histogram ±0.1%");
    CELL (row, "calls", "8000");
    CELL (row, "min_ns", "1000000");
    CELL (row, "max_ns", "1004999");
    gint64 median
        = g_ascii_strtoll (nprof_test_cell (f.run, "latency", (guint) row, "median_ns"), NULL, 10);
    g_assert_cmpint (ABS (median - 1002000), <=, 1003);
    CELL (row_of (f.run, "p", "p", "less"), "method", "linear");
    CELL (row_of (f.run, "p", "p", "seldom"), "method", "linear");
    nprof_test_run_free (f.run);
  }
}

/* -- States ----------------------------------------------------------------------------- */

typedef struct {
  struct nprof_output output;
  GByteArray *bytes;
} Memory;

static nprof_status
keep (struct nprof_output *out, const void *data, size_t len)
{
  g_byte_array_append (((Memory *) out)->bytes, data, (guint) len);
  return NPROF_OK;
}

/* The state after rows from..to.  Transfer full. */
static GByteArray *
state (const char *options, guint from, guint to)
{
  Feed f = feed_new (options, 0);
  feed_many (&f, from, to);
  g_assert_cmpint (f.w->flush (f.w), ==, NPROF_OK);
  Memory memory
      = { .output = { .size = sizeof memory.output, .write = keep }, .bytes = g_byte_array_new () };
  g_assert_cmpint (latency->save (f.run->test->self, &memory.output), ==, NPROF_OK);
  finish (&f);
  nprof_test_run_free (f.run);
  return memory.bytes;
}

static char *
merged (const char *options, GByteArray **parts, const guint *order, guint n)
{
  Feed f = feed_new (options, 0);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (latency->merge (f.run->test->self, parts[order[i]]->data,
                                     parts[order[i]]->len),
                     ==, NPROF_OK);
  finish (&f);
  char *dump = nprof_test_dump (f.run);
  nprof_test_run_free (f.run);
  return dump;
}

/* All at once, or in parts that are merged in any order, come to the same. */
static void
test_merge (gconstpointer options)
{
  GByteArray *parts[] = { state (options, 0, 1000), state (options, 1000, 5000),
                          state (options, 5000, 8000), state (options, 0, 8000) };
  static const guint orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 }, { 1, 2, 0 } };
  static const guint whole = 3;
  g_autofree char *expected = merged (options, parts, &whole, 1);
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autofree char *dump = merged (options, parts, orders[i], 3);
    g_assert_cmpstr (dump, ==, expected);
  }
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_byte_array_unref (parts[i]);
}

/* A state that was cut or changed is refused, and nothing beyond its end is read. */
static void
test_damaged_state (void)
{
  g_autoptr (GByteArray) good = state ("memory=4k", 0, 900);
  for (guint len = 0; len < good->len; len += len < 400 ? 1 : 97) {
    Feed f = feed_new ("memory=4k", 0);
    g_autofree guint8 *cut = g_memdup2 (good->data, len);
    g_assert_cmpint (latency->merge (f.run->test->self, cut, len), ==, NPROF_E_FORMAT);
    nprof_test_run_free (f.run);
  }
  for (guint at = 0; at < good->len; at += at < 400 ? 1 : 31) {
    Feed f = feed_new ("memory=4k", 0);
    g_autofree guint8 *wrong = g_memdup2 (good->data, good->len);
    wrong[at] ^= 0xff;
    latency->merge (f.run->test->self, wrong, good->len); /* must end, whatever it says */
    nprof_test_run_free (f.run);
  }
  Feed f = feed_new ("by=track", 0);
  g_assert_cmpint (latency->merge (f.run->test->self, good->data, good->len), ==, NPROF_E_OPTION);
  g_assert_nonnull (strstr (f.run->failure, "use the same for all ranks"));
  nprof_test_run_free (f.run);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  latency = nprof_test_component (g_getenv ("PLUGIN"), NPROF_ANALYZER, "latency");
  g_test_add_func ("/latency/by-name", test_by_name);
  g_test_add_func ("/latency/by-others", test_by_others);
  g_test_add_func ("/latency/bound", test_bound);
  g_test_add_data_func ("/latency/merge/exact", "memory=32M", test_merge);
  g_test_add_data_func ("/latency/merge/bound", "memory=32k", test_merge);
  g_test_add_data_func ("/latency/merge/rough", "memory=4k", test_merge);
  g_test_add_func ("/latency/damaged-state", test_damaged_state);
  return g_test_run ();
}
