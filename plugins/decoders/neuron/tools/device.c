/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - reads a device profile as `--output-format json` writes it: which section becomes
 * what.  Sections may come in any order, and several times. format: neuron-outputs.md 3.3 */
#include "tools.h"

#include <math.h>

static nprof_status
nothing (Nt *t, NtRecord *r, void *user) /* survey.c has read it */
{
  (void) t;
  (void) r;
  (void) user;
  return NPROF_OK;
}

static nprof_status
section (Nt *t, const TeValue *key, const char **p)
{
  static const struct {
    const char *name;
    NtEach fn;
  } sections[] = {
    { "instruction", nt_instruction },
    { "dma", nt_dma },
    { "active_time", nt_active },
    { "summary", nt_summary },
    { "neff_node", nt_tensor },
    { "tensor_info", nt_tensor },
    { "layer_summary", nt_layer },
    { "cc_op", nt_collective },
    { "cc_ops", nt_collective },
    { "cc_stream", nt_collective },
    { "cc_instruction", nt_collective },
    { "semaphore", nt_semaphore },
    { "semaphore_update", nt_semaphore },
    { "throttle", nt_throttle },
    { "ham", nt_throttle },
    { "dma_throughput", nt_throughput },
    { "instruction_usage", nt_usage },
    { "warnings", nt_warning },
    { "nc_mem_usage", nt_held },
    { "model_info", nt_detail },
    { "dma_queues_info", nt_detail },
    { "terminology", nt_detail },
    { "summary_group_order", nt_detail },
    { "metadata", nothing },
    { "profile_info", nothing },
    { "neff_header", nothing },
    { "summary_groups", nothing },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (sections); i++)
    if (te_text_is (key, sections[i].name))
      return nt_each (t, p, sections[i].name, sections[i].fn, (gpointer) sections[i].name);
  const char *name = nprof_text (t->host, nt_text (t, key)); /* it stays for the run */
  return nt_each (t, p, name, nt_other, (gpointer) name);
}

/* -- Facts ------------------------------------------------------------------------------ */

/* Writes facts; peak = 2 * rows * columns * f. format: neuron-outputs.md 3.5 */
static nprof_status
facts (Nt *t)
{
  const NtSurvey *s = &t->survey;
  double hz = s->clock > 0 && s->clock < 1000 ? s->clock * 1e9 : s->clock; /* GHz, older: Hz */
  nprof_status status = NPROF_OK;
  if (hz > 0)
    status = nt_fact_double (t, t->device, NPROF_KEY_CLOCK_RATE, hz, "metadata");
  if (!status && hz > 0 && s->rows > 0 && s->columns > 0)
    status = nt_fact_double (t, t->device, NPROF_KEY_PEAK_FLOPS, 2 * s->rows * s->columns * hz,
                             "metadata: 2 * rows * columns * clock");
  if (!status && s->bandwidth > 0)
    status = nt_fact_double (t, t->device, NPROF_KEY_PEAK_BANDWIDTH, s->bandwidth, "metadata");
  const NtffNeffFacts *neff = &t->ntff->neff;
  if (!status && neff->has_macs && neff->macs <= INT64_MAX / 2)
    status = nt_fact_int (t, t->device, NPROF_KEY_MODEL_FLOPS, 2 * neff->macs, "hlo_stats.json");
  return status;
}

/* -- The execution ------------------------------------------------------------------------ */

/* Writes executions by total_time where a summary states it.  From version 6 of the NTFF on the
 * last timestamp is its end, in whole ns; before, an instruction may end behind it, so that only
 * the extent of what was recorded is known. source: neuron-json.md, ntff.md */
static nprof_status
executions (Nt *t)
{
  const NtSurvey *s = &t->survey;
  const char *name = "execution";
  NtTime duration = s->total_time > 0 && s->total_time < 1e6
                        ? (NtTime) llround (s->total_time * 1e12)
                        : (s->has_end ? s->end : s->last) / (t->per == 1000 ? 1 : 1000) - t->zero;
  nprof_status status = NPROF_OK;
  if (s->records == 0 || duration <= 0 || duration != (int64_t) duration)
    return NPROF_OK;
  if (!(s->total_time > 0) && !(s->has_end && s->version >= 6))
    name = "recorded";
  for (guint i = 0; i < MAX (1, t->graphs->len) && !status; i++) {
    nprof_track core = t->core;
    if (i > 0)
      core = nt_graph_track (t, &g_array_index (t->graphs, NtGraph, i));
    nprof_str text = nt_literal (t, name);
    status = core ? nprof_span (t->w, core, text, 0, (int64_t) duration) : NPROF_E_NOMEM;
    if (!status)
      nprof_set_category (t->w, text);
  }
  return status;
}

nprof_status
nt_device (Nt *t)
{
  nprof_status status = nt_survey (t);
  if (!status)
    status = ntff_neff (t->ntff);
  if (!status)
    status = nt_device_tracks (t);
  t->w = status ? NULL : t->host->writer (t->host);
  if (!status && !t->w)
    status = NPROF_E_NOMEM;
  if (status)
    return status;
  t->one_core = true;
  nt_attrs_begin (t);
  status = t->host->table (t->host, &neuron_details_table);
  status = status ? status : t->host->table (t->host, &neuron_memory_table);
  status = status ? status : facts (t);
  status = status ? status : executions (t);
  status = status ? status : nt_sections (t, section);
  return status ? status : nt_draw_edges (t);
}
