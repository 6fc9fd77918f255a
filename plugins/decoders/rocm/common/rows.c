/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes rows: kernels and copies on the queues of GPUs, calls and marks on threads,
 * counters. */
#include "producers/annotated-step.h"
#include "producers/step-times.h"
#include "rocm.h"

#include <string.h>

/* Returns the times of a row; false: it cannot be, and is counted. */
static bool
times_of (const Rocm *self, const RocmSpan *span, gint64 *from, gint64 *duration)
{
  gint64 to;
  const char *why = NULL;
  if (!rocm_is_span (span->start, span->end))
    why = "it has no start, or ends before it starts";
  else if (!rocm_time (self, span->start, from) || !rocm_time (self, span->end, &to))
    why = "its times are months from those of the other rows";
  else
    *duration = to - *from;
  if (why)
    self->host->skip (self->host, span->what, span->at, why);
  return !why;
}

nprof_status
rocm_row (Rocm *self, uint8_t kind, nprof_track track, nprof_str name, gint64 from, gint64 duration)
{
  if (!track || self->no_track)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a track");
  return nprof_row (self->w, kind, track, name, from, duration);
}

/* -- Which call launched it, and in which step ------------------------------------------------- */

/* Processes count apart, so the number of the process is the upper half. */
static guint64
correlation_of (const RocmProcess *p, guint64 id)
{
  return id + ((guint64) p->number << 32);
}

static nprof_status
add_correlation (RocmProcess *p, guint64 id)
{
  Rocm *self = p->self;
  return id && self->want_correlation
             ? nprof_attr_uint (self->w, self->key_correlation, correlation_of (p, id))
             : NPROF_OK;
}

static nprof_status
add_step (RocmProcess *p, const gint64 *number)
{
  Rocm *self = p->self;
  return number && self->want_step ? nprof_attr_int (self->w, self->key_step, *number) : NPROF_OK;
}

/* Returns the number of the step in which the last call of that id began; NULL: in none. */
static const gint64 *
step_of_launch (RocmProcess *p, guint64 id)
{
  ids_settle (&p->launches);
  const RocmLaunch *launch = ids_find (&p->launches, (gint64) id);
  const RocmLaunch *end = ids_at (&p->launches, ids_len (&p->launches));
  while (launch && launch + 1 < end && launch[1].correlation == launch->correlation)
    launch++;
  return launch ? &launch->step : NULL;
}

/* Gives work the step in which it was launched. */
static nprof_status
add_launch (RocmProcess *p, guint64 id)
{
  nprof_status status = add_correlation (p, id);
  return status || !id || !p->self->want_step ? status : add_step (p, step_of_launch (p, id));
}

static nprof_status
add_known (Rocm *self, bool wanted, nprof_str key, gint64 value)
{
  return wanted && value != ROCM_UNKNOWN ? nprof_attr_int (self->w, key, value) : NPROF_OK;
}

/* -- Kernels ----------------------------------------------------------------------------------- */

nprof_str
rocm_kernel_name (const Rocm *self, const char *text)
{
  const size_t len = strlen (text);
  return self->host->intern (self->host, text, g_str_has_suffix (text, ".kd") ? len - 3 : len);
}

static gsize
put_number (char *text, gsize room, const char *word, gint64 value)
{
  return value == ROCM_UNKNOWN
             ? 0
             : (gsize) g_snprintf (text, room, " %s:%" G_GINT64_FORMAT, word, value);
}

/* The file's grid counts work-items; people count blocks. */
static gsize
put_shape (char *text, gsize room, const RocmKernel *k)
{
  gint64 blocks[3];
  for (guint i = 0; i < 3; i++) {
    if (k->block[i] <= 0 || k->grid[i] < 0)
      return 0;
    blocks[i] = k->grid[i] / k->block[i] + (k->grid[i] % k->block[i] != 0);
  }
#define THREE "%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT
  return (gsize) g_snprintf (text, room, " grid:" THREE " block:" THREE, blocks[0], blocks[1],
                             blocks[2], k->block[0], k->block[1], k->block[2]);
#undef THREE
}

