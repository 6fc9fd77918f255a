/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c - all of a decoder's life on bytes of a test: whole, or in parts that run in
 * order, backwards or on threads, and are delivered in order. */

#include "base/guard-pages.h"
#include "test-run.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  Host *host;
  void *state;
  nprof_status status;
  gboolean begun;
} Part;

typedef struct {
  NprofTestState *test;
  Part *parts;
  guint n, next;
  gboolean failed;
} Parts;

int
nprof_test_probe (const struct nprof_component *decoder, const void *data, size_t len,
                  const char *path)
{
  gsize shown = MIN (len, 64u << 10);
  g_autofree void *copy = g_malloc (MAX (shown, 1));
  if (shown)
    memcpy (copy, data, shown);
  return decoder->probe (copy, shown, len, path);
}

int
nprof_test_probe_guarded (const struct nprof_component *decoder, const void *data, size_t len,
                          const char *path, const NprofTestWatch *watch)
{
  gsize shown = MIN (len, 64u << 10);
  void *copy = np_guard_copy (data, shown);
  g_assert_nonnull (copy);
  if (watch && watch->lent)
    watch->lent (watch->user, "the head", copy, shown);
  if (watch && watch->call)
    watch->call (watch->user, "probe");
  int sure = decoder->probe (copy, shown, len, path);
  if (watch && watch->call)
    watch->call (watch->user, NULL);
  np_guard_free (copy, shown);
  return sure;
}

static void *
new_worker (const NprofTestState *test)
{
  return calloc (1, MAX (test->component.worker_size, 1));
}

static void
free_worker (NprofTestState *test, void *worker)
{
  if (test->component.worker_close)
    test->component.worker_close (test->self, worker);
  free (worker);
}

static void
run_part (Parts *parts, guint number, void *worker)
{
  NprofTestState *test = parts->test;
  Part *part = &parts->parts[number];
  part->begun = TRUE;
  part->host = host_new (test, FALSE, TRUE);
  part->host->host.worker = worker;
  part->state = calloc (1, MAX (test->component.part_size, 1));
  part->status
      = CALL (test, part->host, "decode_part",
              test->component.decode_part (test->self, number, part->state, &part->host->host));
  if (!part->status)
    part->status = host_flush_all (part->host);
  if (part->status)
    __atomic_store_n (&parts->failed, TRUE, __ATOMIC_RELAXED);
}

static void *
part_thread (void *user)
{
  Parts *parts = user;
  void *worker = new_worker (parts->test);
  for (;;) {
    guint number = __atomic_fetch_add (&parts->next, 1, __ATOMIC_RELAXED);
    if (number >= parts->n || __atomic_load_n (&parts->failed, __ATOMIC_RELAXED))
      break;
    run_part (parts, number, worker);
  }
  free_worker (parts->test, worker);
  return NULL;
}

static void
run_threads (Parts *parts, guint n)
{
  g_autofree pthread_t *threads = g_new (pthread_t, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, part_thread, parts), ==, 0);
  for (guint i = 0; i < n; i++)
    pthread_join (threads[i], NULL);
}

static nprof_status
join (NprofTestState *test, guint number, Part *part, gboolean failed)
{
  nprof_status status = NPROF_OK;
  if (test->component.join)
    status = CALL (test, test->host, "join",
                   test->component.join (test->self, number, part->state, failed));
  g_clear_pointer (&part->state, free);
  part->begun = FALSE;
  if (failed)
    return NPROF_OK;
  status = state_returned (test, test->host, "join", status);
  return status ? status : host_flush_all (test->host);
}

/* Delivers the rows of the part and joins it. */
static nprof_status
end_part (NprofTestState *test, guint number, Part *part)
{
  nprof_status status = state_returned (test, part->host, "decode_part", part->status);
  for (guint i = 0; !status && i < part->host->items->len; i++) {
    Item *item = g_ptr_array_index (part->host->items, i);
    status = host_deliver (test, FALSE, g_steal_pointer (&item->batch),
                           g_steal_pointer (&item->chunk));
  }
  return status ? status : join (test, number, part, FALSE);
}

