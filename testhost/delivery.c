/* SPDX-License-Identifier: Apache-2.0 */
/* delivery.c - the rows and tables that a component hands over: checked, then collected for
 * the test, delivered to the stage behind it, or kept until it is the part's turn. */

#include "rows/row-rules.h"
#include "test-run.h"

#include <string.h>

/* -- Rows ------------------------------------------------------------------ */

/* Looks at facts; rules.c says what is wrong with one. */
static void
see_facts (NprofTestState *test, const struct nprof_batch *batch)
{
  g_autofree char *problem = NULL;
  np_facts_see (test->shared->facts, batch, &problem);
}

/* Takes a batch, or a chunk of a table.  `feeds`: it comes from the test itself and goes into the
 * component under test; else it comes from that component, is collected for the test, and goes into
 * the stage behind it. */
nprof_status
host_deliver (NprofTestState *test, gboolean feeds, NpBatch *batch, NpChunk *chunk)
{
  NprofTestState *into = feeds ? test : test->config.into ? test->config.into->test : NULL;
  nprof_status status = NPROF_OK;
  if (batch) {
    test->rows_seen = TRUE;
    for (guint i = 0; i < batch->view.n_rows; i++)
      np_tracks_delivered (test->shared->tracks, batch->view.track[i], 1);
    if (!feeds)
      collect_batch (test, &batch->view);
    see_facts (test, &batch->view);
    if (into)
      status = feed_batch (into, batch);
    np_batch_unref (batch);
  } else {
    if (!feeds)
      collect_chunk (test, chunk);
    if (into)
      status = feed_chunk (into, chunk);
    np_chunk_unref (chunk);
  }
  /* A decoder is told to stop when the stage behind it has failed. */
  return status && !feeds ? NPROF_CANCELLED : status;
}

static nprof_status
hand_over (Host *self, NpBatch *batch, NpChunk *chunk)
{
  if (!self->items)
    return host_deliver (self->test, self->feeds, batch, chunk);
  Item *item = g_new0 (Item, 1);
  item->batch = batch;
  item->chunk = chunk;
  g_ptr_array_add (self->items, item);
  return NPROF_OK;
}

static nprof_status
flush_rows (Host *self)
{
  NpBatch *batch = g_steal_pointer (&self->batch);
  if (!batch)
    return NPROF_OK;
  batch->writer = self->writer;
  gboolean sound = self->feeds || rules_batch (self->test, &self->writer);
  self->unreported += self->writer.n_rows;
  if (self->unreported > NP_MOST_UNREPORTED && self->test->component.kind == NPROF_DECODER
      && !self->feeds) {
    state_broke (self->test, "more than 100,000 rows without a call of progress");
    sound = FALSE;
  }
  if (!sound || self->writer.n_rows == 0) {
    np_batch_unref (batch);
    return sound ? NPROF_OK : NPROF_E_CONTRACT;
  }
  np_batch_seal (batch, self->test->shared->input.number);
  np_batch_share (batch);
  return hand_over (self, batch, NULL);
}

static nprof_status lend (Host *self);

static nprof_status
writer_flush (struct nprof_writer *writer)
{
  Host *self = (Host *) ((char *) writer - offsetof (Host, writer));
  call_check (self, "flush");
  if (self->flush_failed)
    state_broke (self->test, "flush was called again after it had failed");
  nprof_status status = host_no_memory (self) ? NPROF_E_NOMEM : host_stopped (self);
  if (!status)
    status = flush_rows (self);
  if (!status)
    status = lend (self);
  self->flush_failed = status != NPROF_OK;
  return host_refuse (self, status);
}

static nprof_status
writer_grow (struct nprof_writer *writer, uint32_t attrs, uint32_t bytes)
{
  Host *self = (Host *) ((char *) writer - offsetof (Host, writer));
  call_check (self, "grow");
  if (host_no_memory (self) || rules_too_long (self, "a value", (guint64) writer->n_bytes + bytes))
    return host_refuse (self, NPROF_E_NOMEM);
  self->batch->writer = *writer;
  nprof_status status = np_batch_grow (self->batch, attrs, bytes);
  *writer = self->batch->writer;
  call_lent (self->test, writer);
  return host_refuse (self, status);
}

