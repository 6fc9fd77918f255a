/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - reads what tables of decoders state, and writes table neuron_summary. */
#include "neuron.h"

#include <math.h>
#include <nprof/sdk.h>

NPROF_TABLE (neuron_summary, "Summary of NeuronCores",
             "By the vendor's names and formulas; percentages are fractions.", NEURON_SUMMARY)

/* -- What is stated --------------------------------------------------------------------------- */

static void
forget (double *values)
{
  for (guint m = 0; m < NM_METRICS; m++)
    values[m] = NAN;
}

static NeDeclared *
entry_of (GPtrArray *all, nprof_str input, nprof_str bucket)
{
  for (guint i = 0; i < all->len; i++) {
    NeDeclared *s = g_ptr_array_index (all, i);
    if (s->input == input && s->bucket == bucket)
      return s;
  }
  NeDeclared *s = g_new0 (NeDeclared, 1);
  s->input = input;
  s->bucket = bucket;
  forget (s->value);
  g_ptr_array_add (all, s);
  return s;
}

static void
metrics_table (Neuron *n, const struct nprof_table *table, const struct nprof_cell *row)
{
  int bucket = nprof_find_column (table, "bucket"), metric = nprof_find_column (table, "metric"),
      value = nprof_find_column (table, "value");
  if (bucket < 0 || metric < 0 || value < 0 || row[metric].type != NPROF_STRING
      || row[value].type != NPROF_DOUBLE)
    return;
  int m = nm_find (nprof_text (n->host, row[metric].v.s));
  if (m < 0)
    return;
  NeDeclared *s
      = entry_of (n->stated, row[0].v.s, row[bucket].type == NPROF_STRING ? row[bucket].v.s : 0);
  if (isnan (s->value[m]))
    s->value[m] = row[value].v.f;
}

/* Adds a value that a NEFF states of its whole input. */
static void
add_to (NeDeclared *s, NmMetric metric, double value)
{
  s->value[metric] = isnan (s->value[metric]) ? value : s->value[metric] + value;
}

/* Returns whether a file is new. Constants of a NEFF are files of its subgraphs; physical cores
 * have the same ones, which the vendor counts once, as weights. */
static bool
is_new_file (Neuron *n, const struct nprof_table *table, const struct nprof_cell *row)
{
  int name = nprof_find_column (table, "name");
  if (name < 0 || row[name].type != NPROF_TEXT)
    return false;
  g_autofree char *text = g_strndup (row[name].v.text, row[name].len);
  const char *slash = strrchr (text, '/');
  return g_hash_table_add (n->files,
                           g_strdup_printf ("%u/%s", row[0].v.s, slash ? slash + 1 : text));
}

static void
tensors_table (Neuron *n, const struct nprof_table *table, const struct nprof_cell *row)
{
  int usage = nprof_find_column (table, "usage"), bytes = nprof_find_column (table, "bytes");
  NeDeclared *s = entry_of (n->sizes, row[0].v.s, 0);
  if (usage < 0 || bytes < 0 || row[usage].type != NPROF_STRING || row[bytes].type != NPROF_UINT64)
    return;
  const char *is = nprof_text (n->host, row[usage].v.s);
  bool in = g_ascii_strncasecmp (is, "in", 2) == 0 && g_ascii_strncasecmp (is, "inter", 5) != 0,
       weight = g_ascii_strncasecmp (is, "weight", 6) == 0,
       out = g_ascii_strncasecmp (is, "out", 3) == 0;
  if (g_ascii_strcasecmp (is, "file") == 0)
    weight = is_new_file (n, table, row);
  double size = (double) row[bytes].v.u;
  if (weight)
    add_to (s, NM_WEIGHT_SIZE_BYTES, size);
  if (in || weight)
    add_to (s, NM_INPUTS_AND_WEIGHTS_SIZE_BYTES, size);
  if (in || weight || out)
    add_to (s, NM_INPUTS_OUTPUTS_WEIGHTS_SIZE_BYTES, size);
}

