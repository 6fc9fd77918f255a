/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - rows, track by track, through the sweep onto the operators that they are occurrences
 * of.  What operators come to is left to levels.c and layers.c. */
#include "operators.h"

#include "devicekit/bytes.h"

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

bool
is_kernel (const Operators *self, nprof_str category)
{
  return category_is (self, category) == KERNEL;
}

/* -- What a span comes to --------------------------------------------------------------- */

static Op *
op_of (Operators *self, guint32 op)
{
  return &g_array_index (self->ops, Op, op);
}

static void
add (Op *op, const OpFacts *facts, gint64 start, gint64 end, gint64 duration)
{
  if (!op->occurrences++) {
    op->first = start;
    op->last = end;
  }
  op->first = MIN (op->first, start);
  op->last = MAX (op->last, end);
  op->total += duration;
  op->self += duration;
  op->flops += facts->flops.all;
  op->model_flops += facts->flops.model;
  op->bytes += facts->bytes;
  op->with_flops += facts->flops.knows_all;
  op->with_model += facts->flops.knows_model;
  op->with_bytes += facts->has_bytes;
}

/* Others lay in it: their time is not its own, and they state their own work: xplane.md 2.6 */
static void
take_nested (Op *op, const OpFacts *facts, gint64 nested)
{
  op->self -= nested;
  op->flops -= facts->flops.all;
  op->model_flops -= facts->flops.model;
  op->bytes -= facts->bytes;
  op->with_flops -= facts->flops.knows_all;
  op->with_model -= facts->flops.knows_model;
  op->with_bytes -= facts->has_bytes;
}

/* Spans of a host that are no operators of the framework only take their time from those. */
#define NO_OP G_MAXUINT32

static void
add_link (Operators *self, const OpFacts *facts, gint64 duration, guint64 flow)
{
  const guint32 *tuple = an_key_table_key (&self->tuples, facts->op);
  links_kernel (&self->links, self->place, tuple[OP_NAME], tuple[OP_CATEGORY], duration, flow);
}

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent G_GNUC_UNUSED,
        uint32_t depth)
{
  Operators *self = user;
  const Running *running = self->running + depth;
  const OpFacts *facts = &running->facts;
  if (span->children && facts->op != NO_OP)
    take_nested (op_of (self, facts->op), facts, span->children);
  if (facts->is_kernel)
    add_link (self, facts, span->end - span->start, running->flow);
  return NPROF_OK;
}

static nprof_status
sweep (Operators *self, gint64 start, gint64 duration, const OpFacts *facts, nprof_str launcher)
{
  nprof_status status = nprof_sweep_span (&self->sweep, start, duration, 0);
  if (status)
    return nprof_fail (self->host, status, "no memory for spans within each other");
  guint top = self->sweep.n - 1;
  if (top >= self->n_running) {
    self->n_running = MAX (64, self->n_running * 2);
    self->running = g_renew (Running, self->running, self->n_running);
  }
  if (!launcher && top)
    launcher = self->running[top - 1].launcher;
  self->running[top] = (Running){ .facts = *facts, .launcher = launcher };
  return NPROF_OK;
}

/* -- Through the window, for times of the device's clock -------------------------------- */

static nprof_status
in_order (Operators *self, const Waiting *w)
{
  if (!w->span.late)
    return sweep (self, w->span.start, w->span.duration, &w->facts, 0);
  self->late++;
  if (w->facts.is_kernel)
    add_link (self, &w->facts, w->span.duration, 0);
  return NPROF_OK;
}

static nprof_status
take (Operators *self, bool all)
{
  nprof_status status = NPROF_OK;
  const Waiting *w;
  for (guint n; !status && (w = an_window_take (self->order, all, &n));)
    for (guint i = 0; i < n && !status; i++)
      status = in_order (self, w + i);
  return status;
}

