/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - gives each row of work to its device, step, layer and operator.  What lies around other
 * work is left out of all sums: its flops are those of what lies within it (xplane.md 2.6). */
#include "mfu.h"

#include <stdlib.h>

#define NO_STEP G_MININT64
/* Keys of steps: the device's own spans count from 0, numbers that only rows state lie below. */
#define BY_NUMBER(step) (-1 - (step))

void
mf_device_free (gpointer device)
{
  MfDevice *d = device;
  an_line_free (d->line);
  mf_sums_clear (&d->operators);
  mf_sums_clear (&d->layers);
  mf_sums_clear (&d->steps);
  g_array_unref (d->spans);
  g_free (d);
}

static void
passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  MfDevice *d = user;
  d->busy += active->n_work ? to - from : 0;
}

static void
add_work (MfDevice *d, const AnSpan *span)
{
  mf_sum_add (&d->all, span);
  mf_sum_add (mf_sums_of (&d->operators, span->item.name), span);
  if (span->item.layer)
    mf_sum_add (mf_sums_of (&d->layers, span->item.layer), span);
  if (span->item.step != NO_STEP)
    mf_sum_add (mf_sums_of (&d->steps, span->item.step), span);
}

static void
ended (gpointer user, const AnSpan *span)
{
  if (span->leaf)
    add_work (user, span);
}

static MfDevice *
device_of (MfRun *run, const AnPlace *place)
{
  MfDevice *d = g_hash_table_lookup (run->by_track, GUINT_TO_POINTER (place->device));
  if (d)
    return d;
  d = g_new0 (MfDevice, 1);
  d->run = run;
  d->track = place->device;
  d->label = place->label;
  d->input = place->input;
  d->first = G_MAXINT64;
  d->last = G_MININT64;
  d->line = an_line_new (&(AnLineCalls){ passed, ended, d });
  mf_sum_init (&d->all, 0);
  mf_sums_init (&d->operators);
  mf_sums_init (&d->layers);
  mf_sums_init (&d->steps);
  d->spans = g_array_new (FALSE, FALSE, sizeof (MfStep));
  g_ptr_array_add (run->devices, d);
  g_hash_table_insert (run->by_track, GUINT_TO_POINTER (place->device), d);
  return d;
}

static MfTrack *
track_of (MfRun *run, const AnPlace *place)
{
  if (place->track >= run->tracks->len)
    g_ptr_array_set_size (run->tracks, (int) MAX (place->track + 1, run->tracks->len * 2));
  MfTrack *t = g_ptr_array_index (run->tracks, place->track);
  if (t)
    return t;
  run->tracks->pdata[place->track] = t = g_new0 (MfTrack, 1);
  t->device = device_of (run, place);
  t->lane = t->device->n_lanes++;
  return t;
}

/* -- Steps and layers ----------------------------------------------------------------------- */

/* Its attribute, else the number at the end of its name ("ProfilerStep#12", "12"), else its
 * place among the steps. */
static gint64
number_of_step (MfRun *run, const MfDevice *d, const struct nprof_batch *batch, uint32_t i)
{
  AnItem item;
  an_work_row (&run->work, batch, i, &item);
  if (run->work.row.has_step)
    return run->work.row.step;
  const char *name = nprof_text (run->host, batch->name[i]);
  const char *digits = name + strlen (name);
  while (digits > name && g_ascii_isdigit (digits[-1]))
    digits--;
  return *digits ? g_ascii_strtoll (digits, NULL, 10) : (gint64) d->spans->len;
}

/* Streams of a device each have their part of an annotated step. */
static void
step_row (MfRun *run, MfDevice *d, const struct nprof_batch *batch, uint32_t i)
{
  MfStep step = { .number = number_of_step (run, d, batch, i),
                  .start = batch->start[i],
                  .end = batch->start[i] + batch->duration[i] };
  MfStep *last = d->spans->len ? &g_array_index (d->spans, MfStep, d->spans->len - 1) : NULL;
  if (last && last->number == step.number && step.start <= last->end)
    last->end = MAX (last->end, step.end);
  else
    g_array_append_val (d->spans, step);
}

