/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - an analyzer or a sink under test: opened, fed by the test or by a decoder, and
 * finished or aborted. */

#include "plugin/component.h"
#include "test-run.h"

NprofTestRun *
nprof_test_open (const struct nprof_component *component, const char *options,
                 const NprofTestConfig *config)
{
  g_assert (component->kind == NPROF_ANALYZER || component->kind == NPROF_SINK);
  NprofTestState *test = state_new (component, options, config);
  test->feed = host_new (test, TRUE, FALSE);
  test->len = G_MAXUINT64;
  guint order = test->self ? np_option_order (component, test->self) : component->order;
  const NpProjection keep = { .no_links = component->kind == NPROF_ANALYZER
                                          && component->flags & NPROF_ANALYZER_NO_LINKS };
  if (order != NPROF_ORDER_INPUT)
    test->order
        = np_sorter_new (order, test->shared->pool, test->shared->tracks,
                         config && config->run_bytes ? config->run_bytes : NP_SORT_RUN_BYTES,
                         &keep);
  state_open (test);
  state_publish (test);
  return &test->run;
}

const struct nprof_host *
nprof_test_host (NprofTestRun *run)
{
  return &run->test->feed->host;
}

static nprof_status
consume (NprofTestState *test, const struct nprof_batch *batch)
{
  if (test->run.status || !test->component.consume)
    return test->run.status;
  nprof_status status
      = CALL (test, test->host, "consume", test->component.consume (test->self, batch));
  return state_returned (test, test->host, "consume", status);
}

/* Widens the range of times, which a component that asked for an order may know from the start. */
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
feed_batch (NprofTestState *test, NpBatch *batch)
{
  np_batch_show_hidden (batch);
  np_batch_share (batch);
  if (!test->order)
    return consume (test, &batch->view);
  widen_range (&test->shared->info, &batch->view);
  g_autoptr (GError) error = NULL;
  if (!np_sorter_add (test->order, batch, &error))
    g_error ("%s", error->message);
  return test->run.status;
}

nprof_status
feed_chunk (NprofTestState *test, const NpChunk *chunk)
{
  if (test->run.status || !np_component_reads_table (&test->component, chunk->table->name))
    return test->run.status;
  nprof_status status
      = CALL (test, test->host, "table",
              test->component.table (test->self, chunk->table, chunk->cells, chunk->n_rows));
  return state_returned (test, test->host, "table", status);
}

static gboolean
emit (NpBatch *batch, gpointer user, GError **error)
{
  (void) error;
  np_batch_show_hidden (batch);
  np_batch_share (batch);
  consume (user, &batch->view);
  return TRUE;
}

static void
emit_in_order (NprofTestState *test)
{
  g_autoptr (GError) error = NULL;
  if (test->order && !test->run.status && !np_sorter_emit (test->order, emit, test, &error))
    g_error ("%s", error->message);
}

/* Delivers everything that was written to the component. */
static void
deliver_all (NprofTestState *test)
{
  test->ended = TRUE;
  if (!test->opened)
    return;
  host_flush_all (test->feed);
  emit_in_order (test);
}

GBytes *
nprof_test_save (NprofTestRun *run)
{
  NprofTestState *test = run->test;
  deliver_all (test);
  struct nprof_output *out = files_state (test);
  if (test->opened && !run->status)
    state_returned (test, test->host, "save",
                    CALL (test, test->host, "save", test->component.save (test->self, out)));
  state_close (test);
  state_publish (test);
  if (run->status)
    return NULL;
  const GString *data = ((Output *) out)->data;
  return g_bytes_new (data->str, data->len);
}

nprof_status
nprof_test_merge (NprofTestRun *run, const void *state, gsize len)
{
  NprofTestState *test = run->test;
  g_autofree void *copy = g_memdup2 (state, len); /* so that sanitizers see a read beyond it */
  if (test->opened && !run->status)
    state_returned (test, test->host, "merge",
                    CALL (test, test->host, "merge",
                          test->component.merge (test->self, copy, len)));
  return run->status;
}

nprof_status
nprof_test_finish (NprofTestRun *run)
{
  NprofTestState *test = run->test;
  const struct nprof_component *component = &test->component;
  if (test->ended)
    return run->status;
  deliver_all (test);
  if (test->opened && !run->status && component->finish)
    state_returned (test, test->host, "finish",
                    CALL (test, test->host, "finish", component->finish (test->self)));
  if (!run->status)
    run->status = host_flush_all (test->host);
  if (test->opened && run->status && component->abort) {
    call_begin (test, test->host, "abort");
    component->abort (test->self);
    call_end (test, test->host, NPROF_OK);
  }
  state_close (test);
  state_publish (test);
  return run->status;
}