/* The file counts these for each physical core, and the vendor adds them up. */
static void
details_table (Neuron *n, const struct nprof_table *table, const struct nprof_cell *row)
{
  static const NmMetric counts[] = { NM_EVENT_COUNT, NM_TRACE_COUNT, NM_DMA_QUEUE_COUNT };
  int section = nprof_find_column (table, "section"), field = nprof_find_column (table, "field"),
      number = nprof_find_column (table, "number");
  if (section < 0 || field < 0 || number < 0 || row[section].type != NPROF_STRING
      || row[field].type != NPROF_STRING || row[number].type != NPROF_DOUBLE
      || strcmp (nprof_text (n->host, row[section].v.s), "model_info"))
    return;
  const char *name = nprof_text (n->host, row[field].v.s);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (strcmp (name, nm_info[counts[i]].name) == 0)
      add_to (entry_of (n->counted, row[0].v.s, 0), counts[i], row[number].v.f);
}

void
ne_table (Neuron *n, const struct nprof_table *table, const struct nprof_cell *cells,
          uint32_t n_rows)
{
  guint n_columns = nprof_count_columns (table);
  for (uint32_t i = 0; i < n_rows; i++, cells += n_columns) {
    if (strcmp (table->name, "neuron_metrics") == 0)
      metrics_table (n, table, cells);
    else if (strcmp (table->name, "tensors") == 0)
      tensors_table (n, table, cells);
    else if (strcmp (table->name, "neuron_details") == 0)
      details_table (n, table, cells);
  }
}

/* -- What was measured ------------------------------------------------------------------------- */

static double
seconds (gint64 ps)
{
  return (double) ps / 1e12;
}

static void
engines (const NeCore *core, double *v)
{
  static const NmMetric first[]
      = { NM_TENSOR_ENGINE_INSTRUCTION_TIME, NM_VECTOR_ENGINE_INSTRUCTION_TIME,
          NM_SCALAR_ENGINE_INSTRUCTION_TIME, NM_SYNC_ENGINE_INSTRUCTION_TIME,
          NM_GPSIMD_ENGINE_INSTRUCTION_TIME, NM_CC_CORES_INSTRUCTION_TIME };
  static const NmMetric waits[]
      = { NM_TENSOR_ENGINE_SEMAPHORE_WAIT_TIME, NM_VECTOR_ENGINE_SEMAPHORE_WAIT_TIME,
          NM_SCALAR_ENGINE_SEMAPHORE_WAIT_TIME, NM_SYNC_ENGINE_SEMAPHORE_WAIT_TIME,
          NM_GPSIMD_ENGINE_SEMAPHORE_WAIT_TIME };
  for (guint e = 0; e < NE_ENGINES; e++) { /* time, active time, its share, count */
    v[first[e] + 3] = (double) (core->engine[e].n + core->waits[e]);
    if (!core->unsure) {
      v[first[e]] = seconds (core->engine[e].total);
      v[first[e] + 1] = seconds (core->engine[e].covered);
    }
    if (e < NE_CC && core->has_wait[e])
      v[waits[e]] = seconds (core->wait[e]);
  }
}

