/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - gives rows, through the sweep of their track, to the operators that they are calls of.
 * levels.c and layers.c sum up operators, launched.c what they launched. */
#include "operators.h"

#include "devicekit/by-track.h"
#include "devicekit/bytes.h"
#include "names.h"
#include "producers/host-kind.h"
#include "producers/pytorch.h"
#include "system/layer-path.h"

#include <string.h>

/* source: Kineto's activity types, those of 2021 in capitals; nsys' rows of whole graphs */
enum { OTHER = 1, OPERATOR, KERNEL, REPLAY };
static const struct {
  const char *category;
  guint8 is;
} known[] = { { "kernel", KERNEL },    { "gpu_memcpy", KERNEL }, { "gpu_memset", KERNEL },
              { "Kernel", KERNEL },    { "Memcpy", KERNEL },     { "Memset", KERNEL },
              { "cuda_graph", REPLAY } };

static guint8
look_at_category (const char *category)
{
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (known[i].category, category) == 0)
      return known[i].is;
  return an_host_kind (category) == AN_HOST_OPERATOR ? OPERATOR : OTHER;
}

static guint8
category_is (const Operators *self, nprof_str category)
{
  guint8 *is = an_byte_of (self->category, category);
  if (!*is)
    *is = look_at_category (nprof_text (self->host, category));
  return *is;
}

bool
is_kernel (const Operators *self, nprof_str category)
{
  return category_is (self, category) == KERNEL;
}

/* -- What a span comes to --------------------------------------------------------------- */

static Op *
op_of (const Operators *self, guint32 op)
{
  return &g_array_index (self->ops, Op, op);
}

static void
add (const Operators *self, const OpFacts *facts, gint64 start, gint64 end, gint64 duration,
     gint64 inside)
{
  Op *op = op_of (self, facts->op);
  start = nprof_cut (&self->clip, start);
  end = nprof_cut (&self->clip, end);
  if (!op->occurrences++) {
    op->first = start;
    op->last = end;
  }
  op->first = MIN (op->first, start);
  op->last = MAX (op->last, end);
  op->total += inside;
  op->self += inside;
  op->outside += duration - inside;
  op->flops += facts->flops.all;
  op->model_flops += facts->flops.model;
  op->bytes += facts->bytes;
  op->on_chip += facts->on_chip;
  op->with_flops += facts->flops.knows_all;
  op->with_model += facts->flops.knows_model;
  op->with_bytes += facts->has_bytes;
  op->with_on_chip += facts->has_on_chip;
}

/* Takes the time of spans within from the operator: it is not its own, and they state their own
 * work: xplane.md 2.6 */
static void
take_nested (Op *op, const OpFacts *facts, gint64 nested)
{
  op->self -= nested;
  op->flops -= facts->flops.all;
  op->model_flops -= facts->flops.model;
  op->bytes -= facts->bytes;
  op->on_chip -= facts->on_chip;
  op->with_flops -= facts->flops.knows_all;
  op->with_model -= facts->flops.knows_model;
  op->with_bytes -= facts->has_bytes;
  op->with_on_chip -= facts->has_on_chip;
}

/* A span that is no operator, and one that the selection hides, only takes its time from others. */
#define NO_OP G_MAXUINT32

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent G_GNUC_UNUSED,
        uint32_t depth)
{
  Track *t = user;
  const OpFacts *facts = &t->running[depth].facts;
  if (span->children && facts->op != NO_OP)
    take_nested (op_of (t->operators, facts->op), facts, t->running[depth].nested);
  return NPROF_OK;
}

static nprof_status
sweep (Track *t, gint64 start, gint64 duration, Inside inside, const OpFacts *facts)
{
  nprof_status status = nprof_sweep_span (&t->sweep, start, duration, 0);
  if (status)
    return nprof_fail (t->operators->host, status, "no memory for spans within each other");
  guint top = t->sweep.n - 1;
  if (top >= t->n_running) {
    t->n_running = MAX (8, t->n_running * 2);
    t->running = g_renew (Running, t->running, t->n_running);
  }
  Running *r = t->running + top;
  *r = (Running){ .facts = *facts, .covered = inside.start };
  if (top)
    r[-1].nested
        += nprof_sweep_behind (inside.start, inside.start + inside.duration, &r[-1].covered);
  return NPROF_OK;
}

/* -- Through the window, for times of the device's clock -------------------------------- */

static nprof_status
take_ordered_rows (Track *t, bool all)
{
  nprof_status status = NPROF_OK;
  const Waiting *w;
  for (guint n; t->order && !status && (w = an_window_take (t->order, all, &n));)
    for (guint i = 0; i < n && !status; i++) {
      if (w[i].span.late)
        t->operators->late++;
      else
        status = sweep (t, w[i].span.start, w[i].span.duration, w[i].inside, &w[i].facts);
    }
  return status;
}

