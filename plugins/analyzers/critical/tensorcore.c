/* SPDX-License-Identifier: Apache-2.0 */
/* tensorcore.c - keeps the rows of cores that run their programs in order, as those of TPU do,
 * and walks the critical path of their steps.  What an operator waited for is found in
 * transfers.c. */
#include "critical.h"
#include "devicekit/bytes.h"

#include <string.h>

/* -- Rows -------------------------------------------------------------------------------------- */

/* source: XLA's profiler, xplane_schema.cc */
static gboolean
is_of_operators (const char *line)
{
  return strcmp (line, "XLA Ops") == 0 || strcmp (line, "Sparse Core Ops") == 0;
}

static gboolean
runs_in_order (Critical *self, nprof_track track)
{
  enum { YES = 1, NO };
  guint8 *known = an_byte_of (self->orders, track);
  if (!*known) {
    const struct nprof_track_info *info = self->host->track_info (self->host, track);
    *known = is_of_operators (nprof_text (self->host, nprof_track_label (info))) ? YES : NO;
  }
  return *known == YES;
}

static nprof_str
pick_text (Critical *self, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&self->text, batch, i);
  return nprof_reader_str (&self->text, 0);
}

/* The text is mostly that of the row's set, of which there are more than a reader remembers. */
static nprof_str
text_of (Critical *self, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_set set = batch->shared ? batch->shared[i] : 0;
  if (batch->attr_at && an_has_key (batch, i, self->key_text))
    return pick_text (self, batch, i);
  if (set >= self->texts->len)
    g_array_set_size (self->texts, MAX (set + 1, 2 * self->texts->len));
  nprof_str *known = &g_array_index (self->texts, nprof_str, set);
  if (!*known)
    *known = 1 + pick_text (self, batch, i);
  return *known - 1;
}

void
core_rows_free (gpointer rows)
{
  an_series_clear (rows);
  g_free (rows);
}

static AnSeries *
core_rows_at (Critical *self, const AnPlace *place)
{
  const guint number
      = an_key_table_get (&self->core_places, (const guint32[]){ place->label, place->input });
  if (number == self->core_rows->len) {
    AnSeries *rows = g_new (AnSeries, 1);
    an_series_init (rows, sizeof (CoreRow));
    g_ptr_array_add (self->core_rows, rows);
  }
  return g_ptr_array_index (self->core_rows, number);
}

const AnSeries *
core_rows_of (const Critical *self, nprof_str place, guint32 input)
{
  guint number;
  return an_key_table_find (&self->core_places, (const guint32[]){ place, input }, &number)
             ? g_ptr_array_index (self->core_rows, number)
             : NULL;
}

void
tensorcore_row (Critical *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i,
                const AnPlace *place, CoreRowKind kind)
{
  if (!units_wanted (self) || !place->device || batch->duration[i] < 0
      || (kind == CORE_OPERATOR && !runs_in_order (self, place->track)))
    return;
  *(CoreRow *) an_series_add (core_rows_at (self, place), &self->store)
      = (CoreRow){ .start = batch->start[i],
                   .end = batch->start[i] + batch->duration[i],
                   .name = batch->name[i],
                   .category = batch->category[i],
                   .text = kind == CORE_PROGRAM ? 0 : text_of (self, batch, i),
                   .track = place->track,
                   .kind = (guint8) kind,
                   .class = traits.class,
                   .shown = !nprof_hidden (batch, i) };
}

/* -- Windows ----------------------------------------------------------------------------------- */

typedef struct {
  Judged *judged;
  Window window;
  GArray *rows[CORE_PROGRAM + 1]; /* of CoreRow, by kind and start */
} CoreStep;

/* Gives the room of the rows back, too. */
static void
clear_rows (GArray **rows)
{
  g_array_unref (*rows);
  *rows = g_array_new (FALSE, FALSE, sizeof (CoreRow));
}

static CoreStep *
core_step_new (Judged *j)
{
  CoreStep *s = g_new0 (CoreStep, 1);
  s->judged = j;
  s->window = judged_window (j);
  for (guint i = 0; i < G_N_ELEMENTS (s->rows); i++)
    s->rows[i] = g_array_new (FALSE, FALSE, sizeof (CoreRow));
  return s;
}

static void
core_step_free (gpointer step)
{
  CoreStep *s = step;
  for (guint i = 0; i < G_N_ELEMENTS (s->rows); i++)
    g_array_unref (s->rows[i]);
  g_free (s);
}

/* -- One operator after the other -------------------------------------------------------------- */

/* Each moment of the core is of the innermost operator under way. */
typedef struct {
  Critical *self;
  Loaded *l;
  GArray *texts, *open; /* of nprof_str, by number of work; of CoreRow, the innermost last */
  gint64 told;          /* until when it is said whose the moments are          */
} Painter;

static void
put_piece (Painter *p, const CoreRow *row, gint64 until)
{
  const guint n = p->l->ops->len;
  if (until <= p->told && row->end > row->start)
    return;
  const Op op = { .start = p->told,
                  .end = MAX (until, p->told),
                  .call_start = G_MININT64,
                  .call_end = G_MININT64,
                  .before_end = n ? op_at (p->l, n - 1)->end : 0,
                  .name = row->name,
                  .category = row->category,
                  .queue = row->track,
                  .before = n,
                  .class = row->class,
                  .shown = row->shown };
  add_op (p->l, &op, n);
  g_array_append_val (p->texts, row->text);
  p->told = op.end;
}

