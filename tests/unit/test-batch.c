/* SPDX-License-Identifier: Apache-2.0 */
/* test-batch.c - limits, reuse and copies of batches. */

#include "rows/batch.h"

#include <nprof/sdk.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static nprof_status
no_flush (struct nprof_writer *w)
{
  (void) w;
  return NPROF_CANCELLED;
}

static NpBatch *
take (NpPool *pool)
{
  NpBatch *batch = np_pool_take (pool);
  batch->writer.flush = no_flush;
  return batch;
}

static void
test_fresh (void)
{
  NpPool *pool = np_pool_new (100, 2);
  NpBatch *batch = take (pool);
  const struct nprof_writer *w = &batch->writer;
  g_assert_cmpuint (w->max_rows, ==, 100);
  g_assert_cmpuint (w->n_rows + w->n_attrs + w->n_bytes + w->present, ==, 0);
  g_assert_cmpuint (w->max_attrs, >=, NPROF_ROW_ATTRS);
  g_assert_cmpuint (w->max_bytes, >=, NPROF_ROW_BYTES);
  g_assert_cmpuint (w->attr_at[0], ==, 0);
  const void *columns[]
      = { w->start,   w->duration,    w->track,     w->name,       w->category, w->kind,
          w->value,   w->value_valid, w->id,        w->parent,     w->flow,     w->shared,
          w->attr_at, w->attr_key,    w->attr_type, w->attr_value, w->bytes };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    g_assert_cmpuint ((gsize) columns[i] % 64, ==, 0);
  np_batch_unref (batch);
  np_pool_free (pool);
}

/* Columns do not overlap: each is filled to its end with its own pattern. */
static void
test_layout (void)
{
  NpPool *pool = np_pool_new (13, 0);
  NpBatch *batch = take (pool);
  struct nprof_writer *w = &batch->writer;
  const struct {
    void *at;
    gsize size;
  } columns[] = {
    { w->start, 13 * 8 },
    { w->duration, 13 * 8 },
    { w->track, 13 * 4 },
    { w->name, 13 * 4 },
    { w->category, 13 * 4 },
    { w->kind, 13 },
    { w->value, 13 * 8 },
    { w->value_valid, 2 },
    { w->id, 13 * 8 },
    { w->parent, 13 * 8 },
    { w->flow, 13 * 8 },
    { w->shared, 13 * 4 },
    { w->attr_at, 14 * 4 },
    { w->attr_key, w->max_attrs * 4 },
    { w->attr_type, w->max_attrs },
    { w->attr_value, w->max_attrs * 8 },
    { w->bytes, w->max_bytes },
  };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    memset (columns[i].at, (int) i + 1, columns[i].size);
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    for (gsize k = 0; k < columns[i].size; k++)
      g_assert_cmpuint (((guint8 *) columns[i].at)[k], ==, i + 1);
  np_batch_unref (batch);
  np_pool_free (pool);
}

static void
test_seal (void)
{
  NpPool *pool = np_pool_new (8, 2);
  NpBatch *batch = take (pool);
  struct nprof_writer *w = &batch->writer;
  nprof_span (w, 1, 2, 10, 5);
  np_batch_seal (batch, 3);
  g_assert_cmpuint (batch->view.size, ==, sizeof batch->view);
  g_assert_cmpuint (batch->view.n_rows, ==, 1);
  g_assert_cmpuint (batch->view.input, ==, 3);
  g_assert_null (batch->view.value);
  g_assert_null (batch->view.value_valid);
  g_assert_null (batch->view.id);
  g_assert_null (batch->view.parent);
  g_assert_null (batch->view.flow);
  g_assert_null (batch->view.shared);
  g_assert_null (batch->view.attr_at);
  np_batch_unref (batch);

  batch = take (pool);
  w = &batch->writer;
  nprof_counter (w, 1, 2, 10, 0.5);
  nprof_set_id (w, 7);
  nprof_set_parent (w, 8);
  nprof_set_flow (w, 9);
  nprof_set_shared (w, 10);
  nprof_attr_int (w, 5, -1);
  np_batch_seal (batch, 0);
  g_assert_cmpfloat (batch->view.value[0], ==, 0.5);
  g_assert_cmpuint (batch->view.value_valid[0], ==, 1);
  g_assert_cmpuint (batch->view.id[0], ==, 7);
  g_assert_cmpuint (batch->view.parent[0], ==, 8);
  g_assert_cmpuint (batch->view.flow[0], ==, 9);
  g_assert_cmpuint (batch->view.shared[0], ==, 10);
  g_assert_cmpuint (batch->view.attr_at[1], ==, 1);
  np_batch_unref (batch);
  np_pool_free (pool);
}

