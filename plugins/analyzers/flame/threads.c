/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - gives each moment of a track to the innermost span: spans that lie in each other make
 * a stack, and of spans that overlap in part the first keeps the shared time, so that the sum is
 * the union. */
#include "flame.h"

#include <string.h>

#define MODULE "nn.Module: "

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
  fl_add (f, open->frame, to - from, !open->counted);
  open->counted = true;
  f->covered = to;
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

/* -- Frames ------------------------------------------------------------------------------------- */

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

/* Returns the path of the framework, or the layer; "": the row states neither. */
static const char *
path_of (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  nprof_str path = 0, layer = 0;
  const struct nprof_attrs *set
      = batch->shared && batch->shared[i] ? f->host->attr_set (f->host, batch->shared[i]) : NULL;
  for (uint32_t j = 0; set && j < set->n; j++)
    if (set->type[j] == NPROF_STRING) {
      path = set->key[j] == f->key_path ? set->value[j].s : path;
      layer = set->key[j] == f->key_layer ? set->value[j].s : layer;
    }
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_type[j] == NPROF_STRING) {
      path = batch->attr_key[j] == f->key_path ? batch->attr_value[j].s : path;
      layer = batch->attr_key[j] == f->key_layer ? batch->attr_value[j].s : layer;
    }
  return nprof_text (f->host, layer ? layer : path);
}

/* Returns a frame for each part of the path, and below them the operator. */
static guint32
frame_of_path (Flame *f, const struct nprof_batch *batch, uint32_t i, guint32 frame)
{
  g_auto (GStrv) parts = g_strsplit (path_of (f, batch, i), "/", -1);
  for (guint k = 0; parts[k]; k++)
    if (*parts[k])
      frame = fl_frame (f, frame, fl_clean (f, nprof_intern (f->host, parts[k])));
  return fl_frame (f, frame, fl_clean (f, batch->name[i]));
}

static guint32
frame_of (Flame *f, const struct nprof_batch *batch, uint32_t i, const AnPlace *place)
{
  const Open *around = top (f);
  if (f->by == BY_LAYER)
    return frame_of_path (f, batch, i, root_of (f, batch, i, place));
  guint32 parent = around ? around->frame : root_of (f, batch, i, place);
  const char *name = nprof_text (f->host, batch->name[i]);
  if (f->by == BY_STACK)
    return fl_frame (f, parent, fl_clean (f, batch->name[i]));
  if (!g_str_has_prefix (name, MODULE))
    return parent;
  return fl_frame (f, parent, fl_clean (f, nprof_intern (f->host, name + strlen (MODULE))));
}

static bool
contains (const Open *a, gint64 start, gint64 end)
{
  return a->start <= start && end <= a->end;
}

void
fl_span (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (f->places, batch->track[i]);
  if (batch->track[i] != f->track) {
    fl_track_end (f);
    f->track = batch->track[i];
  }
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
