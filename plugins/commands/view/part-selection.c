/* SPDX-License-Identifier: Apache-2.0 */
/* part-selection.c - selects the rows that are chosen: each track and each group is an alternative,
 * as --or parts them. The page writes the same as options, for people to copy
 * (share/viewer/base/parts.js), but for the core of an engine. */

#include "part-sets.h"
#include "parts.h"

#include <string.h>

#define MOST_ALTERNATIVES 256 /* each row is compared with them one by one */

typedef struct {
  NpAsk *ask;
  NpSelection *all, *last;
  guint n; /* alternatives */
} Chosen;

/* A value in quotes is taken as it is, also where it has spaces at its ends or words of a
 * condition. */
static void
add_where (Chosen *o, const char *key, const char *value)
{
  GString *text = g_string_new (key);
  g_string_append_c (text, '=');
  np_put_quoted (text, value ? value : "");
  if (!o->last->where)
    o->last->where = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (o->last->where, g_string_free (text, FALSE));
}

static void
begin (Chosen *o)
{
  if (!o->n++) {
    o->last = o->all;
    return;
  }
  o->last = g_new0 (NpSelection, 1);
  np_selection_add (o->all, o->last);
}

/* Returns the process or device that the track is or lies below, as outputs print it; "": none. */
static const char *
process_of (NpAsk *ask, const struct nprof_store_track *t)
{
  t = np_track_within (ask, t, NPROF_TRACK_PROCESS, NPROF_TRACK_DEVICE);
  return t ? np_track_title (ask, t) : "";
}

char *
np_track_pattern (const NpAsk *ask, const struct nprof_store_track *t)
{
  GString *pattern = g_string_new (NULL);
  for (const char *c = np_track_title (ask, t); *c; c++)
    g_string_append_c (pattern, strchr ("*?[]\\", *c) ? '?' : *c);
  g_string_append_c (pattern, '*');
  return g_string_free (pattern, FALSE);
}

/* Cores of a device have engines of the same names. */
static void
add_core (Chosen *o, const struct nprof_store_track *t)
{
  t = np_track_within (o->ask, t, NPROF_TRACK_CORE, NPROF_TRACK_CORE);
  if (!t)
    return;
  if (!o->last->tracks)
    o->last->tracks = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (o->last->tracks, np_track_pattern (o->ask, t));
}

static void
add_track (Chosen *o, guint32 index)
{
  const struct nprof_store_track *t = nprof_store_track_at (o->ask->store, index);
  add_core (o, t);
  add_where (o, "process", process_of (o->ask, t));
  add_where (o, "thread", t ? np_track_title (o->ask, t) : "");
}

/* -- Groups --------------------------------------------------------------------------------- */

static gboolean
has_track (const GArray *tracks, guint32 index)
{
  for (guint i = 0; i < tracks->len; i++)
    if (g_array_index (tracks, guint32, i) == index)
      return TRUE;
  return FALSE;
}

/* Returns indices of the tracks with rows of decoders that are of the group, each once. */
static GArray *
tracks_of_group (NpAsk *ask, const NpGroups *groups, guint32 group)
{
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < groups->parts->len; i++) {
    const NpGroupRows *part = &g_array_index (groups->parts, NpGroupRows, i);
    const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, part->lane);
    guint32 index = l && part->group == group && !l->origin
                        ? nprof_store_track_of (ask->store, l->track)
                        : G_MAXUINT32;
    if (index != G_MAXUINT32 && !has_track (tracks, index))
      g_array_append_val (tracks, index);
  }
  return tracks;
}

static void
add_group (Chosen *o, const NpGroups *groups, const NpPartSet *set, guint32 group)
{
  static const char *const keys[] = { "category", "layer", "step" };
  const char *name = groups->names->pdata[group];
  g_autoptr (GArray) there = tracks_of_group (o->ask, groups, group);
  guint both = 0;
  for (guint i = 0; i < there->len; i++)
    both += has_track (set->tracks, g_array_index (there, guint32, i));
  if (both == there->len) { /* the group on all tracks */
    begin (o);
    add_where (o, keys[groups->by], name);
    return;
  }
  for (guint i = 0; i < there->len; i++) {
    guint32 track = g_array_index (there, guint32, i);
    if (!has_track (set->tracks, track))
      continue;
    begin (o);
    add_track (o, track);
    add_where (o, keys[groups->by], name);
  }
}

static gboolean
add_parts (Chosen *o, const NpPartSets *sets)
{
  for (guint i = 0; i < sets->sets->len; i++) {
    const NpPartSet *set = g_ptr_array_index (sets->sets, i);
    for (guint k = 0; k < set->numbers->len; k++)
      add_group (o, sets->groups, set, g_array_index (set->numbers, guint32, k));
  }
  return o->n <= MOST_ALTERNATIVES
         || np_reply_fail (o->ask->reply, 400, "choose fewer rows, or whole groups",
                           "the rows are %u tracks of groups: a command selects at most %u", o->n,
                           MOST_ALTERNATIVES);
}

gboolean
np_parts_select (NpAsk *ask, NpSelection *selection)
{
  Chosen o = { ask, selection, selection, 0 };
  g_auto (NpPartSets) sets = { 0 };
  if (!np_part_sets_read (ask, np_request_param (ask->request, "parts"), &sets))
    return FALSE;
  if (sets.groups)
    return add_parts (&o, &sets);
  g_autoptr (GArray) tracks = np_ask_tracks (ask);
  for (guint i = 0; tracks && i < tracks->len; i++) {
    begin (&o);
    add_track (&o, g_array_index (tracks, guint32, i));
  }
  return tracks != NULL;
}