/* Rows that one user of a batch leaves must not show up for the next. */
static void
test_reuse (void)
{
  NpPool *pool = np_pool_new (64, 1);
  NpBatch *first = take (pool);
  for (guint i = 0; i < 64; i++) {
    nprof_counter (&first->writer, 1, 2, i, 1.0);
    nprof_set_id (&first->writer, 1);
    nprof_set_parent (&first->writer, 1);
    nprof_set_flow (&first->writer, 1);
    nprof_set_shared (&first->writer, 1);
  }
  first->writer.n_rows = 1; /* rows that were dropped again leave nothing behind either */
  np_batch_unref (first);

  NpBatch *second = take (pool);
  g_assert_true (second == first);
  const struct nprof_writer *w = &second->writer;
  g_assert_cmpuint (w->present, ==, 0);
  for (guint i = 0; i < 64; i++) {
    g_assert_cmpfloat (w->value[i], ==, 0);
    g_assert_cmpuint (w->value_valid[i / 8] | w->id[i] | w->parent[i] | w->flow[i] | w->shared[i],
                      ==, 0);
  }
  np_batch_unref (second);
  np_pool_free (pool);
}

static void
test_grow (void)
{
  NpPool *pool = np_pool_new (4, 1);
  NpBatch *batch = take (pool);
  struct nprof_writer *w = &batch->writer;
  guint normal_attrs = w->max_attrs, normal_bytes = w->max_bytes, n = normal_attrs * 3 + 1;
  g_autofree char *text = g_strnfill (1000, 'x');
  nprof_span (w, 1, 2, 0, 1);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (nprof_attr_bytes (w, i + 1, NPROF_TEXT, text, 1000), ==, NPROF_OK);
  g_assert_cmpuint (w->n_attrs, ==, n);
  g_assert_cmpuint ((gsize) w->attr_value % 64, ==, 0);
  for (guint i = 0; i < n; i++) {
    g_assert_cmpuint (w->attr_key[i], ==, i + 1);
    g_assert_cmpuint (w->attr_type[i], ==, NPROF_TEXT);
    g_assert_cmpuint (w->attr_value[i].bytes.at, ==, i * 1000);
    g_assert_cmpmem (w->bytes + i * 1000, 1000, text, 1000);
  }
  np_batch_unref (batch);

  batch = take (pool); /* back in the pool it is of the usual size */
  g_assert_cmpuint (batch->writer.max_attrs, ==, normal_attrs);
  g_assert_cmpuint (batch->writer.max_bytes, ==, normal_bytes);
  memset (batch->writer.bytes, 1, normal_bytes);
  np_batch_unref (batch);
  np_pool_free (pool);
}

static void
test_grow_too_much (void)
{
  NpPool *pool = np_pool_new (4, 1);
  NpBatch *batch = take (pool);
  struct nprof_writer *w = &batch->writer;
  nprof_attr_bytes (w, 1, NPROF_TEXT, "x", 1);
  g_assert_cmpint (np_batch_grow (batch, 0, G_MAXUINT32), ==, NPROF_E_NOMEM);
  g_assert_cmpint (np_batch_grow (batch, G_MAXUINT32, 0), ==, NPROF_E_NOMEM);
  g_assert_cmpuint (w->n_bytes, ==, 1);
  g_assert_cmpint (w->bytes[0], ==, 'x');
  g_assert_cmpint (np_batch_grow (batch, 0, 0), ==, NPROF_OK);
  np_batch_unref (batch);
  np_pool_free (pool);
}

