/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - takes instructions, transfers and events of NeuronCores; each kind in the order of its
 * starts. */
#include "devicekit/by-track.h"
#include "neuron.h"
#include "profile/semaphore-keys.h"

#include <math.h>
#include <nprof/keys.h>

enum {
  AT_ENGINE = NE_SUMS,
  AT_WAIT,
  AT_QUEUE_TYPE,
  AT_LEFT_OUT,
  AT_LIMIT_K,
  AT_LIMIT_N,
  AT_LIMIT_TYPE,
  AT_WAITS_FOR,
  AT_SIGNALS,
  AT_DMA_SIGNALS
};

const NeSum ne_sums[NE_SUMS] = {
  { NPROF_KEY_FLOPS, NM_HARDWARE_FLOPS },
  { "flops_transpose", NM_TRANSPOSE_FLOPS },
  { "adjusted_flops", NM_ADJUSTED_HARDWARE_FLOPS },
  { "adjusted_flops_transpose", NM_ADJUSTED_TRANSPOSE_FLOPS },
  { "hbm_read_bytes", NM_HBM_READ_BYTES },
  { "hbm_write_bytes", NM_HBM_WRITE_BYTES },
  { "sbuf_read_bytes", NM_SBUF_READ_BYTES },
  { "sbuf_write_bytes", NM_SBUF_WRITE_BYTES },
  { "psum_read_bytes", NM_PSUM_READ_BYTES },
  { "psum_write_bytes", NM_PSUM_WRITE_BYTES },
  [NE_SUM_PSUM_TO_SBUF] = { "psum_read_sbuf_write_bytes", NM_PSUM_READ_SBUF_WRITE_BYTES },
  { "spill_save_bytes", NM_SPILL_SAVE_BYTES },
  { "spill_reload_bytes", NM_SPILL_RELOAD_BYTES },
  { "input_queue_bytes", NM_INPUT_QUEUE_BYTES },
  { "output_queue_bytes", NM_OUTPUT_QUEUE_BYTES },
  { "weight_queue_bytes", NM_WEIGHT_QUEUE_BYTES },
  { NPROF_KEY_BYTES, NM_METRICS }, /* of packets: no metric, but those by queue types */
};

const char *const ne_wants[] = { NPROF_KEY_FLOPS,
                                 "flops_transpose",
                                 "adjusted_flops",
                                 "adjusted_flops_transpose",
                                 "hbm_read_bytes",
                                 "hbm_write_bytes",
                                 "sbuf_read_bytes",
                                 "sbuf_write_bytes",
                                 "psum_read_bytes",
                                 "psum_write_bytes",
                                 "psum_read_sbuf_write_bytes",
                                 "spill_save_bytes",
                                 "spill_reload_bytes",
                                 "input_queue_bytes",
                                 "output_queue_bytes",
                                 "weight_queue_bytes",
                                 NPROF_KEY_BYTES,
                                 NPROF_KEY_ENGINE,
                                 "event_wait",
                                 "queue_type",
                                 "left_out",
                                 "limit_k",
                                 "limit_n",
                                 "limit_type",
                                 SEMAPHORE_KEY_WAITS,
                                 SEMAPHORE_KEY_SIGNALS,
                                 SEMAPHORE_KEY_DMA,
                                 AN_PEAK_KEYS,
                                 NPROF_KEY_MODEL_FLOPS,
                                 NULL };

/* -- Opcodes ------------------------------------------------------------------------------- */

enum { OPCODE_OTHER = 1, OPCODE_MATMUL, OPCODE_ACTIVATE, OPCODE_SETUP };

/* Compares a name, which may be followed by " (likely)". */
static gboolean
is_one_of (const char *name, const char *const *words)
{
  for (; *words; words++) {
    gsize len = strlen (*words);
    if (g_ascii_strncasecmp (name, *words, len) == 0 && (!name[len] || name[len] == ' '))
      return TRUE;
  }
  return FALSE;
}