static nprof_status
by_device (Operators *self, gint64 start, gint64 duration, const OpFacts *facts)
{
  Waiting *w = an_window_add (self->order, start, duration);
  w->facts = *facts;
  return an_window_is_full (self->order) ? take (self, false) : NPROF_OK;
}

/* -- Rows ------------------------------------------------------------------------------- */

guint32
op_number (Operators *self, const guint32 *tuple)
{
  guint32 op = an_key_table_get (&self->tuples, tuple);
  if (op == self->ops->len)
    g_array_set_size (self->ops, op + 1);
  return op;
}

static nprof_status
device_span (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  AnClock clock;
  gint64 start = batch->start[i], duration = batch->duration[i];
  const OpFacts *facts = operator_cache_row (self, batch, i, &clock);
  if (!clock.has)
    clock = (AnClock){ start, duration, false };
  self->by_device |= clock.has;
  add (op_of (self, facts->op), facts, start, start + duration, clock.duration);
  return self->by_device ? by_device (self, clock.start, clock.duration, facts)
                         : sweep (self, start, duration, facts, 0);
}

static nprof_status
host_span (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str category = batch->category[i], name = batch->name[i];
  gint64 start = batch->start[i], duration = batch->duration[i];
  if (category_is (self, category) != OPERATOR)
    return sweep (self, start, duration, &(OpFacts){ .op = NO_OP }, 0);
  const guint32 tuple[OP_WORDS]
      = { [OP_DEVICE] = self->process, [OP_HOST] = 1, [OP_NAME] = name, [OP_CATEGORY] = category };
  const OpFacts facts = { .op = op_number (self, tuple) };
  add (op_of (self, facts.op), &facts, start, start + duration, duration);
  return sweep (self, start, duration, &facts, name);
}

static nprof_status
span (Operators *self, const struct nprof_batch *batch, uint32_t i)
{
  AnRole role = an_role (self->places, self->place, batch->category[i], batch->name[i]);
  if (role != AN_WORK && (role != AN_HOST || !batch->category[i]))
    return NPROF_OK;
  if (role == AN_WORK
      && an_class (self->classes, batch->category[i], batch->name[i], FALSE) == AN_AROUND)
    return NPROF_OK; /* an execution or a task: its operators lie in it */
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
  const nprof_str family = self->links.family; /* of arrows to kernels */
  if (!batch->flow || !memchr (batch->kind, NPROF_FLOW, batch->n_rows))
    return;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    guint yes = (guint) (batch->kind[i] == NPROF_FLOW) & (guint) (batch->category[i] == family);
    rows[i >> 3] = (uint8_t) (rows[i >> 3] | yes << (i & 7));
  }
}

/* -- Life ------------------------------------------------------------------------------- */

nprof_status
rows_init (Operators *self)
{
  const struct nprof_host *h = self->host;
  self->places = an_places_new (h);
  self->classes = an_classes_new (h);
  self->peaks = an_peaks_new (h, NULL, 0, 0);
  if (!self->peaks)
    return NPROF_E_OPTION;
  self->sweep = (struct nprof_sweep){ .closed = closed, .user = self };
  self->order = an_window_new (self->window, sizeof (Waiting));
  self->ops = g_array_new (FALSE, TRUE, sizeof (Op));
  an_key_table_init (&self->tuples, OP_WORDS);
  self->category = g_byte_array_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    *an_byte_of (self->category, nprof_intern (h, known[i].category)) = known[i].is;
  return operator_cache_init (self);
}

void
rows_clear (Operators *self)
{
  an_places_free (self->places);
  an_classes_free (self->classes);
  an_peaks_free (self->peaks);
  operator_cache_clear (self);
  nprof_sweep_clear (&self->sweep);
  an_window_free (self->order);
  an_key_table_clear (&self->tuples);
  g_clear_pointer (&self->ops, g_array_unref);
  g_clear_pointer (&self->category, g_byte_array_unref);
  g_clear_pointer (&self->running, g_free);
}