static nprof_status
by_device (Track *t, gint64 start, gint64 duration, Inside inside, const OpFacts *facts)
{
  if (!t->order)
    t->order = an_window_new (t->operators->window, sizeof (Waiting));
  Waiting *w = an_window_add (t->order, start, duration);
  w->facts = *facts;
  w->inside = inside;
  return an_window_is_full (t->order) ? take_ordered_rows (t, false) : NPROF_OK;
}

/* -- Tracks ------------------------------------------------------------------------------- */

static __attribute__ ((noinline)) Track *
new_track (Operators *self, nprof_track track)
{
  Track *t = g_new0 (Track, 1);
  an_put_of_track (self->tracks, track, t);
  t->operators = self;
  t->place = an_place (self->places, track);
  t->process = self->host->track_info (self->host, track)->process;
  if (!t->process)
    t->process = track;
  t->sweep = (struct nprof_sweep){ .closed = closed, .user = t };
  return t;
}

static inline Track *
track_of (Operators *self, nprof_track track)
{
  Track *t = an_of_track (self->tracks, track);
  return G_LIKELY (t) ? t : new_track (self, track);
}

static void
track_free (gpointer data)
{
  Track *t = data;
  if (!t)
    return;
  nprof_sweep_clear (&t->sweep);
  g_free (t->running);
  an_window_free (t->order);
  g_free (t);
}

/* -- Rows ------------------------------------------------------------------------------- */

nprof_str
host_name (const Operators *self, nprof_str name)
{
  if (name >= self->host_names->len)
    g_array_set_size (self->host_names, MAX (name + 1, 2 * self->host_names->len));
  nprof_str *clean = &g_array_index (self->host_names, nprof_str, name);
  if (!*clean) {
    const char *text = nprof_text (self->host, name);
    *clean = self->host->intern (self->host, text, pytorch_operator_len (text));
  }
  return *clean ? *clean : self->no_name;
}

nprof_str
name_of_node (const Operators *self, guint32 node)
{
  return host_name (self, an_links_node (self->links, node).name);
}

guint32
op_number (Operators *self, const guint32 *tuple)
{
  guint32 op = an_key_table_get (&self->tuples, tuple);
  if (op == self->ops->len)
    np_large_array_extend (self->ops, op + 1);
  return op;
}

/* Returns the share of the part inside the window, until the next row. */
static const OpFacts *
cut_facts (Operators *self, const OpFacts *whole, gint64 inside, gint64 duration)
{
  OpFacts facts = *whole;
  facts.flops.all = nprof_prorate (facts.flops.all, inside, duration);
  facts.flops.model = nprof_prorate (facts.flops.model, inside, duration);
  facts.bytes = nprof_prorate (facts.bytes, inside, duration);
  facts.on_chip = nprof_prorate (facts.on_chip, inside, duration);
  self->facts = facts;
  return &self->facts;
}

static nprof_status
device_span (Operators *self, Track *t, AnTraits traits, const struct nprof_batch *batch,
             uint32_t i)
{
  AnClock clock;
  gint64 start = batch->start[i], duration = batch->duration[i];
  const OpFacts *facts = operator_cache_row (self, t->place, traits.own, batch, i, &clock);
  OpFacts hidden = { .op = NO_OP };
  bool has = clock.has, is_hidden = nprof_hidden (batch, i), kernel = facts->is_kernel;
  if (!has)
    clock = (AnClock){ start, duration, false };
  gint64 inside = nprof_inside (&self->clip, start, duration);
  Inside part = { clock.start, clock.duration };
  if (inside != duration) {
    gint64 before = nprof_cut (&self->clip, start) - start;
    part.start += nprof_prorate (clock.duration, before, duration);
    part.duration = nprof_prorate (clock.duration, inside, duration);
    if (!is_hidden)
      facts = cut_facts (self, facts, inside, duration);
  }
  if (is_hidden)
    facts = &hidden;
  else
    add (self, facts, start, start + duration, clock.duration, part.duration);
  if (kernel)
    launched_row (self, t->place, batch, i);
  else if (!is_hidden && category_is (self, batch->category[i]) == REPLAY)
    launched_replay (self, t->place, part.duration);
  if (traits.is & AN_IS_BESIDE)
    return NPROF_OK;
  return has || t->order ? by_device (t, clock.start, clock.duration, part, facts)
                         : sweep (t, start, duration, part, facts);
}