/* Adds what is known, as xprof writes it. */
static nprof_status
add_details (Rocm *self, const RocmKernel *k)
{
  char text[320]; /* 8 numbers of up to 20 digits, and the words */
  if (!self->want_kernel)
    return NPROF_OK;
  gsize n = put_number (text, sizeof text, "regs", k->registers);
  n += put_number (text + n, sizeof text - n, "static_shared", k->shared);
  n += put_shape (text + n, sizeof text - n, k);
  text[n] = '\0';
  return n ? nprof_attr_str (self->w, self->key_kernel, nprof_intern (self->host, text + 1))
           : NPROF_OK;
}

static nprof_status
add_numbers (Rocm *self, const RocmKernel *k)
{
  nprof_status status = add_known (self, self->want_stream, self->key_stream, k->stream);
  if (!status)
    status = add_known (self, self->want_dispatch, self->key_dispatch, k->dispatch);
  if (!status && k->scratch > 0)
    status = add_known (self, self->want_scratch, self->key_scratch, k->scratch);
  if (!status)
    status = add_known (self, self->want_graph, self->key_graph, k->graph);
  return status ? status : add_known (self, self->want_graph, self->key_node, k->node);
}

nprof_status
rocm_kernel (RocmProcess *p, const RocmKernel *k, bool *begun)
{
  Rocm *self = p->self;
  gint64 from, duration;
  *begun = false;
  if (!times_of (self, &k->span, &from, &duration))
    return NPROF_OK;
  if (!k->agent) {
    self->host->skip (self->host, k->span.what, k->span.at, "its agent is not in the file");
    return NPROF_OK;
  }
  const nprof_track track = rocm_queue (p, k->agent, k->queue == ROCM_UNKNOWN ? NULL : &k->queue);
  nprof_status status = rocm_row (self, NPROF_SPAN, track, k->name, from, duration);
  if (status)
    return status;
  *begun = true;
  nprof_set_category (self->w, self->kernel);
  status = add_launch (p, k->span.correlation);
  if (!status)
    status = add_numbers (self, k);
  return status ? status : add_details (self, k);
}

/* -- Copies ------------------------------------------------------------------------------------ */

/* Names a copy as Kineto does. */
static const char *
name_of_copy (const RocmCopy *c)
{
  static const struct {
    const char *way, *name;
  } ways[] = {
    { "HOST_TO_HOST", "Memcpy HtoH" },
    { "HOST_TO_DEVICE", "Memcpy HtoD" },
    { "DEVICE_TO_HOST", "Memcpy DtoH" },
    { "DEVICE_TO_DEVICE", "Memcpy DtoD" },
  };
  for (gsize i = 0; c->way && i < G_N_ELEMENTS (ways); i++)
    if (g_str_has_suffix (c->way, ways[i].way))
      return ways[i].name;
  if (!c->from || !c->to)
    return "Memcpy";
  return ways[(c->from->gpu ? 2 : 0) + (c->to->gpu ? 1 : 0)].name;
}

/* Returns the queue of the GPU at one of its ends; where neither is one, a track of the process. */
static nprof_track
track_of_copy (RocmProcess *p, const RocmCopy *c)
{
  const struct nprof_host *host = p->self->host;
  RocmAgent *agent = c->to && c->to->gpu ? c->to : c->from && c->from->gpu ? c->from : NULL;
  if (agent)
    return rocm_queue (p, agent, c->queue == ROCM_UNKNOWN ? NULL : &c->queue);
  return rocm_track (p->self, p->track, NPROF_TRACK_ASYNC, nprof_intern (host, "copies"), 0, 0);
}