static void
packets (const NeCore *core, double *v)
{
  static const struct {
    NmMetric time, count, size;
  } of[NE_QUEUE_TYPES]
      = { { NM_STATIC_DMA_ACTIVE_TIME, NM_STATIC_DMA_PACKET_COUNT, NM_STATIC_DMA_SIZE },
          { NM_SOFTWARE_DYNAMIC_DMA_ACTIVE_TIME, NM_SOFTWARE_DYNAMIC_DMA_PACKET_COUNT,
            NM_SOFTWARE_DYNAMIC_DMA_SIZE },
          { NM_HARDWARE_DYNAMIC_DMA_ACTIVE_TIME, NM_HARDWARE_DYNAMIC_DMA_PACKET_COUNT,
            NM_HARDWARE_DYNAMIC_DMA_SIZE } };
  if (!core->dma.n)
    return;
  v[NM_DMA_ACTIVE_TIME] = seconds (core->dma.covered);
  v[NM_DMA_PACKET_TIME] = seconds (core->dma.total);
  for (guint i = 0; i < NE_QUEUE_TYPES && !core->untyped; i++) {
    v[of[i].time] = seconds (core->queue_type[i].covered);
    v[of[i].count] = (double) core->queue_type[i].n;
    v[of[i].size] = core->queue_bytes[i];
  }
  v[NM_SMALL_DMA_PACKET_COUNT] = (double) core->small.n;
  v[NM_SMALL_DMA_PACKET_SIZE] = core->small_bytes;
  v[NM_SMALL_DMA_PACKET_TIME] = seconds (core->small.total);
  v[NM_SMALL_DMA_ACTIVE_TIME] = seconds (core->small.covered);
  if (!core->transfers)
    return;
  v[NM_DMA_TRANSFER_COUNT] = (double) core->transfers;
  v[NM_DMA_TRANSFER_TIME] = seconds (core->transfer_time);
  v[NM_DMA_TRANSFER_TOTAL_BYTES] = core->transfer_bytes;
  v[NM_DMA_TRANSFER_AVERAGE_BYTES] = core->transfer_bytes / (double) core->transfers;
}

/* Computes throttling; the vendor divides by the last timestamp, not by the execution. */
static void
throttling (const NeCore *core, double *v)
{
  static const NmMetric time[NE_CAUSES] = { NM_THROTTLE_ACTIVITY_0_ACTIVE_TIME_NC0_PERCENT,
                                            NM_THROTTLE_ACTIVITY_1_ACTIVE_TIME_NC0_PERCENT,
                                            NM_THROTTLE_UNKNOWN_ACTIVE_TIME_NC0_PERCENT };
  double last = (double) (core->last_end / 1000);
  bool any = false;
  v[NM_THROTTLE_ACTIVE_TIME] = seconds (core->throttle.covered);
  v[NM_THROTTLE_COUNT] = (double) core->throttle.n;
  for (guint i = 0; i < NE_CAUSES && last > 0; i++) {
    const NeLimit *l = &core->limit[i];
    if (!l->seen)
      continue;
    any = true;
    v[time[i]] = (double) l->time / last;
    v[time[i] + 1] = (double) l->k / (double) l->n;
  }
  if (!any)
    return;
  v[NM_THROTTLE_ACTIVE_NC0_TIME_NS] = (double) core->limited;
  v[NM_THROTTLE_AVG_UTIL_LIMIT_NC0_PERCENT] = core->allowed / last;
}

/* Fills in counts.  Recordings count records that are no rows, so that the file has to say how many
 * they are; only where it does not, rows are counted. */
static void
counts (const NeCore *core, const NeDeclared *counted, double *v)
{
  double rows = (double) (core->dma.n + core->transfers);
  for (guint e = 0; e < NE_ENGINES; e++)
    rows += (double) (core->engine[e].n + core->waits[e]);
  if (counted)
    v[NM_EVENT_COUNT] = counted->value[NM_EVENT_COUNT];
  else if (core->happenings || !core->semaphores)
    v[NM_EVENT_COUNT] = (double) (core->semaphores + core->happenings);
  v[NM_TRACE_COUNT] = counted ? counted->value[NM_TRACE_COUNT] : NAN;
  if (isnan (v[NM_TRACE_COUNT])
      && (core->transfers || !core->dma.n)) /* of packets, transfers are records too */
    v[NM_TRACE_COUNT] = v[NM_EVENT_COUNT] + rows;
  v[NM_DMA_QUEUE_COUNT] = counted ? counted->value[NM_DMA_QUEUE_COUNT] : NAN;
}

/* Fills v, in which all is unknown, with what the rows of the core tell.  counted: what its file
 * counts; NULL: nothing. */
