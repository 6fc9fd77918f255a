/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.h - the tracks of a run: a forest whose identity is (parent, kind, key).
 * Reading takes no lock.  [any-thread] but for new, free and what is marked. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct NpTracks NpTracks;

NpTracks *np_tracks_new (void);
void np_tracks_free (NpTracks *tracks);

/* Returns the root of an input: kind NPROF_TRACK_INPUT, parent 0, key = label. */
nprof_track np_tracks_root (NpTracks *tracks, guint input, nprof_str label);
/* Returns the track with that identity, made if it is new; the label is fixed by the first call
 * that gives one, and so is sort if that call gives one.  0 for an unknown parent. */
nprof_track np_tracks_add (NpTracks *tracks, nprof_track parent, guint kind, nprof_str key,
                           nprof_str label, gint64 sort);
/* Returns NULL for an unknown handle. */
const struct nprof_track_info *np_tracks_get (NpTracks *tracks, nprof_track track);
/* Returns the device that a track belongs to: the topmost device or core above it, itself included;
 * 0: none. */
nprof_track np_tracks_device (NpTracks *tracks, nprof_track track);
guint np_tracks_count (NpTracks *tracks); /* handles are 1 .. count */

/* Counts n rows of a track, and numbers it and its ancestors if they have no number yet (n may be
 * 0).  Only the thread that delivers may call it. */
void np_tracks_delivered (NpTracks *tracks, nprof_track track, guint64 n);
guint64 np_tracks_rows (NpTracks *tracks, nprof_track track);
