/* SPDX-License-Identifier: Apache-2.0 */
/* collect.c - the sink that keeps tables of a run. */
#include "console/collect.h"

typedef struct {
  const struct nprof_host *host;
  NpCollected *collected;
} Sink;

static nprof_status
sink_open (void *self, const struct nprof_host *host)
{
  Sink *sink = self;
  sink->host = host;
  sink->collected = (NpCollected *) host->extension (host, NP_CALLER);
  return NPROF_OK;
}

static nprof_status
sink_consume (void *self, const struct nprof_batch *batch)
{
  NpCollected *collected = ((Sink *) self)->collected;
  for (uint32_t i = 0; i < batch->n_rows; i++)
    collected->gaps += batch->kind[i] == NPROF_GAP;
  return NPROF_OK;
}

static nprof_status
sink_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  const Sink *sink = self;
  np_table_store_add (sink->collected->tables, sink->host, table, cells, n_rows);
  return NPROF_OK;
}

static const struct nprof_component sink_component = {
  .size = sizeof sink_component,
  .kind = NPROF_SINK,
  .name = "answers",
  .summary = "keeps tables for the command that asked for them",
  .instance_size = sizeof (Sink),
  .open = sink_open,
  .consume = sink_consume,
  .table = sink_table,
};

void
np_collect (NpCollected *collected, const char *const *names, NpConfig *config)
{
  *collected = (NpCollected){ .tables = np_table_store_new (names) };
  np_config_add_own (config, &sink_component, collected);
}

void
np_collected_clear (NpCollected *collected)
{
  g_clear_pointer (&collected->tables, np_table_store_free);
}