static guint
opcode_of (Neuron *n, nprof_str name)
{
  static const char *const matmul[] = { "MATMUL", NULL },
                           *const activate[] = { "ACTIVATE", "ACTIVATE_QUANTIZE", NULL },
                           *const setup[] = { "NOP",
                                              "SET_ORDERING_MODE",
                                              "EVENT_SEMAPHORE",
                                              "NOTIFY",
                                              "EVENT_SEMAPHORE_RANGE_CLEAR",
                                              "COMPARE_BRANCH",
                                              "DRAIN",
                                              "WRITE",
                                              "TENSOR_LOAD",
                                              "MODIFY_POOL_CONFIG",
                                              NULL };
  guint known = GPOINTER_TO_UINT (g_hash_table_lookup (n->opcodes, GUINT_TO_POINTER (name)));
  if (known)
    return known;
  const char *text = nprof_text (n->host, name);
  known = is_one_of (text, matmul)     ? OPCODE_MATMUL
          : is_one_of (text, activate) ? OPCODE_ACTIVATE
          : is_one_of (text, setup)    ? OPCODE_SETUP
                                       : OPCODE_OTHER;
  g_hash_table_insert (n->opcodes, GUINT_TO_POINTER (name), GUINT_TO_POINTER (known));
  return known;
}

/* -- Cores ---------------------------------------------------------------------------------- */

/* Returns the device above a core, which all physical cores of a logical one have in common. */
static nprof_track
device_above (const struct nprof_host *host, nprof_track track)
{
  for (nprof_track at = track; at; at = host->track_info (host, at)->parent)
    if (host->track_info (host, at)->kind == NPROF_TRACK_DEVICE)
      return at;
  return track;
}

static NeCore *
new_core (Neuron *n, const struct nprof_batch *batch)
{
  NeCore *core = g_new0 (NeCore, 1);
  core->input = n->host->input (n->host, batch->input)->label;
  core->execution = -1;
  core->exec_first = G_MAXINT64;
  core->exec_last = G_MININT64;
  core->clock = core->model_flops = NAN;
  g_ptr_array_add (n->cores, core);
  return core;
}

/* Names a core; a second one gives it the device's name. */
static void
name_core (Neuron *n, NeCore *core, const AnPlace *place, nprof_track device)
{
  const struct nprof_track_info *info = n->host->track_info (n->host, place->device);
  if (info->kind != NPROF_TRACK_CORE && core->n_cores)
    return;
  core->n_cores += info->kind == NPROF_TRACK_CORE;
  if (core->n_cores > 1) {
    core->label = nprof_track_label (n->host->track_info (n->host, device));
    return;
  }
  core->track = place->device;
  core->label = place->label;
}

static NeCore *
core_of (Neuron *n, const struct nprof_batch *batch, const AnPlace *place)
{
  NeCore *core = an_of_track (n->by_track, place->device);
  if (core)
    return core;
  nprof_track device = device_above (n->host, place->device);
  core = an_of_track (n->by_track, device);
  if (!core) {
    core = new_core (n, batch);
    an_put_of_track (n->by_track, device, core);
  }
  name_core (n, core, place, device);
  an_put_of_track (n->by_track, place->device, core);
  return core;
}

static void
join (NeUnion *u, gint64 start, gint64 duration)
{
  gint64 end = start + duration;
  u->total += duration;
  if (!u->n++ || start > u->end)
    u->covered += duration;
  else if (end > u->end)
    u->covered += end - u->end;
  u->end = u->n == 1 ? end : MAX (u->end, end);
}

/* This is the part of a row in the window, and the whole of it. */
typedef struct {
  gint64 start, duration, whole; /* ps */
} Part;

static Part
part_of (const Neuron *n, const struct nprof_batch *batch, uint32_t i)
{
  gint64 start = batch->start[i], whole = batch->duration[i];
  return (Part){ nprof_cut (&n->clip, start), nprof_inside (&n->clip, start, whole), whole };
}

