/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - gives each moment of a track to the innermost span: spans that lie in each other make
 * a stack, and of spans that overlap in part the first keeps the shared time, so that the sum is
 * the union. */
#include "devicekit/source-stack.h"
#include "flame.h"
#include "producers/pytorch.h"

#include <string.h>

static Open *
top (const Flame *f)
{
  return f->open->len ? &g_array_index (f->open, Open, f->open->len - 1) : NULL;
}

/* Gives the span the time until `to` that nobody has. */
static void
give_time (Flame *f, Open *open, gint64 to)
{
  gint64 from = MAX (f->covered, open->start);
  if (to <= from)
    return;
  gint64 inside = nprof_inside (&f->clip, from, to - from);
  f->covered = to;
  if (!inside)
    return;
  if (f->weight != WEIGHT_BYTES)
    fl_add (f, open->frame, inside, !open->counted);
  open->counted = true;
}

static void
close_top (Flame *f)
{
  Open *open = top (f);
  give_time (f, open, open->end);
  g_array_set_size (f->open, f->open->len - 1);
}

void
fl_track_end (Flame *f)
{
  while (f->open->len)
    close_top (f);
  f->covered = G_MININT64;
}

/* -- Frames ------------------------------------------------------------------------------------ */

/* Returns the root of a thread; or of a device, whose layers are shown. */
static guint32
root_of (Flame *f, const struct nprof_batch *batch, uint32_t i, const AnPlace *place)
{
  const struct nprof_track_info *track = f->host->track_info (f->host, batch->track[i]);
  if (place->device)
    return fl_root (f, batch->input, fl_clean (f, place->label));
  g_autofree char *name = g_strdup_printf ("thread %s", nprof_text (f->host, track->key));
  return fl_root (f, batch->input, fl_clean (f, nprof_intern (f->host, name)));
}

/* Returns a frame for each part of the layer, or of the path of the framework. */
static guint32
frame_of_path (Flame *f, guint32 frame)
{
  nprof_str layer = nprof_reader_str (&f->reader, K_LAYER);
  nprof_str path = layer ? layer : nprof_reader_str (&f->reader, K_PATH);
  g_auto (GStrv) parts = g_strsplit (nprof_text (f->host, path), "/", -1);
  for (guint k = 0; parts[k]; k++)
    if (*parts[k])
      frame = fl_frame (f, frame, fl_clean (f, nprof_intern (f->host, parts[k])));
  return frame;
}

static guint32
frame_of_source (Flame *f, guint32 frame)
{
  const char *stack = nprof_text (f->host, nprof_reader_str (&f->reader, K_STACK)),
             *source = nprof_text (f->host, nprof_reader_str (&f->reader, K_SOURCE));
  g_auto (GStrv) frames = an_source_frames (f->own_frames, stack, source);
  for (guint k = 0; frames[k]; k++)
    frame = fl_frame (f, frame, fl_clean (f, nprof_intern (f->host, frames[k])));
  return frame;
}

guint32
fl_stated (Flame *f, const struct nprof_batch *batch, uint32_t i, guint32 frame)
{
  nprof_reader_row (&f->reader, batch, i);
  return f->by == BY_LAYER ? frame_of_path (f, frame) : frame_of_source (f, frame);
}

/* Returns the name of the frame of a span. */
static nprof_str
name_of (Flame *f, nprof_str name)
{
  return f->steps == STEPS_ONE && an_names_step (f->host, name) ? f->each_step : fl_clean (f, name);
}

static guint32
frame_of (Flame *f, const struct nprof_batch *batch, uint32_t i, const AnPlace *place)
{
  const Open *around = top (f);
  if (fl_states (f)) /* and below that the operator */
    return fl_frame (f, fl_stated (f, batch, i, root_of (f, batch, i, place)),
                     name_of (f, batch->name[i]));
  guint32 parent = around ? around->frame : root_of (f, batch, i, place);
  const char *name = nprof_text (f->host, batch->name[i]);
  if (f->by == BY_STACK)
    return fl_frame (f, parent, name_of (f, batch->name[i]));
  if (!g_str_has_prefix (name, PYTORCH_MODULE_NAME))
    return parent;
  return fl_frame (f, parent,
                   fl_clean (f, nprof_intern (f->host, name + strlen (PYTORCH_MODULE_NAME))));
}

static bool
contains (const Open *a, gint64 start, gint64 end)
{
  return a->start <= start && end <= a->end;
}

static void
enter_track (Flame *f, nprof_track track)
{
  if (track == f->track)
    return;
  fl_track_end (f);
  f->track = track;
}

guint32
fl_frame_at (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  gint64 at = batch->start[i];
  enter_track (f, batch->track[i]);
  while (f->open->len && !contains (top (f), at, at))
    close_top (f);
  return f->open->len ? top (f)->frame
                      : root_of (f, batch, i, an_place (f->places, batch->track[i]));
}

void
fl_span (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (f->places, batch->track[i]);
  enter_track (f, batch->track[i]);
  gint64 start = batch->start[i], end = start + batch->duration[i];
  while (f->open->len && !contains (top (f), start, end))
    close_top (f);
  if (f->open->len)
    give_time (f, top (f), start);
  const Open open = { start, end, frame_of (f, batch, i, place), false };
  guint64 correlation = f->weight == WEIGHT_DEVICE ? fl_correlation (f, batch, i) : 0;
  if (correlation) {
    const AnListedLaunch call = { correlation, start, batch->input, open.frame };
    an_launch_list_add (&f->calls, &call);
  }
  g_array_append_val (f->open, open);
}
