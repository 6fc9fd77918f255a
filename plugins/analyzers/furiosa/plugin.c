/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer furiosa: the five tables of Furiosa's profiler.  The sinks
 * report-furiosa-* print them as the vendor's versions do. */
#include "tables.h"

#include <nprof/draft/clip.h>

static nprof_status
furiosa_open (void *self, const struct nprof_host *host)
{
  static const struct nprof_table *const tables[]
      = { &furiosa_summary_table, &inferences_table, &npu_executions_table, &npu_operators_table,
          &external_operators_table };
  FuTables *f = self;
  f->host = host;
  nprof_window_of (
      host); /* the tables are of whole spans, and sum up none that a window could cut */
  fu_gather_open (f);
  nprof_status status = nprof_reader_init (&f->pick, host, fu_wants);
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && !status; i++)
    status = host->table (host, tables[i]);
  return status;
}

static nprof_status
furiosa_consume (void *self, const struct nprof_batch *batch)
{
  fu_gather (self, batch);
  return NPROF_OK;
}

/* Returns whether the input is shown: one of another format has no row in these tables; one of
 * Furiosa's without inferences has. */
static bool
is_shown (const FuInput *input, const char *decoder)
{
  return strcmp (decoder, "furiosa") == 0 || input->inferences->len || input->externals->len
         || input->executions->len || g_hash_table_size (input->operators);
}

static nprof_status
furiosa_finish (void *self)
{
  FuTables *f = self;
  nprof_status status = NPROF_OK;
  const struct nprof_input_info *info;
  for (uint32_t i = 0; !status && (info = f->host->input (f->host, i)); i++) {
    FuInput *input = fu_input_of (f, i);
    if (is_shown (input, info->decoder ? info->decoder : ""))
      status = fu_write (f, input);
  }
  return status;
}

static void
furiosa_close (void *self)
{
  FuTables *f = self;
  g_clear_pointer (&f->inputs, g_ptr_array_unref);
  nprof_reader_clear (&f->pick);
}

static const struct nprof_component furiosa = {
  .size = sizeof furiosa,
  .kind = NPROF_ANALYZER,
  .name = "furiosa",
  .summary = "the five tables of Furiosa's profiler: inferences, NPU executions, operators",
  .tables = (const struct nprof_table *const[]){ &furiosa_summary_table, &inferences_table,
                                                 &npu_executions_table, &npu_operators_table,
                                                 &external_operators_table, NULL },
  .wants = fu_wants,
  .order = NPROF_ORDER_INPUT,
  .flags = NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (FuTables),
  .open = furiosa_open,
  .consume = furiosa_consume,
  .finish = furiosa_finish,
  .close = furiosa_close,
};

NPROF_PLUGIN ("furiosa-tables", NPROF_VERSION, "Apache-2.0", &furiosa)