static void
measure (const NeCore *core, const NeDeclared *counted, double *v)
{
  engines (core, v);
  packets (core, v);
  throttling (core, v);
  counts (core, counted, v);
  for (guint s = 0; s < NE_SUMS; s++)
    if (core->has_sum[s] && ne_sums[s].metric != NM_METRICS)
      v[ne_sums[s].metric] = core->sum[s];
  if (core->has_sum[NE_SUM_TRANSPOSES] && !core->unsure)
    v[NM_TRANSPOSE_ACTIVE_TIME] = seconds (core->transposes.covered);
  if (core->has_sum[NE_SUM_PSUM_TO_SBUF])
    v[NM_PSUM_READ_SBUF_WRITE_COUNT] = (double) core->psum_to_sbuf;
  if (core->with_opcode) {
    v[NM_MATMUL_INSTRUCTION_COUNT] = (double) core->matmuls;
    v[NM_ACTIVATE_INSTRUCTION_COUNT] = (double) core->activates;
    v[NM_ACTIVATE_INSTRUCTION_TIME] = seconds (core->activate_time);
  }
  if (!core->unsure)
    v[NM_TOTAL_ACTIVE_TIME] = seconds (core->active.covered);
  if (core->execution >= 0)
    v[NM_TOTAL_TIME] = seconds (core->execution);
  if (core->exec_first <= core->exec_last && !core->unsure)
    v[NM_TOTAL_EXEC_TIME] = seconds (core->exec_last - core->exec_first);
  v[NM_MODEL_FLOPS] = core->model_flops;
}

/* -- Writing ----------------------------------------------------------------------------------- */

static const NeDeclared *
of_input (const GPtrArray *all, nprof_str input)
{
  for (guint i = 0; i < all->len; i++) {
    const NeDeclared *s = g_ptr_array_index (all, i);
    if (s->input == input)
      return s;
  }
  return NULL;
}

static bool
is_neuron (const NeCore *core)
{
  guint64 n = core->dma.n;
  for (guint e = 0; e < NE_ENGINES; e++)
    n += core->engine[e].n + core->waits[e];
  return n > 0;
}

static bool
has_core (const Neuron *n, nprof_str input)
{
  for (guint i = 0; i < n->cores->len; i++) {
    const NeCore *core = g_ptr_array_index (n->cores, i);
    if (core->input == input && is_neuron (core))
      return true;
  }
  return false;
}

/* Returns the sizes of the tensors of an input: those that it lists itself, else those of the one
 * NEFF that is there; NULL: unknown, as of several NEFFs any could be its, and what another profile
 * lists is of what that ran. */
static const NeDeclared *
sizes_of (const Neuron *n, nprof_str input)
{
  const NeDeclared *own = of_input (n->sizes, input);
  if (own || n->sizes->len != 1)
    return own;
  const NeDeclared *one = g_ptr_array_index (n->sizes, 0);
  return has_core (n, one->input) ? NULL : one;
}

static nprof_status
write_metrics (const Neuron *n, nprof_str input, nprof_str device, const double *values,
               const gboolean *from_file)
{
  const struct nprof_host *host = n->host;
  const NeDeclared *tensors = sizes_of (n, input);
  nprof_status status = NPROF_OK;
  for (guint m = 0; m < NM_METRICS && !status; m++) {
    const NmInfo *info = &nm_info[m];
    bool known = isfinite (values[m]);
    const char *reason = n->clip.cuts ? "the rows of the window do not tell it, and what the file "
                                        "states is of the whole profile"
                         : *info->reason ? info->reason
                                         : "the file has no rows of the core";
    const struct neuron_summary_row row = {
      .metric = nprof_any_str (nprof_intern (host, info->name)),
      .value = nprof_double_if (known, values[m]),
      .unit = nprof_any_str (nprof_intern (host, info->unit)),
      .group = nprof_any_str (nprof_intern (host, info->group)),
      .formula = nprof_some_text (from_file[m] && known ? "as the file states it" : info->formula),
      .stated = nprof_bool_if (known, from_file[m]),
      .reason = nprof_text_if (!known, reason),
      .device = nprof_some_str (device),
      .tensors = nprof_some_str (tensors ? tensors->input : 0),
    };
    status = host->row (host, &neuron_summary_table,
                        neuron_summary_cells (nprof_cell_str (input), &row).cells);
  }
  return status;
}

