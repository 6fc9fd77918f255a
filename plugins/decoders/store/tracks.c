/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - makes the tracks of a stored input anew, those above them first. */
#include "decoder.h"

/* Marks tracks with rows of the decoder, those that are above them, and those that never had a row
 * and are no analyzer's: analyzers make theirs anew. */
static gboolean
mark (struct store_decoder *self, guint8 *wanted, guint32 n)
{
  for (guint32 i = 0; i < n; i++) {
    const struct nprof_store_track *t = nprof_store_track_at (self->store, i);
    if (!t)
      return FALSE;
    wanted[i] = !t->n_lanes && t->kind != NPROF_TRACK_DERIVED;
    for (guint32 k = 0; k < t->n_lanes && !wanted[i]; k++) {
      const struct nprof_store_lane *lane = nprof_store_lane_at (self->store, t->lane + k);
      if (!lane)
        return FALSE;
      wanted[i] = !lane->origin;
    }
    wanted[i] &= t->input == self->number;
  }
  for (guint32 i = 0; i < n; i++)
    for (guint32 at = i, steps = 0; wanted[at] && steps < n; steps++) {
      guint32 up
          = nprof_store_track_of (self->store, nprof_store_track_at (self->store, at)->parent);
      if (up == G_MAXUINT32 || wanted[up])
        break;
      wanted[up] = 1;
      at = up;
    }
  return TRUE;
}

/* Makes a track with those above it; parents may have greater numbers than their children where a
 * file says so. */
static nprof_track
make (struct store_decoder *self, guint32 index, guint depth)
{
  const struct nprof_store_track *t = nprof_store_track_at (self->store, index);
  if (!t || depth > 1000 || self->tracks[index])
    return t ? self->tracks[index] : 0;
  if (t->kind == NPROF_TRACK_INPUT)
    return self->tracks[index] = self->host->input (self->host, self->host->own_input)->root;
  guint32 up = nprof_store_track_of (self->store, t->parent);
  nprof_track parent = up == G_MAXUINT32 ? 0 : make (self, up, depth + 1);
  return self->tracks[index]
         = self->host->track (self->host, parent, t->kind, store_str (self, t->key),
                              t->label ? store_str (self, t->label) : 0, t->sort);
}

nprof_status
store_make_tracks (struct store_decoder *self)
{
  guint32 n = (guint32) nprof_store_n (self->store, NPROF_STORE_S_TRACKS);
  g_autofree guint8 *wanted = g_malloc0 (n + 1);
  if (!mark (self, wanted, n)) {
    g_snprintf (self->query.error, sizeof self->query.error, "index: the tracks are damaged");
    return store_damaged (self);
  }
  for (guint32 i = 0; i < n; i++)
    if (wanted[i] && !make (self, i, 0))
      return nprof_fail (self->host, NPROF_E_FORMAT,
                         "track %u of the stored profile cannot be made: it is damaged", i);
  return NPROF_OK;
}