static void
paint_until (Painter *p, gint64 then)
{
  while (p->open->len) {
    const CoreRow *top = &g_array_index (p->open, CoreRow, p->open->len - 1);
    put_piece (p, top, MIN (top->end, then));
    if (top->end > then)
      break;
    g_array_set_size (p->open, p->open->len - 1);
  }
  p->told = MAX (p->told, then);
}

static void
paint (Painter *p, const GArray *rows)
{
  p->told = G_MININT64;
  for (guint i = 0; i < rows->len; i++) {
    paint_until (p, g_array_index (rows, CoreRow, i).start);
    g_array_append_vals (p->open, &g_array_index (rows, CoreRow, i), 1);
  }
  paint_until (p, G_MAXINT64);
}

static guint
pass_work (const Loaded *l, guint op, gint64 until, AnIdlePrograms *seen)
{
  for (; op < l->ops->len && op_at (l, op)->start < until; op++)
    if (op_at (l, op)->end > op_at (l, op)->start)
      an_idle_work (seen, op_at (l, op)->end);
  return op;
}

void
programs_find (Loaded *l, const GArray *programs)
{
  AnIdlePrograms seen = AN_IDLE_NO_PROGRAMS;
  guint op = 0;
  for (guint i = 0; i < programs->len; i++) {
    const CoreRow *p = &g_array_index (programs, CoreRow, i);
    op = pass_work (l, op, p->start, &seen);
    an_idle_program (&seen, p->start, p->end);
    const LastProgram last = { p->start, seen.end };
    if (l->programs && op < l->ops->len)
      g_hash_table_insert (l->programs, GUINT_TO_POINTER (op + 1), g_memdup2 (&last, sizeof last));
  }
  pass_work (l, op, G_MAXINT64, &seen);
  l->behind = an_idle_behind_all (&seen, false, false);
}

/* -- Paths ------------------------------------------------------------------------------------- */

static nprof_status
walk_step (Critical *self, CoreStep *s, Loaded *l)
{
  if (!s->rows[CORE_OPERATOR]->len)
    return NPROF_OK;
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (CoreRow));
  const CoreRow *first = &g_array_index (s->rows[CORE_OPERATOR], CoreRow, 0);
  s->window.process = an_place (self->places, first->track)->device;
  loaded_again (l, &s->window);
  Painter p = { self, l, g_array_new (FALSE, FALSE, sizeof (nprof_str)), open, 0 };
  paint (&p, s->rows[CORE_OPERATOR]);
  clear_rows (&s->rows[CORE_OPERATOR]); /* a step may have millions */
  programs_find (l, s->rows[CORE_PROGRAM]);
  transfers_find (self, l, p.texts, s->rows[CORE_TRANSFER]);
  g_clear_pointer (&p.texts, g_array_unref);
  return judged_walk (self, s->judged, l);
}

/* Shares a row to the steps, by start, that it meets. */
static void
share_row (const GPtrArray *steps, guint from, const CoreRow *row)
{
  for (guint i = from; i < steps->len; i++) {
    CoreStep *s = g_ptr_array_index (steps, i);
    if (s->window.start > row->end)
      break;
    if (row->start <= s->window.end)
      g_array_append_vals (s->rows[row->kind], row, 1);
  }
}

/* Walks the steps of one device, each as soon as its last row was read; rows of a device come by
 * start. */
static nprof_status
walk_steps (Critical *self, const GPtrArray *steps, Loaded *l)
{
  const Judged *of = ((const CoreStep *) g_ptr_array_index (steps, 0))->judged;
  const AnSeries *rows = core_rows_of (self, of->place, of->input);
  nprof_status status = NPROF_OK;
  guint done = 0;
  if (!rows)
    return NPROF_OK;
  AnSeriesReader reader;
  an_series_read (&reader, rows, &self->store);
  for (const CoreRow *row; !status && (row = an_series_next (&reader));) {
    for (CoreStep *s; done < steps->len && !status; done++) {
      s = g_ptr_array_index (steps, done);
      if (s->window.end >= row->start)
        break;
      status = walk_step (self, s, l);
      for (guint i = 0; i < G_N_ELEMENTS (s->rows); i++)
        clear_rows (&s->rows[i]);
    }
    share_row (steps, done, row);
  }
  an_series_reader_clear (&reader);
  for (; done < steps->len && !status; done++)
    status = walk_step (self, g_ptr_array_index (steps, done), l);
  return status;
}

nprof_status
tensorcore_walk (Critical *self, GArray *judged, guint from)
{
  nprof_status status = NPROF_OK;
  g_autoptr (Loaded) loaded = loaded_new (NULL); /* of one step after the other */
  loaded->programs = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint i = from; i < judged->len && self->core_rows->len && !status;) {
    const Judged *first = &g_array_index (judged, Judged, i);
    g_autoptr (GPtrArray) steps = g_ptr_array_new_with_free_func (core_step_free);
    for (; i < judged->len; i++) {
      Judged *j = &g_array_index (judged, Judged, i);
      if (j->place != first->place || j->input != first->input)
        break;
      if (!j->no_launches)
        g_ptr_array_add (steps, core_step_new (j));
    }
    if (steps->len)
      status = walk_steps (self, steps, loaded);
  }
  return status ? status : an_store_check (&self->store);
}
