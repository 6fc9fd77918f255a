/* SPDX-License-Identifier: Apache-2.0 */
/* row-track.h - what a row's columns say of its track, kept for each track of a run. */
#pragma once

#include <glib.h>
#include <nprof/sdk.h>

struct row_track {
  guint32 number;
  gboolean in_process;
  nprof_str process, thread;
};

/* `tracks` are of struct row_track, by handle, cleared as they come. */
static inline const struct row_track *
row_track_of (GArray *tracks, const struct nprof_host *host, nprof_track handle)
{
  if (handle >= tracks->len)
    g_array_set_size (tracks, MAX (handle + 1, tracks->len * 2));
  struct row_track *track = &g_array_index (tracks, struct row_track, handle);
  const struct nprof_track_info *info = track->number ? NULL : host->track_info (host, handle);
  if (!info)
    return track;
  track->number = info->number;
  track->thread = nprof_track_label (info);
  track->in_process = info->process != 0;
  if (info->process)
    track->process = nprof_track_label (host->track_info (host, info->process));
  return track;
}
