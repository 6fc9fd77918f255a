/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - rows, track by track, through the sweep onto the operators that they are occurrences
 * of.  What operators come to is left to levels.c and layers.c. */
#include "operators.h"

/* source: Kineto's activity types, those of 2021 in capitals; arrows end at kernels since */
enum { OTHER, OPERATOR, KERNEL };
static const struct {
  const char *category;
  guint8 is;
} known[] = { { "cpu_op", OPERATOR },
              { "Operator", OPERATOR },
              { "kernel", KERNEL },
              { "gpu_memcpy", KERNEL },
              { "gpu_memset", KERNEL } };

static guint8
category_is (const Operators *self, nprof_str category)
{
  return category < self->category->len ? self->category->data[category] : OTHER;
}

/* -- What a span comes to --------------------------------------------------------------- */

static Op *
op_of (Operators *self, guint32 op)
{
  return &g_array_index (self->ops, Op, op);
}

static void
add (Op *op, const Running *running, gint64 total, gint64 own)
{
  if (!op->occurrences++) {
    op->first = running->start;
    op->last = running->end;
  }
  op->first = MIN (op->first, running->start);
  op->last = MAX (op->last, running->end);
  op->total += total;
  op->self += own;
  if (own != total) /* what lies in it states its own work: xplane.md 2.6 */
    return;
  if (running->said.flops.knows_all) {
    op->flops += running->said.flops.all;
    op->with_flops++;
  }
  if (running->said.flops.knows_model) {
    op->model_flops += running->said.flops.model;
    op->with_model++;
  }
  if (running->said.has_bytes) {
    op->bytes += running->said.bytes;
    op->with_bytes++;
  }
}

/* Spans of a host that are no operators of the framework only take their time from those. */
#define NO_OP G_MAXUINT32

static void
done (Operators *self, const Running *running, gint64 total, gint64 own)
{
  if (running->said.op == NO_OP)
    return;
  add (op_of (self, running->said.op), running, total, own);
  const guint32 *tuple = an_tuple (&self->tuples, running->said.op);
  if (category_is (self, tuple[OP_CATEGORY]) == KERNEL)
    links_kernel (&self->links, self->place, tuple[OP_NAME], tuple[OP_CATEGORY], total,
                  running->flow);
}

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent G_GNUC_UNUSED,
        uint32_t depth)
{
  Operators *self = user;
  done (self, self->running + depth, span->end - span->start, nprof_self (span));
  return NPROF_OK;
}

static nprof_status
sweep (Operators *self, gint64 start, gint64 duration, const Running *running)
{
  nprof_status status = nprof_sweep_span (&self->sweep, start, duration, 0);
  if (status)
    return nprof_fail (self->host, status, "no memory for spans within each other");
  guint top = self->sweep.n - 1;
  if (top >= self->n_running) {
    self->n_running = MAX (64, self->n_running * 2);
    self->running = g_renew (Running, self->running, self->n_running);
  }
  self->running[top] = *running;
  if (!running->launcher && top)
    self->running[top].launcher = self->running[top - 1].launcher;
  return NPROF_OK;
}

/* -- Through the window, for times of the device's clock -------------------------------- */

static nprof_status
take (Operators *self, bool all)
{
  nprof_status status = NPROF_OK;
  for (const WindowSpan *s; !status && (s = window_take (self->order, all));) {
    const Running running = {
      .start = s->row_start,
      .end = s->row_end,
      .said
      = { { s->flops, s->model_flops, s->has_flops, s->has_model }, s->bytes, s->op, s->has_bytes }
    };
    self->late += s->late;
    if (s->late)
      done (self, &running, s->duration, s->duration);
    else
      status = sweep (self, s->start, s->duration, &running);
  }
  return status;
}

static nprof_status
by_device (Operators *self, gint64 start, gint64 duration, const Running *running)
{
  const Said *said = &running->said;
  WindowSpan *s = window_add (self->order, start, duration);
  s->row_start = running->start;
  s->row_end = running->end;
  s->flops = said->flops.all;
  s->model_flops = said->flops.model;
  s->bytes = said->bytes;
  s->op = said->op;
  s->has_flops = said->flops.knows_all;
  s->has_model = said->flops.knows_model;
  s->has_bytes = said->has_bytes;
  return take (self, false);
}

/* -- Rows ------------------------------------------------------------------------------- */

guint32
op_number (Operators *self, const guint32 *tuple)
{
  guint32 op = an_tuples_get (&self->tuples, tuple);
  if (op == self->ops->len)
    g_array_set_size (self->ops, op + 1);
  return op;
}

static nprof_status
device_span (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  AnClock clock;
  Running running = { .start = batch->start[i],
                      .end = batch->start[i] + batch->duration[i],
                      .said = known_row (self, batch, i, &clock) };
  self->by_device |= clock.has;
  if (!self->by_device)
    return sweep (self, batch->start[i], batch->duration[i], &running);
  if (!clock.has)
    clock = (AnClock){ batch->start[i], batch->duration[i], false };
  return by_device (self, clock.start, clock.duration, &running);
}