static nprof_status
decode_parts (NprofTestState *test, guint n)
{
  g_autofree Part *all = g_new0 (Part, MAX (n, 1));
  Parts parts = { test, all, n, 0, FALSE };
  guint threads = test->config.threads;
  void *worker = new_worker (test);
  nprof_status status = host_flush_all (test->host); /* what plan wrote comes first */
  if (!status && threads > 2)
    run_threads (&parts, threads);
  else if (!status && threads == 2)
    for (guint k = n; k-- > 0 && !parts.failed;)
      run_part (&parts, k, worker);
  for (guint k = 0; !status && k < n; k++) {
    if (!all[k].begun && !parts.failed)
      run_part (&parts, k, worker);
    if (all[k].begun)
      status = end_part (test, k, &all[k]);
  }
  for (guint k = 0; k < n; k++) {
    if (all[k].begun)
      join (test, k, &all[k], TRUE);
    host_free (all[k].host);
  }
  free_worker (test, worker);
  return status;
}

/* Makes the content's own attributes columns, as in a run. */
static nprof_status
declare (NprofTestState *test, const void *data, guint64 len)
{
  struct nprof_declaration out = { .size = sizeof out };
  nprof_status status
      = CALL (test, test->host, "declare", test->component.declare (test->self, data, len, &out));
  state_returned (test, test->host, "declare", status);
  if (status)
    return status;
  test->declared = np_declared_new (&out);
  np_columns_declare (test->shared->columns, out.attributes);
  return NPROF_OK;
}

static nprof_status
decode (NprofTestState *test, const void *data, guint64 len)
{
  const struct nprof_component *c = &test->component;
  nprof_status status = state_open (test);
  if (!status && c->declare)
    status = declare (test, data, len);
  if (status)
    return status;
  if (c->plan) {
    uint32_t n = 0;
    status = CALL (test, test->host, "plan", c->plan (test->self, data, len, &n));
    state_returned (test, test->host, "plan", status);
    if (!status)
      status = decode_parts (test, n);
  } else {
    status = CALL (test, test->host, "decode", c->decode (test->self, data, len));
    state_returned (test, test->host, "decode", status);
    if (!status)
      status = host_flush_all (test->host);
  }
  if (!status && c->finish)
    status = state_returned (test, test->host, "finish",
                             CALL (test, test->host, "finish", c->finish (test->self)));
  return status ? status : host_flush_all (test->host);
}

/* Copies to memory of exactly that length, so that a read beyond it is seen. */
static void *
copy_data (NprofTestState *test, const void *data, size_t len)
{
  const NprofTestWatch *watch = test->config.watch;
  void *copy = test->config.guarded ? np_guard_copy (data, len) : malloc (MAX (len, 1));
  g_assert_nonnull (copy);
  if (len && !test->config.guarded)
    memcpy (copy, data, len);
  if (watch && watch->lent)
    watch->lent (watch->user, "the input", copy, len);
  return copy;
}

static void
free_data (NprofTestState *test, void *copy, size_t len)
{
  if (test->config.guarded)
    np_guard_free (copy, len);
  else
    free (copy);
}

NprofTestRun *
nprof_test_decode (const struct nprof_component *decoder, const char *options, const void *data,
                   size_t len, const NprofTestConfig *config)
{
  g_assert (decoder->kind == NPROF_DECODER);
  NprofTestState *test = state_new (decoder, options, config);
  test->len = len;
  test->shared->input.bytes = len;
  void *copy = copy_data (test, data, len);
  nprof_status status = decode (test, copy, len);
  if (!test->run.status)
    test->run.status = status;
  if (!test->config.hostile)
    rules_links (test);
  state_close (test);
  free_data (test, copy, len);
  state_publish (test);
  return &test->run;
}