/* Reads an amount that belongs to the part; false where the row does not tell it. */
static bool
amount (Neuron *n, guint attribute, const Part *part, gint64 *value)
{
  int64_t all;
  if (!nprof_reader_int (&n->pick, attribute, &all))
    return false;
  *value = n->clip.cuts ? nprof_prorate (all, part->duration, part->whole) : all;
  return true;
}

static void
sum_up (Neuron *n, NeCore *core, guint from, guint to, const Part *part)
{
  gint64 value;
  for (guint i = from; i < to; i++)
    if (amount (n, i, part, &value)) {
      core->sum[i] += (double) value;
      core->has_sum[i] = TRUE;
    }
}

/* Adds what an instruction waited of its own time, or for others. */
static void
add_wait (Neuron *n, NeCore *core, guint engine, const Part *part)
{
  gint64 wait;
  if (!amount (n, AT_WAIT, part, &wait) || wait < 0)
    return;
  core->has_wait[engine] = TRUE;
  core->wait[engine] += wait;
}

/* Counts from where the window begins, as the vendor counts from where the profile does. */
static void
ended (const Neuron *n, NeCore *core, const Part *part)
{
  gint64 begin = n->clip.cuts ? MAX (n->clip.from, 0) : 0;
  core->last_end = MAX (core->last_end, part->start + part->duration - begin);
}

static void
executed (NeCore *core, gint64 start, gint64 duration)
{
  core->exec_first = MIN (core->exec_first, start);
  core->exec_last = MAX (core->exec_last, start + duration);
}

/* -- Rows ------------------------------------------------------------------------------------- */

static void
instruction (Neuron *n, NeCore *core, guint engine, nprof_str name, const Part *part)
{
  int64_t wait;
  join (&core->engine[engine], part->start, part->duration);
  join (&core->active, part->start, part->duration);
  ended (n, core, part);
  if (engine == NE_CC)
    return;
  sum_up (n, core, 0, NE_SUMS - 1, part);
  core->psum_to_sbuf += nprof_reader_int (&n->pick, NE_SUM_PSUM_TO_SBUF, &wait) && wait > 0;
  add_wait (n, core, engine, part);
  guint opcode = opcode_of (n, name);
  const char *text = nprof_text (n->host, name);
  bool unknown = g_str_has_prefix (text, "pc 0x") || g_str_has_prefix (text, "opcode 0x");
  core->with_opcode += !unknown;
  core->matmuls += opcode == OPCODE_MATMUL;
  if (nprof_reader_int (&n->pick, NE_SUM_TRANSPOSES, &wait) && wait > 0)
    join (&core->transposes, part->start, part->duration);
  core->activates += opcode == OPCODE_ACTIVATE;
  core->activate_time += opcode == OPCODE_ACTIVATE ? part->duration : 0;
  if (opcode != OPCODE_SETUP)
    executed (core, part->start, part->duration);
}

/* Counts a packet by the type of its queue; the vendor calls static what is not made at run
 * time. */
static void
packet (Neuron *n, NeCore *core, const Part *part)
{
  nprof_str type = nprof_reader_str (&n->pick, AT_QUEUE_TYPE);
  gint64 bytes;
  int64_t whole;
  const struct nprof_field *left_out = &n->pick.field[AT_LEFT_OUT];
  guint at = NE_STATIC;
  if (left_out->type == NPROF_BOOL && left_out->value.u)
    return;
  join (&core->dma, part->start, part->duration);
  join (&core->active, part->start, part->duration);
  sum_up (n, core, 4, 6, part); /* HBM */
  sum_up (n, core, NE_SUMS - 1, NE_SUMS, part);
  executed (core, part->start, part->duration);
  core->untyped += !type;
  if (type == n->queue_types[NE_SOFTWARE])
    at = NE_SOFTWARE;
  if (type == n->queue_types[NE_HARDWARE])
    at = NE_HARDWARE;
  join (&core->queue_type[at], part->start, part->duration);
  if (!amount (n, NE_SUMS - 1, part, &bytes))
    return;
  core->queue_bytes[at] += (double) bytes;
  if (nprof_reader_int (&n->pick, NE_SUMS - 1, &whole) && whole < NE_SMALL) {
    join (&core->small, part->start, part->duration);
    core->small_bytes += (double) bytes;
  }
}

