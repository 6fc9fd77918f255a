/* SPDX-License-Identifier: Apache-2.0 */
/* test-analyzer-threads.c - each analyzer sees all batches in their order, whatever the number of
 * threads; a failure of one ends the giving, and has its cause. */

#include "pipeline/analyzer-threads.h"

#include "random-rows.h"

#include <sched.h>

#define BATCHES 100u

typedef struct { /* an analyzer: fails at batch `fails`, and takes its time with each */
  guint n, fails, slow;
  guint64 hash;
  const char *why;
  NpInstance instance;
} Reader;

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  Reader *reader = self;
  for (guint i = 0; i < reader->slow; i++)
    sched_yield ();
  if (reader->n++ == reader->fails)
    return np_instance_fail (&reader->instance, NPROF_E_NOMEM, reader->why ? reader->why : "");
  for (guint i = 0; i < batch->n_rows; i++)
    reader->hash = reader->hash * 31 + (guint64) batch->start[i];
  return NPROF_OK;
}

static const struct nprof_component component = { .name = "reader", .consume = consume };

static GPtrArray *
readers_new (Reader *readers, guint n)
{
  GPtrArray *instances = g_ptr_array_new ();
  for (guint i = 0; i < n; i++) {
    readers[i] = (Reader){ .fails = G_MAXUINT,
                           .instance = { .component = &component, .self = &readers[i] } };
    g_ptr_array_add (instances, &readers[i].instance);
  }
  return instances;
}

/* Gives made batches until the first failure; returns how many, and the hash of a plain reader. */
static guint
give (NpAnalyzerThreads *threads, Reader *plain, GError **error)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  NpPool *pool = np_pool_new (64, 4);
  RandomRows like = { .n_tracks = 3, .n_inputs = 1, .times = 1000, .max_attrs = 2 };
  guint given = 0;
  gboolean ok = TRUE;
  for (; ok && given < BATCHES; given++) {
    NpBatch *batch = random_batch (rand, pool, &like, 50);
    consume (plain, &batch->view);
    ok = np_analyzer_threads_add (threads, batch, error);
    np_batch_unref (batch);
  }
  if (ok)
    np_analyzer_threads_end (threads, error);
  np_analyzer_threads_free (threads);
  np_pool_free (pool);
  return given;
}

static void
test_all_see_all (void)
{
  for (guint n_threads = 1; n_threads <= 6; n_threads++) {
    Reader readers[5], plain = { .fails = G_MAXUINT };
    g_autoptr (GPtrArray) instances = readers_new (readers, G_N_ELEMENTS (readers));
    g_autoptr (GError) error = NULL;
    g_assert_cmpuint (give (np_analyzer_threads_new (instances, n_threads), &plain, &error), ==,
                      BATCHES);
    g_assert_no_error (error);
    for (guint i = 0; i < G_N_ELEMENTS (readers); i++) {
      g_assert_cmpuint (readers[i].n, ==, BATCHES);
      g_assert_cmpuint (readers[i].hash, ==, plain.hash);
    }
  }
}

static void
test_failure (void)
{
  for (guint fails = 0; fails < BATCHES; fails += BATCHES - 1) {
    Reader readers[3], plain = { .fails = G_MAXUINT };
    g_autoptr (GPtrArray) instances = readers_new (readers, G_N_ELEMENTS (readers));
    g_autoptr (GError) error = NULL;
    readers[1].fails = fails;
    readers[1].why = "no more";
    give (np_analyzer_threads_new (instances, 2), &plain, &error);
    g_assert_nonnull (error);
    g_assert_cmpstr (error->message, ==, "reader: no more");
    g_assert_cmpuint (readers[1].n, ==, fails + 1);
  }
}

/* Of several failures the one counts that one thread would have met first: that of the earliest
 * batch, and there of the first reader. */
static void
test_first_failure (void)
{
  for (guint slow = 0; slow < 3; slow++)
    for (guint n_threads = 1; n_threads <= 3; n_threads++) {
      Reader readers[3], plain = { .fails = G_MAXUINT };
      g_autoptr (GPtrArray) instances = readers_new (readers, G_N_ELEMENTS (readers));
      g_autoptr (GError) error = NULL;
      readers[0].fails = 6;
      readers[0].why = "a later batch";
      readers[1].fails = readers[2].fails = 5;
      readers[1].why = "the first";
      readers[2].why = "a later reader";
      readers[slow].slow = 200;
      give (np_analyzer_threads_new (instances, n_threads), &plain, &error);
      g_assert_nonnull (error);
      g_assert_cmpstr (error->message, ==, "reader: the first");
      for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
        g_clear_error (&readers[i].instance.error);
    }
}

/* A slow reader holds the others back by the window at most. */
static void
test_uneven (void)
{
  Reader readers[4], plain = { .fails = G_MAXUINT };
  g_autoptr (GPtrArray) instances = readers_new (readers, G_N_ELEMENTS (readers));
  g_autoptr (GError) error = NULL;
  readers[2].slow = 50;
  give (np_analyzer_threads_new (instances, 2), &plain, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    g_assert_cmpuint (readers[i].hash, ==, plain.hash);
}

static void
test_dropped (void)
{
  Reader readers[2];
  g_autoptr (GPtrArray) instances = readers_new (readers, G_N_ELEMENTS (readers));
  np_analyzer_threads_free (np_analyzer_threads_new (instances, 2));
  g_assert_cmpuint (readers[0].n + readers[1].n, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/analyzer-threads/all-see-all", test_all_see_all);
  g_test_add_func ("/analyzer-threads/failure", test_failure);
  g_test_add_func ("/analyzer-threads/first-failure", test_first_failure);
  g_test_add_func ("/analyzer-threads/uneven", test_uneven);
  g_test_add_func ("/analyzer-threads/dropped", test_dropped);
  return g_test_run ();
}
