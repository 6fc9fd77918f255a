/* SPDX-License-Identifier: Apache-2.0 */
/* work-strip.c - the work of a device over the whole profile.  Rows that hold work, such as
 * annotations, and waits are none; work within work of a track counts once, and of several tracks
 * what any of them does.  Kinds are the classes of table devices, and hide each other as there.  Of
 * what is shorter than a slot the picture has sums alone: several tracks overlap there by chance. */

#include "work-strip.h"

#include <string.h>

/* Places of the stored picture: its ends are in sixteenths of its pixels. */
enum { SLOTS = 2048 * 16 };

typedef struct {
  NpAsk *ask;
  NpKins *kins;
  float *all[NP_N_WORK];   /* of each slot, of all tracks so far        */
  float *track[NP_N_WORK]; /* of the track, of all its depths so far    */
  float *lane[NP_N_WORK];  /* of one depth                              */
  gboolean some;
} Work;

static void
clear (float *const slots[NP_N_WORK])
{
  for (guint k = 0; k < NP_N_WORK; k++)
    memset (slots[k], 0, SLOTS * sizeof *slots[k]);
}

/* Returns which kind the rows of a rectangle are; NP_N_WORK: they are no work. */
static NpWorkKind
kind_of (const Work *w, guint32 track, guint32 label)
{
  gboolean known
      = nprof_store_label_at (w->ask->store, label) != NULL; /* a picture may be damaged */
  if (!known || np_kin_of (w->kins, track, label) != NP_KIN_DEVICE)
    return NP_N_WORK;
  return np_label_work (w->ask, w->kins, label);
}

/* Spreads the time of a rectangle over the slots that it touches.  Its ends are those of the slots
 * around it, half a slot too far each in the mean, and its fill is cut to whole 255ths. */
static void
spread (float *slots, const struct nprof_rects *r, guint32 i)
{
  guint32 from = MIN (r->x0[i], SLOTS), to = MIN (r->x1[i], SLOTS);
  float fill = r->count[i] == 1 || r->fill[i] == 255 ? 1 : ((float) r->fill[i] + 0.5f) / 255;
  for (guint32 x = from; x < to && to - from > 1; x++)
    slots[x] = MIN (1, slots[x] + (x == from || x + 1 == to ? fill / 2 : fill));
}

static gboolean
add_lane (Work *w, guint32 track, guint32 lane)
{
  struct nprof_rects r = { 0 };
  if (!nprof_store_over (w->ask->query, lane, &r))
    return FALSE;
  clear (w->lane);
  for (guint32 i = 0; i < r.n; i++) {
    NpWorkKind kind = kind_of (w, track, r.label[i]);
    if (kind == NP_N_WORK)
      continue;
    spread (w->lane[kind], &r, i);
    w->some = TRUE;
  }
  for (guint k = 0; k < NP_N_WORK; k++)
    for (guint x = 0; x < SLOTS; x++)
      w->track[k][x] = MAX (w->track[k][x], w->lane[k][x]);
  return TRUE;
}

static gboolean
add_track (Work *w, guint32 index, const struct nprof_store_track *t)
{
  clear (w->track);
  for (guint32 lane = t->lane; lane < t->lane + t->n_lanes; lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (w->ask->store, lane);
    if (l && l->type == NPROF_STORE_LANE_SPAN && !l->origin && !add_lane (w, index, lane))
      return FALSE;
  }
  for (guint k = 0; k < NP_N_WORK; k++)
    for (guint x = 0; x < SLOTS; x++)
      w->all[k][x] += (1 - w->all[k][x]) * w->track[k][x];
  return TRUE;
}

/* Sums slots up to pixels of the strip, what runs beside an earlier kind left out. */
static void
put_pixels (const Work *w, guint32 pixels, gint64 t0, gint64 p, double *shares)
{
  const struct nprof_store_meta *meta = w->ask->profile->meta;
  double scale = (double) meta->over_p / 16 / (double) p,
         shift = (double) (meta->over_t0 - t0) / (double) p;
  for (guint x = 0; x < SLOTS; x++) {
    double free = 1, from = x * scale + shift, to = from + scale;
    for (guint k = 0; k < NP_N_WORK; k++) {
      double share = free * w->all[k][x];
      free -= share;
      for (gint64 at = MAX (0, (gint64) from);
           share > 0 && at < (gint64) pixels && (double) at < to; at++)
        shares[k * pixels + at]
            += share * MAX (0, MIN (to, (double) at + 1) - MAX (from, (double) at));
    }
  }
}

static gboolean
any_works (NpAsk *ask, NpKins *kins, guint32 track)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    if (np_track_works (kins, i) && np_track_is_below (ask, t, track))
      return TRUE;
  return FALSE;
}

gboolean
np_work_strip (NpAsk *ask, NpKins *kins, guint32 track, guint32 pixels, gint64 t0, gint64 p,
               double *shares, gboolean *failed)
{
  g_autofree float *slots = NULL;
  Work w = { .ask = ask, .kins = kins };
  const struct nprof_store_track *t;
  if (!any_works (ask, kins, track))
    return FALSE;
  slots = g_new0 (float, 3 * NP_N_WORK * (gsize) SLOTS);
  for (guint k = 0; k < NP_N_WORK; k++) {
    w.all[k] = slots + k * SLOTS;
    w.track[k] = w.all[k] + NP_N_WORK * SLOTS;
    w.lane[k] = w.track[k] + NP_N_WORK * SLOTS;
  }
  memset (shares, 0, NP_N_WORK * (gsize) pixels * sizeof *shares);
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    if (np_track_works (kins, i) && np_track_is_below (ask, t, track)
        && (np_ask_is_over (ask) || !add_track (&w, i, t)))
      return !(*failed = TRUE);
  put_pixels (&w, pixels, t0, p, shares);
  return w.some;
}