/* Fills unknown values with those that the file states: `derived` ones, which follow from others,
 * or the rest. from_file: where that is noted; NULL: they are sums of what the file lists. */
static void
complete (double *values, const NeDeclared *s, bool derived, gboolean *from_file)
{
  for (guint m = 0; s && m < NM_METRICS; m++)
    if (isnan (values[m]) && !isnan (s->value[m]) && nm_is_derived (m) == derived) {
      values[m] = s->value[m];
      if (from_file)
        from_file[m] = TRUE;
    }
}

/* Returns the one summary of the core's input, NULL where there are several. */
static const NeDeclared *
summary_of (const Neuron *n, nprof_str input)
{
  const NeDeclared *found = NULL;
  for (guint i = 0; i < n->stated->len; i++) {
    const NeDeclared *s = g_ptr_array_index (n->stated, i);
    if (s->input != input)
      continue;
    if (found)
      return NULL;
    found = s;
  }
  return found;
}

static nprof_status
write_core (Neuron *n, const NeCore *core)
{
  double values[NM_METRICS];
  gboolean from_file[NM_METRICS] = { FALSE };
  AnPeak peak = an_peaks_of (n->peaks, core->track);
  const NmRates rates = { peak.flops / peak.cores, peak.bandwidth, core->clock, core->n_cores };
  forget (values);
  bool whole = !n->clip.cuts; /* what files state is of the whole profile */
  measure (core, whole ? of_input (n->counted, core->input) : NULL, values);
  const NeDeclared *stated = whole ? summary_of (n, core->input) : NULL;
  if (!whole)
    values[NM_MODEL_FLOPS] = NAN;
  complete (values, stated, false, from_file);
  complete (values, whole ? sizes_of (n, core->input) : NULL, false, NULL);
  nm_derive (values, &rates);
  complete (values, stated, true, from_file);
  return write_metrics (n, core->input, core->label, values, from_file);
}

/* Writes a summary alone: what it states, and what follows from that. */
static nprof_status
write_stated (Neuron *n, const NeDeclared *s)
{
  double values[NM_METRICS];
  gboolean from_file[NM_METRICS] = { FALSE };
  const NmRates rates = { n->peak_flops > 0 ? n->peak_flops : NAN,
                          n->peak_bandwidth > 0 ? n->peak_bandwidth : NAN, NAN, 0 };
  forget (values);
  complete (values, s, false, from_file);
  nm_derive (values, &rates);
  complete (values, s, true, from_file);
  return write_metrics (n, s->input, s->bucket, values, from_file);
}

static int
cores_by_place (gconstpointer a, gconstpointer b, gpointer user)
{
  const NeCore *x = *(const NeCore *const *) a, *y = *(const NeCore *const *) b;
  return an_place_compare (((const Neuron *) user)->host, x->track, y->track);
}

nprof_status
ne_write (Neuron *n)
{
  nprof_status status = NPROF_OK;
  g_ptr_array_sort_with_data (n->cores, cores_by_place, n);
  for (guint i = 0; i < n->cores->len && !status; i++) {
    const NeCore *core = g_ptr_array_index (n->cores, i);
    if (is_neuron (core))
      status = write_core (n, core);
  }
  for (guint i = 0; i < n->stated->len && !status && !n->clip.cuts; i++) {
    const NeDeclared *s = g_ptr_array_index (n->stated, i);
    if (!(has_core (n, s->input) && summary_of (n, s->input)))
      status = write_stated (n, s);
  }
  return status;
}