static nprof_status
host_span (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str category = batch->category[i], name = batch->name[i];
  Running running
      = { .start = batch->start[i], .end = batch->start[i] + batch->duration[i], .said.op = NO_OP };
  if (category_is (self, category) == OPERATOR) {
    const guint32 tuple[OP_WORDS] = {
      [OP_DEVICE] = self->process, [OP_HOST] = 1, [OP_NAME] = name, [OP_CATEGORY] = category
    };
    running.said.op = op_number (self, tuple);
    running.launcher = name;
  }
  return sweep (self, batch->start[i], batch->duration[i], &running);
}

static nprof_status
span (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  AnRole role = an_role (self->places, self->place, batch->category[i], batch->name[i]);
  if (role != AN_WORK && (role != AN_HOST || !batch->category[i]))
    return NPROF_OK;
  if (batch->duration[i] < 0) {
    self->unended++;
    return NPROF_OK;
  }
  return role == AN_WORK ? device_span (self, batch, i) : host_span (self, batch, i);
}

/* An arrow from a launch to its kernel: it begins within the launch, on a thread, and ends where
 * the kernel begins.  Of kernels that begin together, each takes one. */
static nprof_status
arrow (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  gint64 at = batch->start[i];
  if (batch->category[i] != self->links.family || !batch->flow)
    return NPROF_OK;
  nprof_status status = nprof_sweep_until (&self->sweep, at);
  guint n = self->sweep.n;
  if (status)
    return status;
  self->links.seen = true;
  if (!self->place->device) {
    links_launch (&self->links, batch->flow[i], n ? self->running[n - 1].launcher : 0);
    return NPROF_OK;
  }
  while (n > 1 && self->running[n - 1].flow && self->sweep.open[n - 2].start == at)
    n--;
  if (n && !self->running[n - 1].flow)
    self->running[n - 1].flow = batch->flow[i];
  return NPROF_OK;
}

nprof_status
rows_end_track (Operators *self)
{
  if (!self->track)
    return NPROF_OK;
  nprof_status status = take (self, true);
  if (status == NPROF_OK)
    status = nprof_sweep_end (&self->sweep);
  self->track = 0;
  self->by_device = false;
  return status;
}

static nprof_status
begin_track (Operators *self, nprof_track track)
{
  nprof_status status = rows_end_track (self);
  self->track = track;
  self->place = an_place (self->places, track);
  self->process = self->host->track_info (self->host, track)->process;
  if (!self->process)
    self->process = track;
  return status;
}

nprof_status
rows_consume (Operators *self, const struct nprof_batch *batch)
{
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; i < batch->n_rows && status == NPROF_OK; i++) {
    if (batch->kind[i] == NPROF_FACT)
      an_peaks_fact (self->peaks, batch, i);
    if (batch->kind[i] != NPROF_SPAN && batch->kind[i] != NPROF_FLOW)
      continue;
    if (batch->track[i] != self->track)
      status = begin_track (self, batch->track[i]);
    if (status == NPROF_OK)
      status = batch->kind[i] == NPROF_SPAN ? span (self, batch, i) : arrow (self, batch, i);
  }
  return status;
}

/* -- Choosing --------------------------------------------------------------------------- */

void
rows_choose (Operators *self, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (self->places, AN_CHOOSE_WORK | AN_CHOOSE_CATEGORIES | AN_CHOOSE_FACTS, batch, rows);
  if (!batch->flow)
    return;
  for (uint32_t i = 0; i < batch->n_rows; i++) /* arrows to kernels */
    if (batch->kind[i] == NPROF_FLOW && batch->category[i] == self->links.family)
      rows[i >> 3] = (uint8_t) (rows[i >> 3] | 1u << (i & 7));
}

/* -- Life ------------------------------------------------------------------------------- */

nprof_status
rows_init (Operators *self)
{
  const struct nprof_host *h = self->host;
  self->places = an_places_new (h);
  self->peaks = an_peaks_new (h, NULL, 0, 0);
  if (!self->peaks)
    return NPROF_E_OPTION;
  self->sweep = (struct nprof_sweep){ .closed = closed, .user = self };
  self->order = window_new (self->window);
  self->ops = g_array_new (FALSE, TRUE, sizeof (Op));
  an_tuples_init (&self->tuples, OP_WORDS);
  self->category = g_byte_array_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++) {
    nprof_str category = nprof_intern (h, known[i].category);
    guint len = self->category->len;
    if (category >= len) {
      g_byte_array_set_size (self->category, category + 1);
      memset (self->category->data + len, 0, category + 1 - len);
    }
    self->category->data[category] = known[i].is;
  }
  return known_init (self);
}

void
rows_clear (Operators *self)
{
  an_places_free (self->places);
  an_peaks_free (self->peaks);
  known_clear (self);
  nprof_sweep_clear (&self->sweep);
  window_free (self->order);
  an_tuples_clear (&self->tuples);
  g_clear_pointer (&self->ops, g_array_unref);
  g_clear_pointer (&self->category, g_byte_array_unref);
  g_clear_pointer (&self->running, g_free);
}