static void
transfer (Neuron *n, NeCore *core, const Part *part)
{
  gint64 bytes;
  core->transfers++;
  core->transfer_time += part->duration;
  if (amount (n, NE_SUMS - 1, part, &bytes))
    core->transfer_bytes += (double) bytes;
}

static void
limit (Neuron *n, NeCore *core, gint64 duration)
{
  int64_t k, of, type;
  if (!nprof_reader_int (&n->pick, AT_LIMIT_K, &k) || !nprof_reader_int (&n->pick, AT_LIMIT_N, &of)
      || !nprof_reader_int (&n->pick, AT_LIMIT_TYPE, &type) || of <= 0)
    return;
  gint64 ns = duration / 1000;
  core->limited += k < of ? ns : 0;
  core->allowed += (double) ns * (double) k / (double) of;
  guint cause = type == 0    ? NE_ACTIVITY_0
                : type == 1  ? NE_ACTIVITY_1
                : type == 99 ? NE_UNKNOWN_CAUSE
                             : NE_CAUSES;
  if (cause == NE_CAUSES)
    return;
  NeLimit *l = &core->limit[cause];
  l->seen = TRUE;
  l->time += ns;
  l->k = k;
  l->n = of;
}

/* Returns whether instructions count, but are no work. */
static gboolean
is_idle (const Neuron *n, nprof_str category)
{
  return category == n->category_wait || category == n->category_setup
         || category == n->category_unsure;
}

static void
add_idle (Neuron *n, NeCore *core, guint engine, nprof_str category, const Part *part)
{
  core->waits[engine]++;
  core->unsure += category == n->category_unsure;
  ended (n, core, part);
  if (engine < NE_CC)
    add_wait (n, core, engine, part);
}

/* Adds a row that is on no engine: false where it is none of these. */
static gboolean
add_other (Neuron *n, NeCore *core, nprof_str category, const Part *part)
{
  if (category == n->category_throttle || category == n->category_unlimited)
    limit (n, core, part->duration);
  if (category == n->category_throttle)
    join (&core->throttle, part->start, part->duration);
  else if (category == n->category_execution)
    core->execution = MAX (core->execution, part->duration);
  else if (category == n->category_dma)
    packet (n, core, part);
  else if (category == n->category_transfer)
    transfer (n, core, part);
  else
    return FALSE;
  return TRUE;
}

static void
add_span (Neuron *n, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (n->places, batch->track[i]);
  nprof_str category = batch->category[i];
  if (!place->device)
    return;
  nprof_reader_row (&n->pick, batch, i);
  bool on_engine = category == n->category_instruction || category == n->category_collective
                   || is_idle (n, category);
  nprof_str name = on_engine ? nprof_reader_str (&n->pick, AT_ENGINE) : 0;
  guint engine = 0;
  while (engine < NE_ENGINES && (!name || n->engines[engine] != name))
    engine++;
  bool other = category == n->category_dma || category == n->category_throttle
               || category == n->category_unlimited || category == n->category_transfer
               || category == n->category_execution;
  if (engine == NE_ENGINES && !other)
    return;
  if (batch->duration[i] < 0) {
    n->unended++;
    return;
  }
  const Part part = part_of (n, batch, i);
  NeCore *core = core_of (n, batch, place);
  if (add_other (n, core, category, &part))
    return;
  if (on_engine && engine < NE_CC) {
    const NeSays says
        = { nprof_reader_str (&n->pick, AT_WAITS_FOR), nprof_reader_str (&n->pick, AT_SIGNALS),
            nprof_reader_str (&n->pick, AT_DMA_SIGNALS) };
    ne_waits_row (n, batch, i, engine, &says);
  }
  if (is_idle (n, category))
    add_idle (n, core, engine, category, &part);
  else if (engine < NE_ENGINES)
    instruction (n, core, engine, batch->name[i], &part);
}

