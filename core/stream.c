/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - one stream of rows to those who want it as it comes, and through order.c to
 * those who want it sorted. */

#include "stream.h"

#include <nprof/keys.h>

#define N_ORDERS (NPROF_ORDER_TIME + 1)

typedef struct { /* the rows of one order */
  gboolean wanted;
  NpOrder *order; /* NULL: as they come */
  guint8 *keep;   /* keys whose attributes are kept; NULL: all */
  guint n_keep;
} Lane;

struct NpStream {
  NpRun *run;
  GPtrArray *analyzers, *sinks;
  guint first;
  Lane lanes[N_ORDERS];
};

/* -- Who wants which order, and which attributes --------------------------- */

static gboolean
wants_all (const struct nprof_component *c)
{
  for (const char *const *key = c->wants; key && *key; key++)
    if (g_str_equal (*key, "*"))
      return TRUE;
  return FALSE;
}

static const NpInstance *
consumer (NpStream *self, guint i)
{
  guint n_analyzers = self->analyzers->len - self->first;
  if (i < n_analyzers)
    return g_ptr_array_index (self->analyzers, self->first + i);
  i -= n_analyzers;
  return i < self->sinks->len ? np_sink_instance (g_ptr_array_index (self->sinks, i)) : NULL;
}

static void
keep_keys (NpStream *self, Lane *lane, const struct nprof_component *c)
{
  for (const char *const *key = c->wants; key && *key; key++) {
    gboolean args = g_str_equal (*key, NPROF_WANT_ARGS_OF_INSTANTS)
                    || g_str_equal (*key, NPROF_WANT_ARGS_OF_FUSED);
    const char *name = args ? "args" : *key;
    nprof_str s = np_strings_intern (self->run->strings, name, strlen (name));
    if (s >= lane->n_keep) {
      lane->keep = g_realloc (lane->keep, s + 1);
      memset (lane->keep + lane->n_keep, 0, s + 1 - lane->n_keep);
      lane->n_keep = s + 1;
    }
    lane->keep[s] = 1;
  }
}

static void
open_lane (NpStream *self, guint order)
{
  Lane *lane = &self->lanes[order];
  gboolean all = FALSE;
  lane->keep = g_new0 (guint8, 1);
  lane->n_keep = 1;
  const NpInstance *c;
  for (guint i = 0; (c = consumer (self, i)); i++) {
    if (c->order != order)
      continue;
    lane->wanted = TRUE;
    all |= wants_all (c->component);
    keep_keys (self, lane, c->component);
  }
  if (all)
    g_clear_pointer (&lane->keep, g_free);
}

/* What runs may take is shared by all orders. */
static void
open_orders (NpStream *self)
{
  guint n = 0;
  for (guint order = NPROF_ORDER_INPUT + 1; order < N_ORDERS; order++)
    n += self->lanes[order].wanted;
  for (guint order = NPROF_ORDER_INPUT + 1; order < N_ORDERS; order++) {
    Lane *lane = &self->lanes[order];
    if (lane->wanted)
      lane->order = np_order_new (order, self->run->pool, self->run->tracks, NP_ORDER_RUN_BYTES / n,
                                  lane->keep, lane->n_keep);
  }
}

NpStream *
np_stream_new (NpRun *run, GPtrArray *analyzers, guint first, GPtrArray *sinks)
{
  NpStream *self = g_new0 (NpStream, 1);
  self->run = run;
  self->analyzers = analyzers;
  self->sinks = sinks;
  self->first = first;
  for (guint order = 0; order < N_ORDERS; order++)
    open_lane (self, order);
  open_orders (self);
  return self;
}

void
np_stream_free (NpStream *self)
{
  if (!self)
    return;
  for (guint order = 0; order < N_ORDERS; order++) {
    if (self->lanes[order].order)
      np_order_free (self->lanes[order].order);
    g_free (self->lanes[order].keep);
  }
  g_free (self);
}

/* -- Delivery -------------------------------------------------------------- */

static gboolean
deliver (NpStream *self, NpBatch *batch, guint order, GError **error)
{
  for (guint i = self->first; i < self->analyzers->len; i++) {
    NpInstance *analyzer = g_ptr_array_index (self->analyzers, i);
    if (analyzer->order != order)
      continue;
    nprof_status status = analyzer->component->consume (analyzer->self, &batch->view);
    if (status) {
      g_propagate_error (error, np_instance_take_error (analyzer, status));
      return FALSE;
    }
  }
  for (guint i = 0; i < self->sinks->len; i++) {
    NpSinkThread *sink = g_ptr_array_index (self->sinks, i);
    if (np_sink_instance (sink)->order == order && !np_sink_batch (sink, batch)) {
      g_set_error_literal (error, NP_ERROR, NP_EXIT_SINK, ""); /* np_sink_end has the cause */
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
np_stream_add (NpStream *self, NpBatch *batch, GError **error)
{
  for (guint order = 0; order < N_ORDERS; order++) {
    Lane *lane = &self->lanes[order];
    if (!lane->wanted)
      continue;
    if (lane->order ? !np_order_add (lane->order, batch, error)
                    : !deliver (self, batch, order, error))
      return FALSE;
  }
  return TRUE;
}

typedef struct {
  NpStream *stream;
  guint order;
} Emit;

static gboolean
emit (NpBatch *batch, gpointer user, GError **error)
{
  Emit *e = user;
  if (np_run_stopped (e->stream->run)) {
    g_set_error_literal (error, NP_ERROR, NP_EXIT_INTERRUPTED, "");
    return FALSE;
  }
  return deliver (e->stream, batch, e->order, error);
}

gboolean
np_stream_end (NpStream *self, GError **error)
{
  for (guint order = 0; order < N_ORDERS; order++) {
    Emit e = { self, order };
    if (self->lanes[order].order && !np_order_emit (self->lanes[order].order, emit, &e, error))
      return FALSE;
    g_clear_pointer (&self->lanes[order].order, np_order_free);
  }
  return TRUE;
}
