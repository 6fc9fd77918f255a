/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - an analyzer or a sink under test: opened, fed by the test or by a decoder, and
 * finished or aborted. */

#include "test-run.h"

NpTestRun *
np_test_open (const struct nprof_component *component, const char *options,
              const NpTestConfig *config)
{
  g_assert (component->kind == NPROF_ANALYZER || component->kind == NPROF_SINK);
  NpTestWorld *world = world_new (component, options, config);
  world->feed = host_new (world, TRUE, FALSE);
  world->len = G_MAXUINT64;
  guint order = world->self ? np_option_order (component, world->self) : component->order;
  const NpProjection keep = { .no_links = component->kind == NPROF_ANALYZER
                                          && component->flags & NPROF_ANALYZER_NO_LINKS };
  if (order != NPROF_ORDER_INPUT)
    world->order
        = np_sorter_new (order, world->shared->pool, world->shared->tracks,
                         config && config->run_bytes ? config->run_bytes : NP_SORT_RUN_BYTES,
                         &keep);
  world_open (world);
  world_publish (world);
  return &world->run;
}

const struct nprof_host *
np_test_host (NpTestRun *run)
{
  return &run->world->feed->host;
}

static nprof_status
consume (NpTestWorld *world, const struct nprof_batch *batch)
{
  if (world->run.status || !world->component.consume)
    return world->run.status;
  nprof_status status
      = CALL (world, world->host, "consume", world->component.consume (world->self, batch));
  return world_returned (world, world->host, "consume", status);
}

/* What a component that asked for an order may know from the start. */
static void
widen_range (struct nprof_run_info *info, const struct nprof_batch *batch)
{
  for (guint i = 0; i < batch->n_rows; i++) {
    gint64 length = batch->duration[i] > 0 ? batch->duration[i] : 0;
    if (batch->kind[i] == NPROF_FACT)
      continue;
    info->first = MIN (info->first, batch->start[i]);
    info->last = MAX (info->last, batch->start[i] + length);
  }
}

nprof_status
feed_batch (NpTestWorld *world, NpBatch *batch)
{
  np_batch_show_hidden (batch);
  if (!world->order)
    return consume (world, &batch->view);
  widen_range (&world->shared->info, &batch->view);
  g_autoptr (GError) error = NULL;
  if (!np_sorter_add (world->order, batch, &error))
    g_error ("%s", error->message);
  return world->run.status;
}

nprof_status
feed_chunk (NpTestWorld *world, const NpChunk *chunk)
{
  if (world->run.status || !world->component.table)
    return world->run.status;
  nprof_status status
      = CALL (world, world->host, "table",
              world->component.table (world->self, chunk->table, chunk->cells, chunk->n_rows));
  return world_returned (world, world->host, "table", status);
}

static gboolean
emit (NpBatch *batch, gpointer user, GError **error)
{
  (void) error;
  np_batch_show_hidden (batch);
  consume (user, &batch->view);
  return TRUE;
}

static void
emit_in_order (NpTestWorld *world)
{
  g_autoptr (GError) error = NULL;
  if (world->order && !world->run.status && !np_sorter_emit (world->order, emit, world, &error))
    g_error ("%s", error->message);
}

/* All that was written has reached the component then. */
static void
deliver_all (NpTestWorld *world)
{
  world->ended = TRUE;
  if (!world->opened)
    return;
  host_flush_all (world->feed);
  emit_in_order (world);
}

GBytes *
np_test_save (NpTestRun *run)
{
  NpTestWorld *world = run->world;
  deliver_all (world);
  struct nprof_output *out = files_state (world);
  if (world->opened && !run->status)
    world_returned (world, world->host, "save",
                    CALL (world, world->host, "save", world->component.save (world->self, out)));
  world_close (world);
  world_publish (world);
  if (run->status)
    return NULL;
  const GString *data = ((Output *) out)->data;
  return g_bytes_new (data->str, data->len);
}

nprof_status
np_test_merge (NpTestRun *run, const void *state, gsize len)
{
  NpTestWorld *world = run->world;
  g_autofree void *copy = g_memdup2 (state, len); /* so that sanitizers see a read beyond it */
  if (world->opened && !run->status)
    world_returned (world, world->host, "merge",
                    CALL (world, world->host, "merge",
                          world->component.merge (world->self, copy, len)));
  return run->status;
}

nprof_status
np_test_finish (NpTestRun *run)
{
  NpTestWorld *world = run->world;
  const struct nprof_component *component = &world->component;
  if (world->ended)
    return run->status;
  deliver_all (world);
  if (world->opened && !run->status && component->finish)
    world_returned (world, world->host, "finish",
                    CALL (world, world->host, "finish", component->finish (world->self)));
  if (!run->status)
    run->status = host_flush_all (world->host);
  if (world->opened && run->status && component->abort) {
    call_begin (world, world->host, "abort");
    component->abort (world->self);
    call_end (world, world->host, NPROF_OK);
  }
  world_close (world);
  world_publish (world);
  return run->status;
}