nprof_status
rocm_copy (RocmProcess *p, const RocmCopy *c)
{
  Rocm *self = p->self;
  gint64 from, duration;
  if (!times_of (self, &c->span, &from, &duration))
    return NPROF_OK;
  nprof_status status = rocm_row (self, NPROF_SPAN, track_of_copy (p, c),
                                  nprof_intern (self->host, name_of_copy (c)), from, duration);
  if (status)
    return status;
  nprof_set_category (self->w, self->copy);
  status = add_launch (p, c->span.correlation);
  if (!status)
    status = add_known (self, self->want_stream, self->key_stream, c->stream);
  return status ? status : add_known (self, self->want_bytes, self->key_bytes, c->bytes);
}

/* -- Calls ------------------------------------------------------------------------------------- */

bool
rocm_is_marker (const char *kind)
{
  return g_str_has_prefix (kind, "MARKER");
}

nprof_str
rocm_category (const Rocm *self, const char *kind)
{
  static const struct {
    const char *beginning, *category;
  } known[] = {
    { "HIP_", "hip_runtime" }, { "RCCL_", "rccl" }, { "HSA_", "hsa" }, { "MARKER", "roctx" }
  };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (kind, known[i].beginning))
      return nprof_intern (self->host, known[i].category);
  g_autofree char *small = g_ascii_strdown (kind, -1);
  return nprof_intern (self->host, *small ? small : "call");
}

nprof_status
rocm_call (RocmProcess *p, const RocmCall *c)
{
  Rocm *self = p->self;
  gint64 from, duration;
  if (!times_of (self, &c->span, &from, &duration))
    return NPROF_OK;
  nprof_status status = rocm_row (self, duration ? NPROF_SPAN : NPROF_INSTANT,
                                  rocm_thread (p, c->tid), c->name, from, duration);
  if (status)
    return status;
  nprof_set_category (self->w, c->category);
  const guint64 id = c->span.correlation;
  const StepTime *step = self->want_step ? step_time_at (p->steps, c->span.start) : NULL;
  if (step && id)
    ((RocmLaunch *) ids_add (&p->launches, (gint64) id))->step = step->number;
  status = add_correlation (p, id);
  return status ? status : add_step (p, step ? &step->number : NULL);
}

/* -- Marks and ranges of the program ----------------------------------------------------------- */

nprof_status
rocm_mark (RocmProcess *p, const RocmMark *m)
{
  Rocm *self = p->self;
  gint64 from, duration;
  int64_t number;
  if (!times_of (self, &m->span, &from, &duration))
    return NPROF_OK;
  const char *text = m->text ? nprof_text (self->host, m->text) : m->call ? m->call : "roctx";
  const bool anywhere = m->call && strstr (m->call, "ProcessRange");
  const bool is_step = duration && m->text && annotated_step (self->steps, text, &number);
  nprof_status status = rocm_row (self, duration ? NPROF_SPAN : NPROF_INSTANT,
                                  anywhere ? rocm_ranges (p) : rocm_thread (p, m->tid),
                                  nprof_intern (self->host, text), from, duration);
  if (status)
    return status;
  nprof_set_category (self->w, self->roctx);
  if (is_step && self->step)
    nprof_set_shared (self->w, self->step);
  const StepTime *step = step_time_at (p->steps, m->span.start);
  return add_step (p, is_step ? &number : step ? &step->number : NULL);
}

/* -- Counters ---------------------------------------------------------------------------------- */

nprof_status
rocm_counter (RocmProcess *p, RocmAgent *agent, nprof_str name, nprof_set unit, gint64 at,
              double value)
{
  Rocm *self = p->self;
  const RocmSpan span = { "sample", 0, at, at, 0 };
  gint64 from, duration;
  if (!times_of (self, &span, &from, &duration))
    return NPROF_OK;
  nprof_status status
      = rocm_row (self, NPROF_COUNTER, agent ? rocm_device (p, agent) : p->track, name, from, 0);
  if (status)
    return status;
  nprof_set_value (self->w, value);
  if (unit)
    nprof_set_shared (self->w, unit);
  return NPROF_OK;
}
