/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer neuron: summarises a NeuronCore by the vendor's names and formulas. */
#include "neuron.h"

#include <nprof/keys.h>

static nprof_status
neuron_open (void *self, const struct nprof_host *host)
{
  Neuron *n = self;
  n->host = host;
  n->clip = nprof_window_of (host);
  nprof_status status = ne_rows_open (n);
  if (!status)
    status = host->table (host, &neuron_waits_table);
  return status ? status : host->table (host, &neuron_summary_table);
}

static nprof_status
neuron_consume (void *self, const struct nprof_batch *batch)
{
  ne_rows (self, batch);
  return NPROF_OK;
}

static nprof_status
neuron_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n_rows)
{
  ne_table (self, table, cells, n_rows);
  return NPROF_OK;
}

static nprof_status
neuron_finish (void *self)
{
  Neuron *n = self;
  if (n->unended)
    nprof_log (n->host, NPROF_WARNING,
               "spans without an end in the file: %" G_GUINT64_FORMAT "; they are in no metric",
               n->unended);
  nprof_status status = ne_waits_write (n);
  return status ? status : ne_write (n);
}

/* Also called where open failed: what can fail there is made last. */
static void
neuron_close (void *self)
{
  Neuron *n = self;
  g_hash_table_unref (n->opcodes);
  g_ptr_array_unref (n->by_track);
  g_hash_table_unref (n->files);
  g_ptr_array_unref (n->cores);
  g_ptr_array_unref (n->stated);
  g_ptr_array_unref (n->sizes);
  g_ptr_array_unref (n->counted);
  ne_waits_close (&n->semaphores);
  an_places_free (n->places);
  an_peaks_free (n->peaks);
  nprof_reader_clear (&n->pick);
}

/* clang-format off */
static const struct nprof_component neuron = {
  .size = sizeof neuron,
  .kind = NPROF_ANALYZER,
  .name = "neuron",
  .summary = "the summary of a NeuronCore by the vendor's names and formulas",
  .options = NPROF_OPTIONS (
      NPROF_PATH_OPTION (Neuron, folder, "devices", "", "folder of peak rates, instead of nprof's own"),
      NPROF_DOUBLE_OPTION (Neuron, peak_flops, "peak_flops", "0", "0.0..1e30",
                           "max_ops_per_sec of a core, before all other sources; 0: not given"),
      NPROF_DOUBLE_OPTION (Neuron, peak_bandwidth, "peak_bandwidth", "0", "0.0..1e30",
                           "max_hbm_bandwidth in byte/s, before all other sources; 0: not given")),
  .tables = (const struct nprof_table *const[]) { &neuron_waits_table, &neuron_summary_table, NULL },
  .wants = ne_wants,
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Neuron),
  .open = neuron_open,
  .consume = neuron_consume,
  .table = neuron_table,
  .table_wants = (const char *const[]) { "neuron_metrics?", "tensors?", "neuron_details?", NULL },
  .finish = neuron_finish,
  .close = neuron_close,
};
/* clang-format on */

NPROF_PLUGIN ("neuron", NPROF_VERSION, "Apache-2.0", &neuron)