static void
add_instant (Neuron *n, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str category = batch->category[i];
  const AnPlace *place = an_place (n->places, batch->track[i]);
  if (!place->device)
    return;
  if (category == n->category_semaphore)
    core_of (n, batch, place)->semaphores++;
  else if (category == n->category_event)
    core_of (n, batch, place)->happenings++;
  else if (category == n->category_throttle)
    join (&core_of (n, batch, place)->throttle, batch->start[i], 0);
}

static void
add_fact (Neuron *n, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (n->places, batch->track[i]);
  bool clock = batch->name[i] == n->key_clock;
  if ((!clock && batch->name[i] != n->key_model_flops) || !place->device || !batch->attr_at
      || batch->attr_at[i] == batch->attr_at[i + 1])
    return;
  uint32_t at = batch->attr_at[i];
  nprof_value v = batch->attr_value[at];
  double value = batch->attr_type[at] == NPROF_DOUBLE  ? v.f
                 : batch->attr_type[at] == NPROF_INT64 ? (double) v.i
                                                       : NAN;
  NeCore *core = core_of (n, batch, place);
  double *to = clock ? &core->clock : &core->model_flops;
  if (isnan (*to) && value > 0)
    *to = value;
}

void
ne_rows (Neuron *n, const struct nprof_batch *batch)
{
  for (uint32_t i = 0; i < batch->n_rows; i++)
    switch (batch->kind[i]) {
    case NPROF_SPAN:
      add_span (n, batch, i);
      break;
    case NPROF_INSTANT:
      add_instant (n, batch, i);
      break;
    case NPROF_FACT:
      add_fact (n, batch, i);
      break;
    default:
      break;
    }
}

nprof_status
ne_rows_open (Neuron *n)
{
  static const char *const engines[NE_ENGINES]
      = { "tensor", "vector", "scalar", "sync", "gpsimd", "cc-core" };
  const struct nprof_host *h = n->host;
  for (guint i = 0; i < NE_ENGINES; i++)
    n->engines[i] = nprof_intern (h, engines[i]);
  n->category_instruction = nprof_intern (h, "instruction");
  n->category_collective = nprof_intern (h, "collective");
  n->category_dma = nprof_intern (h, "dma");
  n->category_throttle = nprof_intern (h, "throttle");
  n->category_execution = nprof_intern (h, "execution");
  n->category_semaphore = nprof_intern (h, "semaphore");
  n->category_event = nprof_intern (h, "event");
  n->category_wait = nprof_intern (h, "semaphore wait");
  n->category_setup = nprof_intern (h, "runtime setup");
  n->category_unsure = nprof_intern (h, "unknown instruction");
  n->category_transfer = nprof_intern (h, "transfer");
  n->category_unlimited = nprof_intern (h, "unlimited");
  n->queue_types[NE_SOFTWARE] = nprof_intern (h, "software_dynamic");
  n->queue_types[NE_HARDWARE] = nprof_intern (h, "hardware_dynamic");
  n->counted = g_ptr_array_new_with_free_func (g_free);
  n->key_clock = nprof_intern (h, NPROF_KEY_CLOCK_RATE);
  n->key_model_flops = nprof_intern (h, NPROF_KEY_MODEL_FLOPS);
  n->opcodes = g_hash_table_new (NULL, NULL);
  n->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  ne_waits_open (&n->semaphores);
  n->by_track = g_ptr_array_new ();
  n->cores = g_ptr_array_new_with_free_func (g_free);
  n->stated = g_ptr_array_new_with_free_func (g_free);
  n->sizes = g_ptr_array_new_with_free_func (g_free);
  n->places = an_places_new (h);
  n->peaks = an_peaks_new (h, *n->folder ? n->folder : NULL, n->peak_flops, n->peak_bandwidth);
  return n->peaks ? nprof_reader_init (&n->pick, h, ne_wants) : NPROF_E_OPTION;
}