/* -- Copies ---------------------------------------------------------------- */

static NpBatch *
source (NpPool *pool)
{
  NpBatch *batch = take (pool);
  struct nprof_writer *w = &batch->writer;
  nprof_span (w, 1, 11, 100, 5);
  nprof_attr_bytes (w, 1, NPROF_TEXT, "not copied", 10);
  nprof_counter (w, 2, 12, -7, 1.5);
  nprof_set_category (w, 13);
  nprof_set_id (w, 21);
  nprof_set_parent (w, 22);
  nprof_set_flow (w, 23);
  nprof_set_shared (w, 24);
  nprof_attr_int (w, 1, 42);
  nprof_attr_bytes (w, 2, NPROF_JSON, "[1]", 3);
  nprof_attr_str (w, 3, 9);
  nprof_attr_bytes (w, 4, NPROF_TEXT, "", 0);
  nprof_attr_bytes (w, 5, NPROF_ID128, "0123456789abcdef", 16);
  nprof_span (w, 3, 14, 300, -1);
  np_batch_seal (batch, 0);
  return batch;
}

static void
test_copy (void)
{
  NpPool *pool = np_pool_new (16, 4);
  NpBatch *from = source (pool), *to = take (pool);
  for (gint i = 2; i >= 0; i--)
    g_assert_true (np_batch_copy_row (to, &from->view, (guint) i));
  np_batch_seal (to, 0);
  const struct nprof_batch *b = &to->view;
  g_assert_cmpuint (b->n_rows, ==, 3);
  g_assert_cmpint (b->duration[0], ==, -1);
  g_assert_cmpint (b->start[1], ==, -7);
  g_assert_cmpuint (b->track[1], ==, 2);
  g_assert_cmpuint (b->name[1], ==, 12);
  g_assert_cmpuint (b->category[1], ==, 13);
  g_assert_cmpuint (b->kind[1], ==, NPROF_COUNTER);
  g_assert_cmpuint (b->value_valid[0], ==, 2);
  g_assert_cmpfloat (b->value[1], ==, 1.5);
  g_assert_cmpuint (b->id[1], ==, 21);
  g_assert_cmpuint (b->parent[1], ==, 22);
  g_assert_cmpuint (b->flow[1], ==, 23);
  g_assert_cmpuint (b->shared[1], ==, 24);
  g_assert_cmpuint (b->id[0] | b->id[2], ==, 0);
  g_assert_cmpuint (b->attr_at[1], ==, 0);
  g_assert_cmpuint (b->attr_at[2], ==, 5);
  g_assert_cmpuint (b->attr_at[3], ==, 6);
  g_assert_cmpint (b->attr_value[0].i, ==, 42);
  g_assert_cmpmem (b->bytes + b->attr_value[1].bytes.at, b->attr_value[1].bytes.len, "[1]", 3);
  g_assert_cmpuint (b->attr_value[3].bytes.len, ==, 0);
  g_assert_cmpmem (b->bytes + b->attr_value[4].bytes.at, 16, "0123456789abcdef", 16);
  g_assert_cmpmem (b->bytes + b->attr_value[5].bytes.at, 10, "not copied", 10);
  np_batch_unref (from);
  np_batch_unref (to);
  np_pool_free (pool);
}

/* A full batch takes no row; an empty one takes any row, however large. */
static void
test_copy_full (void)
{
  NpPool *pool = np_pool_new (NP_BATCH_ROWS, 4);
  NpBatch *from = take (pool), *to = take (pool);
  g_autofree char *text = g_strnfill (300 << 10, 'y');
  for (guint i = 0; i < 2; i++) {
    nprof_span (&from->writer, 1, 2, i, 1);
    from->writer.flush = no_flush;
    g_assert_cmpint (nprof_attr_bytes (&from->writer, 1, NPROF_TEXT, text, 300 << 10), ==, 0);
  }
  np_batch_seal (from, 0);
  g_assert_true (np_batch_copy_row (to, &from->view, 0));
  g_assert_cmpuint (to->writer.n_bytes, ==, 300 << 10);
  guint before = to->writer.n_attrs;
  g_assert_false (np_batch_copy_row (to, &from->view, 1)); /* no room for its bytes */
  g_assert_cmpuint (to->writer.n_rows, ==, 1);
  g_assert_cmpuint (to->writer.n_attrs, ==, before);
  np_batch_unref (from);
  np_batch_unref (to);
  np_pool_free (pool);
}

