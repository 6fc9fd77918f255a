/* SPDX-License-Identifier: Apache-2.0 */
/* track-numbers.c - numbers the tracks without rows by what they are: their handles have no
 * order under parallel decoding.  The others have been numbered as their rows passed. */

#include "rows/track-numbers.h"

#include <string.h>

typedef struct {
  const struct nprof_track_info *info;
  nprof_track track;
  guint parent; /* its number; 0 for roots */
  const char *key;
} Unnumbered;

static int
by_identity (gconstpointer a, gconstpointer b)
{
  const Unnumbered *x = a, *y = b;
  if (x->parent != y->parent)
    return x->parent < y->parent ? -1 : 1;
  if (x->info->sort != y->info->sort)
    return x->info->sort < y->info->sort ? -1 : 1;
  if (x->info->kind != y->info->kind)
    return x->info->kind < y->info->kind ? -1 : 1;
  int order = strcmp (x->key, y->key);
  return order ? order : (x->info->input > y->info->input) - (x->info->input < y->info->input);
}

static void
add (GArray *list, NpTracks *tracks, NpStrings *strings, nprof_track track)
{
  const struct nprof_track_info *info = np_tracks_get (tracks, track);
  const struct nprof_track_info *parent = np_tracks_get (tracks, info->parent);
  Unnumbered u
      = { info, track, parent ? parent->number : 0, np_strings_get (strings, info->key, NULL) };
  g_array_append_val (list, u);
}

/* Returns the tracks right below a numbered track, and roots; the others go into the lists of
 * children: child[parent], then next[child]. */
static GArray *
first_generation (NpTracks *tracks, NpStrings *strings, nprof_track *child, nprof_track *next)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Unnumbered));
  for (nprof_track t = 1; t <= np_tracks_count (tracks); t++) {
    const struct nprof_track_info *info = np_tracks_get (tracks, t);
    const struct nprof_track_info *parent = np_tracks_get (tracks, info->parent);
    if (info->number)
      continue;
    if (!parent || parent->number)
      add (list, tracks, strings, t);
    else {
      next[t] = child[info->parent];
      child[info->parent] = t;
    }
  }
  return list;
}

void
np_track_numbers_complete (NpTracks *tracks, NpStrings *strings)
{
  gsize n = (gsize) np_tracks_count (tracks) + 1;
  g_autofree nprof_track *child = g_new0 (nprof_track, n);
  g_autofree nprof_track *next = g_new0 (nprof_track, n);
  g_autoptr (GArray) list = first_generation (tracks, strings, child, next);
  while (list->len > 0) {
    g_array_sort (list, by_identity);
    GArray *below = g_array_new (FALSE, FALSE, sizeof (Unnumbered));
    for (guint i = 0; i < list->len; i++) {
      nprof_track track = g_array_index (list, Unnumbered, i).track;
      np_tracks_delivered (tracks, track, 0);
      for (nprof_track t = child[track]; t; t = next[t])
        add (below, tracks, strings, t);
    }
    g_array_unref (list);
    list = below;
  }
}