static nprof_status
lend (Host *self)
{
  self->batch = np_pool_take (self->test->shared->pool);
  if (!self->batch)
    return NPROF_E_NOMEM;
  self->writer = self->batch->writer;
  self->writer.flush = writer_flush;
  self->writer.grow = writer_grow;
  call_lent (self->test, &self->writer);
  return NPROF_OK;
}

struct nprof_writer *
rows_writer (const struct nprof_host *host)
{
  Host *self = HOST (host);
  call_check (self, "writer");
  const struct nprof_component *c = &self->test->component;
  if (!self->feeds && c->kind == NPROF_SINK)
    state_broke (self->test, "a sink asked for a writer");
  if (!self->feeds && c->kind == NPROF_ANALYZER && c->flags & NPROF_ANALYZER_NO_ROWS)
    state_broke (self->test, "it asked for a writer, but declares NPROF_ANALYZER_NO_ROWS");
  if (!self->feeds && g_strcmp0 (call_now (self->test), "close") == 0)
    state_broke (self->test, "it asked for a writer in close, when all rows have been taken");
  if (host_no_memory (self) || (!self->batch && lend (self))) {
    host_refuse (self, NPROF_E_NOMEM);
    return NULL;
  }
  return &self->writer;
}

const struct nprof_batch *
rows_batch_ref (const struct nprof_host *host, const struct nprof_batch *batch)
{
  __atomic_add_fetch (&HOST (host)->test->batches_held, 1, __ATOMIC_RELAXED);
  return &np_batch_ref (np_batch_of (batch))->view;
}

void
rows_batch_unref (const struct nprof_host *host, const struct nprof_batch *batch)
{
  NprofTestState *test = HOST (host)->test;
  if (!batch)
    return;
  if (__atomic_sub_fetch (&test->batches_held, 1, __ATOMIC_RELAXED) < 0)
    state_broke (test, "batch_unref was called for a batch that the component did not batch_ref");
  else
    np_batch_unref (np_batch_of (batch));
}

/* -- Tables ---------------------------------------------------------------- */

static nprof_status
take_chunk (gpointer user, NpChunk *chunk)
{
  Host *self = user;
  if (!self->feeds)
    rules_chunk (self->test, chunk);
  return hand_over (self, NULL, chunk);
}

void
rows_init_tables (Host *self)
{
  np_table_writer_init (&self->tables, take_chunk, self);
  if (self->test->config.rows)
    self->tables.most = self->test->config.rows;
}

nprof_status
rows_table (const struct nprof_host *host, const struct nprof_table *table)
{
  Host *self = HOST (host);
  call_check (self, "table");
  table = rules_table (self->test, table);
  if (np_table_writer_has (&self->tables, table))
    return NPROF_OK;
  if (!self->feeds && !rules_declares (self->test, table)
      && !np_declared_table (self->test->declared, table->name))
    state_broke (self->test, "table \"%s\" is not in `tables` of the component", table->name);
  return host_refuse (self, np_table_writer_announce (&self->tables, table));
}

nprof_status
rows_row (const struct nprof_host *host, const struct nprof_table *table,
          const struct nprof_cell *cells)
{
  Host *self = HOST (host);
  if (host_no_memory (self))
    return host_refuse (self, NPROF_E_NOMEM);
  nprof_status status = rows_table (host, table);
  if (status)
    return status;
  g_autofree char *problem = NULL;
  status = np_table_writer_add (&self->tables, rules_table (self->test, table), cells, &problem);
  if (problem)
    state_broke (self->test, "%s", problem);
  return host_refuse (self, status);
}

nprof_status
host_flush_all (Host *self)
{
  nprof_status status = flush_rows (self);
  return status ? status : np_table_writer_flush (&self->tables);
}