/* This is AnLinkCalls.span. */
static void
host_span (gpointer operators, const AnHostSpan *span)
{
  Operators *self = operators;
  Track *t = track_of (self, span->thread);
  gint64 duration = span->end - span->start;
  Inside part
      = { nprof_cut (&self->clip, span->start), nprof_inside (&self->clip, span->start, duration) };
  OpFacts facts = { .op = NO_OP };
  if (category_is (self, span->category) == OPERATOR && !span->hidden) {
    const guint32 tuple[OP_WORDS] = { [OP_DEVICE] = t->process,
                                      [OP_HOST] = 1,
                                      [OP_NAME] = host_name (self, span->name),
                                      [OP_CATEGORY] = span->category };
    facts.op = op_number (self, tuple);
    add (self, &facts, span->start, span->end, duration, part.duration);
  }
  if (!self->status)
    self->status = sweep (t, span->start, duration, part, &facts);
}

/* Takes a row of work; executions and tasks are left out, since their operators lie in them. */
static nprof_status
work_row (Operators *self, Track *t, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  if (traits.class == AN_AROUND)
    return NPROF_OK;
  if (batch->duration[i] >= 0)
    return device_span (self, t, traits, batch, i);
  self->unended += !nprof_hidden (batch, i);
  return NPROF_OK;
}

static nprof_status
host_row (Operators *self, Track *t, const struct nprof_batch *batch, uint32_t i, AnRole role)
{
  if (role == AN_HOST && !batch->category[i])
    return NPROF_OK;
  if (batch->duration[i] < 0)
    self->unended += role == AN_HOST && !nprof_hidden (batch, i);
  an_links_host (self->links, t->place, role, batch, i);
  return self->status;
}

static nprof_status
span_row (Operators *self, Track *t, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  if (!t->place->device)
    return host_row (self, t, batch, i, (AnRole) traits.role);
  return traits.role == AN_WORK ? work_row (self, t, traits, batch, i) : NPROF_OK;
}

nprof_status
rows_end (Operators *self)
{
  nprof_status status = NPROF_OK;
  an_links_end (self->links);
  for (guint i = 0; i < self->tracks->len && !status; i++) {
    Track *t = g_ptr_array_index (self->tracks, i);
    status = t ? take_ordered_rows (t, true) : NPROF_OK;
    if (t && !status)
      status = nprof_sweep_end (&t->sweep);
  }
  launched_end (self);
  products_finish (self);
  return status ? status : self->status;
}

nprof_status
rows_consume (Operators *self, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&self->traits, batch);
  batch = traits->rows;
  nprof_status status = NPROF_OK;
  Track *t = NULL;
  for (uint32_t i = 0; i < batch->n_rows && status == NPROF_OK; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    if (!t || batch->track[i] != t->place->track)
      t = track_of (self, batch->track[i]);
    status = span_row (self, t, traits->of[i], batch, i);
  }
  return status;
}

/* -- Choosing --------------------------------------------------------------------------- */

void
rows_choose (Operators *self, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (self->places, AN_CHOOSE_WORK | AN_CHOOSE_CATEGORIES, batch, rows);
  an_links_choose (self->links, batch, rows);
}

/* -- Life ------------------------------------------------------------------------------- */

nprof_status
rows_init (Operators *self)
{
  const struct nprof_host *h = self->host;
  self->clip = nprof_window_of (h);
  self->places = an_places_new (h);
  self->peaks = an_peaks_new (h, NULL, 0, 0);
  if (!self->peaks)
    return NPROF_E_OPTION;
  self->tracks = g_ptr_array_new_with_free_func (track_free);
  const AnLinkCalls calls = {
    .linked = launched_linked, .span = host_span, .begin = products_begin, .end = products_end
  };
  self->links = an_links_new (h, self->places, &calls, self);
  an_links_want_shapes (self->links);
  launched_init (self);
  products_init (self);
  shapes_init (self);
  self->ops = np_large_array_new (sizeof (Op));
  an_key_table_init (&self->tuples, OP_WORDS);
  self->no_name = nprof_intern (h, "(no name)");
  self->host_names = g_array_new (FALSE, TRUE, sizeof (nprof_str));
  self->category = g_byte_array_new ();
  self->type = of_text_new (type_of_path);
  self->layer = of_text_new (an_layer_of_path);
  self->opcode = of_text_new (opcode_of_text);
  nprof_status status = an_traits_init (&self->traits, h, false);
  return status ? status : operator_cache_init (self);
}

void
rows_clear (Operators *self)
{
  an_links_free (self->links);
  launched_clear (self);
  products_clear (self);
  shapes_clear (self);
  an_places_free (self->places);
  an_traits_clear (&self->traits);
  an_peaks_free (self->peaks);
  operator_cache_clear (self);
  an_key_table_clear (&self->tuples);
  g_clear_pointer (&self->ops, np_large_array_free);
  g_clear_pointer (&self->category, g_byte_array_unref);
  g_clear_pointer (&self->type, g_free);
  g_clear_pointer (&self->layer, g_free);
  g_clear_pointer (&self->opcode, g_free);
  g_clear_pointer (&self->host_names, g_array_unref);
  g_clear_pointer (&self->tracks, g_ptr_array_unref);
}
