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
  NpTestWorld *world;
  Part *parts;
  guint n, next;
  gboolean failed;
} Parts;

int
np_test_probe (const struct nprof_component *decoder, const void *data, size_t len,
               const char *path)
{
  gsize shown = MIN (len, 64u << 10);
  g_autofree void *copy = g_malloc (MAX (shown, 1));
  if (shown)
    memcpy (copy, data, shown);
  return decoder->probe (copy, shown, len, path);
}

int
np_test_probe_guarded (const struct nprof_component *decoder, const void *data, size_t len,
                       const char *path, const NpTestWatch *watch)
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
new_worker (const NpTestWorld *world)
{
  return calloc (1, MAX (world->component.worker_size, 1));
}

static void
free_worker (NpTestWorld *world, void *worker)
{
  if (world->component.worker_close)
    world->component.worker_close (world->self, worker);
  free (worker);
}

static void
run_part (Parts *parts, guint number, void *worker)
{
  NpTestWorld *world = parts->world;
  Part *part = &parts->parts[number];
  part->begun = TRUE;
  part->host = host_new (world, FALSE, TRUE);
  part->host->host.worker = worker;
  part->state = calloc (1, MAX (world->component.part_size, 1));
  part->status
      = CALL (world, part->host, "decode_part",
              world->component.decode_part (world->self, number, part->state, &part->host->host));
  if (!part->status)
    part->status = host_flush_all (part->host);
  if (part->status)
    __atomic_store_n (&parts->failed, TRUE, __ATOMIC_RELAXED);
}

static void *
part_thread (void *user)
{
  Parts *parts = user;
  void *worker = new_worker (parts->world);
  for (;;) {
    guint number = __atomic_fetch_add (&parts->next, 1, __ATOMIC_RELAXED);
    if (number >= parts->n || __atomic_load_n (&parts->failed, __ATOMIC_RELAXED))
      break;
    run_part (parts, number, worker);
  }
  free_worker (parts->world, worker);
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
join (NpTestWorld *world, guint number, Part *part, gboolean failed)
{
  nprof_status status = NPROF_OK;
  if (world->component.join)
    status = CALL (world, world->host, "join",
                   world->component.join (world->self, number, part->state, failed));
  g_clear_pointer (&part->state, free);
  part->begun = FALSE;
  if (failed)
    return NPROF_OK;
  status = world_returned (world, world->host, "join", status);
  return status ? status : host_flush_all (world->host);
}

/* Delivers what the part gave and joins it. */
static nprof_status
end_part (NpTestWorld *world, guint number, Part *part)
{
  nprof_status status = world_returned (world, part->host, "decode_part", part->status);
  for (guint i = 0; !status && i < part->host->items->len; i++) {
    Item *item = g_ptr_array_index (part->host->items, i);
    status = host_deliver (world, FALSE, g_steal_pointer (&item->batch),
                           g_steal_pointer (&item->chunk));
  }
  return status ? status : join (world, number, part, FALSE);
}

static nprof_status
decode_parts (NpTestWorld *world, guint n)
{
  g_autofree Part *all = g_new0 (Part, MAX (n, 1));
  Parts parts = { world, all, n, 0, FALSE };
  guint threads = world->config.threads;
  void *worker = new_worker (world);
  nprof_status status = host_flush_all (world->host); /* what plan wrote comes first */
  if (!status && threads > 2)
    run_threads (&parts, threads);
  else if (!status && threads == 2)
    for (guint k = n; k-- > 0 && !parts.failed;)
      run_part (&parts, k, worker);
  for (guint k = 0; !status && k < n; k++) {
    if (!all[k].begun && !parts.failed)
      run_part (&parts, k, worker);
    if (all[k].begun)
      status = end_part (world, k, &all[k]);
  }
  for (guint k = 0; k < n; k++) {
    if (all[k].begun)
      join (world, k, &all[k], TRUE);
    host_free (all[k].host);
  }
  free_worker (world, worker);
  return status;
}

/* The content's own attributes become columns, as in a run. */
static nprof_status
declare (NpTestWorld *world, const void *data, guint64 len)
{
  struct nprof_declaration out = { .size = sizeof out };
  nprof_status status = CALL (world, world->host, "declare",
                              world->component.declare (world->self, data, len, &out));
  world_returned (world, world->host, "declare", status);
  if (status)
    return status;
  world->declared = np_declared_new (&out);
  np_columns_declare (world->shared->columns, out.attributes);
  return NPROF_OK;
}

static nprof_status
decode (NpTestWorld *world, const void *data, guint64 len)
{
  const struct nprof_component *c = &world->component;
  nprof_status status = world_open (world);
  if (!status && c->declare)
    status = declare (world, data, len);
  if (status)
    return status;
  if (c->plan) {
    uint32_t n = 0;
    status = CALL (world, world->host, "plan", c->plan (world->self, data, len, &n));
    world_returned (world, world->host, "plan", status);
    if (!status)
      status = decode_parts (world, n);
  } else {
    status = CALL (world, world->host, "decode", c->decode (world->self, data, len));
    world_returned (world, world->host, "decode", status);
    if (!status)
      status = host_flush_all (world->host);
  }
  if (!status && c->finish)
    status = world_returned (world, world->host, "finish",
                             CALL (world, world->host, "finish", c->finish (world->self)));
  return status ? status : host_flush_all (world->host);
}

/* Memory of exactly that length, so that a read beyond it is seen. */
static void *
copy_data (NpTestWorld *world, const void *data, size_t len)
{
  const NpTestWatch *watch = world->config.watch;
  void *copy = world->config.guarded ? np_guard_copy (data, len) : malloc (MAX (len, 1));
  g_assert_nonnull (copy);
  if (len && !world->config.guarded)
    memcpy (copy, data, len);
  if (watch && watch->lent)
    watch->lent (watch->user, "the input", copy, len);
  return copy;
}

static void
free_data (NpTestWorld *world, void *copy, size_t len)
{
  if (world->config.guarded)
    np_guard_free (copy, len);
  else
    free (copy);
}

NpTestRun *
np_test_decode (const struct nprof_component *decoder, const char *options, const void *data,
                size_t len, const NpTestConfig *config)
{
  g_assert (decoder->kind == NPROF_DECODER);
  NpTestWorld *world = world_new (decoder, options, config);
  world->len = len;
  world->shared->input.bytes = len;
  void *copy = copy_data (world, data, len);
  nprof_status status = decode (world, copy, len);
  if (!world->run.status)
    world->run.status = status;
  world_close (world);
  free_data (world, copy, len);
  world_publish (world);
  return &world->run;
}