/* -- Threads --------------------------------------------------------------- */

static void *
churn (void *user)
{
  NpPool *pool = user;
  for (guint i = 0; i < 2000; i++) {
    NpBatch *batch = take (pool);
    g_assert_cmpuint (batch->writer.id[0], ==, 0);
    nprof_span (&batch->writer, 1, 1, i, 1);
    nprof_set_id (&batch->writer, i + 1);
    NpBatch *again = np_batch_ref (batch);
    np_batch_unref (batch);
    g_assert_cmpuint (again->writer.id[0], ==, i + 1);
    np_batch_unref (again);
  }
  return NULL;
}

static void
test_threads (void)
{
  NpPool *pool = np_pool_new (16, 2);
  pthread_t threads[4];
  for (guint i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, churn, pool);
  for (guint i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  np_pool_free (pool);
}

/* A batch that never came back is a bug that must not pass. */
static void
test_leak (void)
{
  if (g_test_subprocess ()) {
    NpPool *pool = np_pool_new (16, 2);
    take (pool);
    np_pool_free (pool);
    return;
  }
  g_test_trap_subprocess (NULL, 0, (GTestSubprocessFlags) 0);
  g_test_trap_assert_failed ();
  g_test_trap_assert_stderr ("*n_out*");
}

/* Does writing one byte there end the process? */
static gboolean
writing_kills (void *at)
{
  pid_t child = fork ();
  if (child == 0) {
    signal (SIGSEGV, SIG_DFL);
    *(volatile guint8 *) at = 0;
    _exit (0);
  }
  int status = 0;
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFSIGNALED (status);
}

static void
test_guarded (void)
{
  NpPool *pool = np_pool_new (64, 0);
  np_pool_guard (pool);
  NpBatch *batch = take (pool);
  struct nprof_writer *w = &batch->writer;
  g_assert_cmpuint ((gsize) w->attr_at % 64, ==, 0);
  for (guint i = 0; i < 64; i++)
    nprof_span (w, 1, 2, i, 0);
  g_assert_false (writing_kills (&w->start[63]));
  g_assert_true (writing_kills (&w->start[64]));
  g_assert_true (writing_kills (&w->kind[64]));
  g_assert_cmpint (np_batch_grow (batch, w->max_attrs + 1, w->max_bytes + 1), ==, NPROF_OK);
  g_assert_false (writing_kills (&w->attr_value[w->max_attrs - 1]));
  g_assert_true (writing_kills (&w->attr_value[w->max_attrs]));
  g_assert_true (writing_kills (w->bytes + (w->max_bytes + 63) / 64 * 64));

  np_batch_seal (batch, 0);
  np_batch_share (batch);
  g_assert_cmpint (batch->view.start[63], ==, 63);
  g_assert_true (writing_kills (&w->start[0]));
  g_assert_cmpuint (np_pool_out (pool), ==, 1);
  void *start = w->start;
  np_batch_unref (batch);
  g_assert_true (writing_kills (start));
  g_assert_cmpuint (np_pool_out (pool), ==, 0);
  np_pool_free (pool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch/fresh", test_fresh);
  g_test_add_func ("/batch/layout", test_layout);
  g_test_add_func ("/batch/seal", test_seal);
  g_test_add_func ("/batch/reuse", test_reuse);
  g_test_add_func ("/batch/grow", test_grow);
  g_test_add_func ("/batch/grow-too-much", test_grow_too_much);
  g_test_add_func ("/batch/copy", test_copy);
  g_test_add_func ("/batch/copy-full", test_copy_full);
  g_test_add_func ("/batch/guarded", test_guarded);
  g_test_add_func ("/batch/threads", test_threads);
  g_test_add_func ("/batch/leak", test_leak);
  return g_test_run ();
}
