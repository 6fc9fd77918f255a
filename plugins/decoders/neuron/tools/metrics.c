/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - writes one metric of a summary as a row of table `neuron_metrics`, and the few of
 * them that are facts of the device. */
#include "tools.h"

#include <string.h>

NPROF_TABLE (neuron_metrics, "Metrics of the Neuron tools",
             "as the vendor's tool computed them; *_percent are fractions: 0.18 is 18 %",
             NEURON_METRICS)

/* -- Names ------------------------------------------------------------------------------- */

/* A summary is known by these; others are read as well. */
static const char *const known[] = {
  "total_time",
  "total_active_time",
  "total_active_time_percent",
  "total_exec_time",
  "neuroncore_cycle_count",
  "model_flops",
  "hardware_flops",
  "transpose_flops",
  "mm_arithmetic_intensity",
  "peak_flops_bandwidth_ratio",
  "trace_count",
  "event_count",
  "total_row_count",
  "dma_active_cycles",
  "dma_active_time",
  "dma_active_time_percent",
  "dma_packet_time",
  "dma_transfer_time",
  "dma_transfer_count",
  "dma_transfer_total_bytes",
  "dma_transfer_average_bytes",
  "dma_queue_count",
  "static_dma_packet_count",
  "static_dma_size",
  "weight_size_bytes",
  "inputs_and_weights_size_bytes",
  "inputs_outputs_weights_size_bytes",
  "mbu_estimated_percent",
  "mbu_min_read_util_percent",
  "mfu_estimated_percent",
  "mfu_max_achievable_estimated_percent",
  "hfu_estimated_percent",
  "hbm_read_bytes",
  "hbm_write_bytes",
  "sbuf_read_bytes",
  "sbuf_write_bytes",
  "spill_save_bytes",
  "spill_reload_bytes",
  "psum_read_bytes",
  "psum_write_bytes",
  "matmul_instruction_count",
  "tensor_engine_active_time",
  "tensor_engine_active_time_percent",
  "tensor_engine_instruction_count",
  "vector_engine_active_time",
  "vector_engine_active_time_percent",
  "vector_engine_instruction_count",
  "scalar_engine_active_time",
  "scalar_engine_active_time_percent",
  "scalar_engine_instruction_count",
  "gpsimd_engine_active_time",
  "gpsimd_engine_active_time_percent",
  "gpsimd_engine_instruction_count",
  "sync_engine_active_time",
  "sync_engine_active_time_percent",
  "sync_engine_instruction_count",
  "nc_idx",
  "nd_idx",
};

bool
nt_is_metric (const char *name, size_t len)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strlen (known[i]) == len && memcmp (known[i], name, len) == 0)
      return true;
  return false;
}

