/* SPDX-License-Identifier: Apache-2.0 */
/* part-sets.c - reads parameter `parts`, BY:GROUPS@TRACKS;... */

#include "part-sets.h"

#include <string.h>

static void
set_free (gpointer data)
{
  NpPartSet *set = data;
  g_clear_pointer (&set->numbers, g_array_unref);
  g_clear_pointer (&set->tracks, g_array_unref);
  g_free (set);
}

void
np_part_sets_clear (NpPartSets *sets)
{
  g_clear_pointer (&sets->sets, g_ptr_array_unref);
}

static gboolean
wrong (NpAsk *ask)
{
  return np_ask_wrong (ask, "parts",
                       "groups and the numbers of their tracks, as layer:0-2@5,7;3@5");
}

/* Returns the grouping; -1: it is none. */
static int
read_by (const char *text, gsize len)
{
  for (guint i = 0; i < NP_N_GROUPINGS; i++)
    if (strlen (np_groupings[i]) == len && !memcmp (text, np_groupings[i], len))
      return (int) i;
  return -1;
}

static gboolean
check_groups (NpAsk *ask, const NpGroups *groups, const GArray *numbers)
{
  for (guint i = 0; i < numbers->len; i++)
    if (g_array_index (numbers, guint32, i) >= groups->names->len)
      return np_reply_fail (ask->reply, 404, "route groups lists them", "there is no group %u",
                            g_array_index (numbers, guint32, i));
  return TRUE;
}

static gboolean
read_set (NpAsk *ask, NpPartSets *sets, const char *text)
{
  g_auto (GStrv) ends = g_strsplit (text, "@", 2);
  NpPartSet *set = g_new0 (NpPartSet, 1);
  g_ptr_array_add (sets->sets, set);
  set->numbers = ends[0] && *ends[0] ? np_parse_list (ends[0], sets->groups->names->len + 1) : NULL;
  if (!set->numbers || (ends[1] && !*ends[1]))
    return wrong (ask);
  set->all = !ends[1];
  set->tracks = ends[1] ? np_tracks_of (ask, "parts", ends[1]) : np_decoder_tracks (ask);
  return set->tracks && check_groups (ask, sets->groups, set->numbers);
}

gboolean
np_part_sets_read (NpAsk *ask, const char *text, NpPartSets *sets)
{
  const char *colon = text ? strchr (text, ':') : NULL;
  *sets = (NpPartSets){ 0 };
  if (!text || !*text)
    return TRUE;
  int by = colon ? read_by (text, (gsize) (colon - text)) : -1;
  if (by < 0)
    return wrong (ask);
  sets->groups = np_groups_of (ask, (NpGrouping) by);
  sets->sets = g_ptr_array_new_with_free_func (set_free);
  g_auto (GStrv) words = g_strsplit (colon + 1, ";", -1);
  for (guint i = 0; sets->groups && words[i]; i++)
    if (!read_set (ask, sets, words[i]))
      return FALSE;
  return sets->groups && (sets->sets->len || wrong (ask));
}
