/* SPDX-License-Identifier: Apache-2.0 */
/* row-stream.c - hands one stream of rows to those who want it as it comes, and through ordered
 * streams to those who want it in order. */

#include "pipeline/row-stream.h"

#include "pipeline/analyzer-threads.h"
#include "pipeline/batch-notes.h"
#include "pipeline/ordered-stream.h"

#include <nprof/keys.h>

#define N_ORDERS (NPROF_ORDER_DEVICE + 1)

typedef struct {
  NpRowStream *stream;
  guint order;
} Emit;

struct NpRowStream {
  NpRun *run;
  GPtrArray *analyzers, *sinks; /* of NpInstance, NpSinkThread: those that get the rows */
  gboolean context;
  guint origin;
  gboolean wanted[N_ORDERS];
  NpOrderedStream *lanes[N_ORDERS]; /* NULL: not wanted, or as they come */
  NpAnalyzerThreads
      *threads[N_ORDERS]; /* beside a lane; NULL: its own thread feeds the analyzers */
  NpBatchNotes *notes[N_ORDERS];
  Emit emits[N_ORDERS];
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

gboolean
np_reads_context (const struct nprof_component *c)
{
  return c->kind == NPROF_ANALYZER && (c->flags & NPROF_ANALYZER_CONTEXT);
}

gboolean
np_reads_tables_alone (const struct nprof_component *c)
{
  return c->kind == NPROF_ANALYZER && (c->flags & NPROF_ANALYZER_ANSWERS);
}

static const NpInstance *
consumer (NpRowStream *self, guint i)
{
  if (i < self->analyzers->len)
    return g_ptr_array_index (self->analyzers, i);
  i -= self->analyzers->len;
  return i < self->sinks->len ? np_sink_instance (g_ptr_array_index (self->sinks, i)) : NULL;
}

static guint8 *
add_key (NpRowStream *self, guint8 *keys, guint *n, const char *key)
{
  nprof_str s = np_strings_intern (self->run->strings, key, strlen (key));
  if (s >= *n) {
    keys = g_realloc (keys, s + 1);
    memset (keys + *n, 0, s + 1 - *n);
    *n = s + 1;
  }
  keys[s] = 1;
  return keys;
}

static guint8 *
add_keys (NpRowStream *self, guint8 *keys, guint *n, const struct nprof_component *c)
{
  for (const char *const *key = c->wants; key && *key; key++)
    keys = add_key (self, keys, n, *key);
  for (const struct nprof_row_want *const *want = c->row_wants; want && *want; want++)
    keys = add_key (self, keys, n, (*want)->key);
  return keys;
}

static gboolean
reads_links (const struct nprof_component *c)
{
  return c->kind != NPROF_ANALYZER || !(c->flags & NPROF_ANALYZER_NO_LINKS);
}

/* Returns the projection of an order; its keys are transfer full. */
static NpProjection
projection_of (NpRowStream *self, guint order)
{
  guint8 *keys = g_new0 (guint8, 1);
  NpProjection projection = { .n = 1, .no_links = TRUE };
  gboolean all = FALSE;
  const NpInstance *c;
  for (guint i = 0; (c = consumer (self, i)); i++) {
    if (c->order != order)
      continue;
    all |= wants_all (c->component);
    keys = add_keys (self, keys, &projection.n, c->component);
    projection.no_links &= !reads_links (c->component);
  }
  if (all)
    g_clear_pointer (&keys, g_free);
  projection.keys = keys;
  return projection;
}

/* -- Lanes ----------------------------------------------------------------- */

static gboolean emit (NpBatch *batch, gpointer user, GError **error);

/* Leaves rows out only where every component says which to keep. */
static void
let_choose (NpRowStream *self, guint order)
{
  const NpInstance *c;
  for (guint i = 0; (c = consumer (self, i)); i++)
    if (c->order == order && !c->component->choose)
      return;
  for (guint i = 0; (c = consumer (self, i)); i++)
    if (c->order == order)
      np_ordered_stream_choose (self->lanes[order], (NpInstance *) c);
}

/* Lets analyzers of one order read the same rows side by side when the run has several threads,
 * because the thread that puts rows in order has no time to read them, too. */
static void
start_threads (NpRowStream *self, guint order)
{
  g_autoptr (GPtrArray) readers = g_ptr_array_new ();
  for (guint i = 0; i < self->analyzers->len; i++) {
    NpInstance *analyzer = g_ptr_array_index (self->analyzers, i);
    if (analyzer->order == order)
      g_ptr_array_add (readers, analyzer);
  }
  if (self->run->jobs > 1 && readers->len > 1)
    self->threads[order] = np_analyzer_threads_new (readers, self->run->jobs);
}

static void
open_notes (NpRowStream *self, guint order)
{
  self->notes[order] = np_batch_notes_new (self->run);
  for (guint i = 0; i < self->analyzers->len; i++) {
    const NpInstance *analyzer = g_ptr_array_index (self->analyzers, i);
    if (analyzer->order == order)
      np_batch_notes_add (self->notes[order], analyzer);
  }
}

/* All ordered streams share the memory that sorted runs may take. */
static void
open_lanes (NpRowStream *self)
{
  guint n = 0;
  for (guint order = NPROF_ORDER_INPUT + 1; order < N_ORDERS; order++)
    n += self->wanted[order];
  for (guint order = NPROF_ORDER_INPUT + 1; order < N_ORDERS; order++) {
    if (!self->wanted[order])
      continue;
    const NpProjection projection = projection_of (self, order);
    self->emits[order] = (Emit){ self, order };
    self->lanes[order] = np_ordered_stream_new (self->run, order, NP_SORT_RUN_BYTES / n,
                                                &projection, emit, &self->emits[order]);
    let_choose (self, order);
    start_threads (self, order);
  }
}

static gboolean
is_audience (NpAudience audience, gboolean reads_context)
{
  return audience == NP_AUDIENCE_ALL || reads_context == (audience == NP_AUDIENCE_CONTEXT);
}

NpRowStream *
np_row_stream_new (NpRun *run, GPtrArray *analyzers, guint first, GPtrArray *sinks,
                   NpAudience audience)
{
  NpRowStream *self = g_new0 (NpRowStream, 1);
  self->run = run;
  self->context = audience == NP_AUDIENCE_CONTEXT;
  self->analyzers = g_ptr_array_new ();
  self->sinks = g_ptr_array_new ();
  for (guint i = first; i < analyzers->len; i++) {
    NpInstance *analyzer = g_ptr_array_index (analyzers, i);
    if (!np_reads_tables_alone (analyzer->component)
        && is_audience (audience, np_reads_context (analyzer->component)))
      g_ptr_array_add (self->analyzers, analyzer);
  }
  for (guint i = 0; i < sinks->len && is_audience (audience, FALSE); i++)
    g_ptr_array_add (self->sinks, g_ptr_array_index (sinks, i));
  const NpInstance *c;
  for (guint i = 0; (c = consumer (self, i)); i++)
    self->wanted[c->order] = TRUE;
  for (guint order = 0; order < N_ORDERS; order++)
    open_notes (self, order);
  open_lanes (self);
  return self;
}

/* Ends all threads; rows that they still had are dropped. */
static void
stop (NpRowStream *self)
{
  for (guint order = 0; order < N_ORDERS; order++)
    g_clear_pointer (&self->lanes[order], np_ordered_stream_free);
  for (guint order = 0; order < N_ORDERS; order++)
    g_clear_pointer (&self->threads[order], np_analyzer_threads_free);
  for (guint order = 0; order < N_ORDERS; order++)
    g_clear_pointer (&self->notes[order], np_batch_notes_free);
}

void
np_row_stream_free (NpRowStream *self)
{
  if (!self)
    return;
  stop (self);
  g_ptr_array_unref (self->analyzers);
  g_ptr_array_unref (self->sinks);
  g_free (self);
}

void
np_row_stream_set_origin (NpRowStream *self, guint origin)
{
  self->origin = origin;
}

/* -- Delivery -------------------------------------------------------------- */

static gboolean
deliver_to_analyzers (NpRowStream *self, NpBatch *batch, guint order, GError **error)
{
  if (!np_batch_notes_make (self->notes[order], batch, error))
    return FALSE;
  if (self->threads[order])
    return np_analyzer_threads_add (self->threads[order], batch, error);
  for (guint i = 0; i < self->analyzers->len; i++) {
    NpInstance *analyzer = g_ptr_array_index (self->analyzers, i);
    if (analyzer->order == order && !np_analyzer_consume (analyzer, batch, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
deliver (NpRowStream *self, NpBatch *batch, guint order, GError **error)
{
  if (self->origin)
    batch->view.origin = self->origin; /* rows of an analyzer come from nowhere else */
  np_batch_share (batch);
  if (!deliver_to_analyzers (self, batch, order, error))
    return FALSE;
  for (guint i = 0; i < self->sinks->len; i++) {
    NpSinkThread *sink = g_ptr_array_index (self->sinks, i);
    if (np_sink_instance (sink)->order == order && !np_sink_batch (sink, batch))
      return np_error_elsewhere (error); /* np_sink_end has the cause */
  }
  return TRUE;
}

static gboolean
emit (NpBatch *batch, gpointer user, GError **error)
{
  Emit *e = user;
  if (np_run_stopped (e->stream->run))
    return np_error_interrupted (error);
  if (e->stream->context)
    np_batch_show_hidden (batch); /* the lane made it for us alone */
  return deliver (e->stream, batch, e->order, error);
}

gboolean
np_row_stream_add (NpRowStream *self, NpBatch *batch, GError **error)
{
  for (guint order = 0; order < N_ORDERS; order++) {
    if (self->lanes[order]
        && !(np_batch_notes_look (self->notes[order], batch, error)
             && np_ordered_stream_add (self->lanes[order], batch, error)))
      return FALSE;
    if (self->wanted[order] && !self->lanes[order] && !deliver (self, batch, order, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
deliver_lanes (NpRowStream *self, NpFreeLater *later, GError **error)
{
  for (guint order = 0; order < N_ORDERS; order++)
    if (self->lanes[order] && !np_ordered_stream_end (self->lanes[order], error))
      return FALSE;
  for (guint order = 0; order < N_ORDERS; order++) {
    if (self->lanes[order] && !np_ordered_stream_wait (self->lanes[order], error))
      return FALSE;
    if (self->threads[order] && !np_analyzer_threads_end (self->threads[order], error))
      return FALSE;
    np_free_later (later, (GDestroyNotify) np_ordered_stream_free,
                   g_steal_pointer (&self->lanes[order]));
  }
  return TRUE;
}

gboolean
np_row_stream_end (NpRowStream *self, NpFreeLater *later, GError **error)
{
  gboolean ok = deliver_lanes (self, later, error);
  stop (self);
  return ok;
}
