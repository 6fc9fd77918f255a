/* SPDX-License-Identifier: Apache-2.0 */
/* by-track.h - what an analyzer knows of a track, in an array by its handle: looked up for each
 * row. */
#ifndef AN_BY_TRACK_H
#define AN_BY_TRACK_H

#include <glib.h>
#include <nprof/plugin.h>

/* Returns NULL where nothing was put for the track. */
static inline gpointer
an_of_track (const GPtrArray *all, nprof_track track)
{
  return track < all->len ? all->pdata[track] : NULL;
}

static inline void
an_put_of_track (GPtrArray *all, nprof_track track, gpointer what)
{
  if (track >= all->len)
    g_ptr_array_set_size (all, (int) MAX (track + 1, all->len * 2));
  all->pdata[track] = what;
}

#endif