/* Returns the unit by the vendor's name. format: neuron-profile-schema.md, Summary */
static const char *
unit_of (const char *name)
{
  static const struct {
    const char *end, *unit;
  } units[] = {
    { "_percent", "1" },
    { "_time", "s" },
    { "_bytes", "byte" },
    { "_dma_size", "byte" },
    { "_flops", "flop" },
    { "_cycles", "cycle" },
    { "_cycle_count", "cycle" },
    { "_count", "" },
    { "_idx", "" },
    { "_intensity", "flop/byte" },
    { "_bandwidth_ratio", "flop/byte" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_suffix (name, units[i].end))
      return units[i].unit;
  return NULL;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static struct nprof_maybe_str
some_text (Nt *t, const char *text)
{
  return nprof_str_if (text, text ? nprof_intern (t->host, text) : 0);
}

static void
remember (NtMetrics *m, const char *name, const TeValue *v)
{
  int64_t i;
  if (!nt_int (v, &i) || i < 0)
    return;
  if (strcmp (name, "nd_idx") == 0) {
    m->has_nd = true;
    m->nd = i;
  } else if (strcmp (name, "nc_idx") == 0) {
    m->has_nc = true;
    m->nc = i;
  } else if (strcmp (name, "model_flops") == 0) {
    m->has_model_flops = i > 0; /* 0: there are no HLO statistics */
    m->model_flops = i;
  } else if (strcmp (name, "hbm_read_bytes") == 0) {
    m->has_read = true;
    m->read = i;
  } else if (strcmp (name, "hbm_write_bytes") == 0) {
    m->has_written = true;
    m->written = i;
  }
}

nprof_status
nt_metric (Nt *t, NtMetrics *m, const char *name, const TeValue *v)
{
  double x = NAN;
  const char *group = m->group;
  if (!group && t->metric_groups)
    group = g_hash_table_lookup (t->metric_groups, name);
  remember (m, name, v);
  g_autofree char *text = nt_dup (v);
  const bool is_number = nt_double (v, &x);
  const struct neuron_metrics_row row = {
    .bucket = some_text (t, m->bucket),
    .group = some_text (t, group),
    .metric = some_text (t, name),
    .value = nprof_double_if (is_number, x),
    .unit = some_text (t, unit_of (name)),
    .text = nprof_some_text (text),
  };
  return t->host->row (t->host, &neuron_metrics_table,
                       neuron_metrics_cells (nprof_cell_str (t->label), &row).cells);
}

/* -- Facts ------------------------------------------------------------------------------------- */

static nprof_status
fact (Nt *t, nprof_track track, const char *key, const char *source)
{
  nprof_status status = nprof_row (t->w, NPROF_FACT, track, nprof_intern (t->host, key), 0, 0);
  if (!status)
    nprof_set_category (t->w, nprof_intern (t->host, source));
  return status;
}

nprof_status
nt_fact_int (Nt *t, nprof_track track, const char *key, int64_t i, const char *source)
{
  nprof_status status = fact (t, track, key, source);
  return status ? status : nprof_attr_int (t->w, nprof_intern (t->host, key), i);
}

nprof_status
nt_fact_double (Nt *t, nprof_track track, const char *key, double x, const char *source)
{
  nprof_status status = fact (t, track, key, source);
  return status ? status : nprof_attr_double (t->w, nprof_intern (t->host, key), x);
}

/* Returns 0 when there is no memory. */
static nprof_track
fact_track (Nt *t, const NtMetrics *m)
{
  if (!t->device) { /* a summary alone, which names the core itself */
    t->survey.has_nd = m->has_nd;
    t->survey.has_nc = m->has_nc;
    t->survey.nd = m->nd;
    t->survey.nc = m->nc;
    if (nt_device_tracks (t))
      return 0;
  }
  nprof_track device = t->device, core = t->core;
  if (!t->one_core)
    t->device = t->core = 0; /* the next bucket may be of another */
  if (!t->told_devices)
    t->told_devices = g_hash_table_new (NULL, NULL);
  if (g_hash_table_add (t->told_devices, GUINT_TO_POINTER (device)))
    return device;
  return nt_track (t, core, NPROF_TRACK_DERIVED, m->bucket ? m->bucket : "summary", NULL,
                   NT_SORT_OTHER);
}

nprof_status
nt_metrics_facts (Nt *t, const NtMetrics *m, const char *source)
{
  nprof_status status = NPROF_OK;
  int64_t bytes = 0;
  bool moved
      = m->has_read && m->has_written && !__builtin_add_overflow (m->read, m->written, &bytes);
  if (!m->has_model_flops && !moved)
    return NPROF_OK;
  nprof_track track = fact_track (t, m);
  if (!track)
    return NPROF_E_NOMEM;
  if (m->has_model_flops)
    status = nt_fact_int (t, track, NPROF_KEY_MODEL_FLOPS, m->model_flops, source);
  return status || !moved ? status
                          : nt_fact_int (t, track, NPROF_KEY_BYTES_ACCESSED, bytes, source);
}