/* The step that is under way when the work begins, else the one that its row states. */
static gint64
step_of (const MfDevice *d, const AnNumbers *row, gint64 start)
{
  if (d->spans->len) {
    const MfStep *last = &g_array_index (d->spans, MfStep, d->spans->len - 1);
    return start < last->end ? (gint64) d->spans->len - 1 : NO_STEP;
  }
  if (row->has_step && row->step >= 0 && row->step < G_MAXINT64)
    return BY_NUMBER (row->step);
  return NO_STEP;
}

/* The path without its last part: "jit(f)/layer_3/dot_general" is in "jit(f)/layer_3". */
static nprof_str
layer_of_path (MfRun *run, nprof_str path)
{
  guint len = run->layers->len;
  if (path >= len) {
    g_array_set_size (run->layers, MAX (path + 1, len * 2));
    memset (&g_array_index (run->layers, guint32, len), 0,
            (run->layers->len - len) * sizeof (guint32));
  }
  guint32 *known = &g_array_index (run->layers, guint32, path);
  if (*known)
    return *known - 1;
  const char *text = nprof_text (run->host, path), *slash = strrchr (text, '/');
  nprof_str layer = slash ? run->host->intern (run->host, text, (size_t) (slash - text)) : 0;
  *known = layer + 1;
  return layer;
}

static nprof_str
layer_of (MfRun *run)
{
  const AnNumbers *row = &run->work.row;
  if (row->layer || !row->framework_op)
    return row->layer;
  return layer_of_path (run, row->framework_op);
}

/* -- Rows ------------------------------------------------------------------------------------ */

static void
reach (MfDevice *d, gint64 start, gint64 duration)
{
  d->first = MIN (d->first, start);
  d->last = MAX (d->last, start + duration);
}

static void
work_row (MfRun *run, MfTrack *t, const struct nprof_batch *batch, uint32_t i)
{
  MfDevice *d = t->device;
  AnItem item = { .lane = t->lane, .name = batch->name[i] };
  an_work_row (&run->work, batch, i, &item);
  item.layer = layer_of (run);
  item.step = step_of (d, &run->work.row, batch->start[i]);
  if (batch->duration[i] == 0) { /* in the time of the run; the device may have worked for long */
    if (item.known)
      add_work (d, &(AnSpan){ .start = batch->start[i], .end = batch->start[i], .item = item });
    return;
  }
  an_line_add (d->line, batch->start[i], batch->duration[i], &item);
  reach (d, batch->start[i], batch->duration[i]);
}

static void
execution (MfDevice *d, const struct nprof_batch *batch, uint32_t i)
{
  if (an_work_crosses (&d->run->work, batch, i)) {
    d->cut = TRUE;
    return;
  }
  d->n_executions++;
  reach (d, batch->start[i], batch->duration[i]);
}

static void
span_row (MfRun *run, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (run->places, batch->track[i]);
  AnRole role = an_role (run->places, place, batch->category[i], batch->name[i]);
  if (!place->device || batch->duration[i] < 0)
    return;
  if (role == AN_STEP) {
    step_row (run, device_of (run, place), batch, i);
  } else if (role == AN_MODULE
             || (role == AN_WORK
                 && an_class (run->classes, batch->category[i], batch->name[i]) == AN_AROUND)) {
    execution (device_of (run, place), batch, i);
  } else if (role == AN_WORK) {
    work_row (run, track_of (run, place), batch, i);
  }
}

nprof_status
mf_rows (MfRun *run, const struct nprof_batch *batch)
{
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] == NPROF_SPAN) {
      span_row (run, batch, i);
    } else if (batch->kind[i] == NPROF_FACT) {
      an_peaks_fact (run->peaks, batch, i);
      an_stated_fact (run->stated, batch, i);
    }
  }
  return NPROF_OK;
}
