/* SPDX-License-Identifier: Apache-2.0 */
/* ask-groups.c - answers routes groups and group: of which category, layer, step, operator or
 * source rows are. */

#include "groups.h"

#include <string.h>

#define MOST_ROWS 500 /* of one question */

/* Why there is one group alone. */
static const char *const needs[NP_N_GROUPINGS]
    = { "needs categories: no row of the file has one",
        "needs layers: no row of the file names one, nor a path of an operator that has one",
        "needs steps: no row of the file states one",
        "needs operators: no row of the file names one of a framework",
        "needs sources: no row of the file names a line of code" };

static const NpGroups *
groups_asked (NpAsk *ask)
{
  guint by;
  if (!np_request_param (ask->request, "by")) {
    np_ask_missing (ask, "by");
    return NULL;
  }
  return np_ask_word (ask, "by", NP_GROUPINGS, &by) ? np_groups_of (ask, by) : NULL;
}

static void
put_group (NpJson *j, const NpGroups *groups, guint32 group, guint *at)
{
  const char *name = groups->names->pdata[group];
  guint64 rows = 0;
  np_json_object (j, NULL);
  np_json_number (j, "group", group);
  if (name)
    np_json_text (j, "name", name);
  else
    np_json_null (j, "name");
  np_json_array (j, "lanes");
  for (; *at < groups->parts->len; (*at)++) {
    const NpGroupRows *part = &g_array_index (groups->parts, NpGroupRows, *at);
    if (part->group != group)
      break;
    np_json_array (j, NULL);
    np_json_number (j, NULL, part->lane);
    np_json_number (j, NULL, part->rows);
    np_json_end_array (j);
    rows += part->rows;
  }
  np_json_end_array (j);
  np_json_number (j, "rows", rows);
  np_json_end_object (j);
}

gboolean
np_ask_groups (NpAsk *ask)
{
  const NpGroups *groups = groups_asked (ask);
  NpJson *j = &ask->json;
  guint at = 0;
  if (!groups)
    return FALSE;
  np_json_object (j, NULL);
  np_json_text (j, "by", np_groupings[groups->by]);
  np_json_array (j, "groups");
  for (guint32 i = 0; i < groups->names->len; i++)
    put_group (j, groups, i, &at);
  np_json_end_array (j);
  if (!groups->names->len || !groups->names->pdata[0])
    np_json_text (j, "unknown", needs[groups->by]);
  np_json_end_object (j);
  return TRUE;
}

/* Finds the group of one row; G_MAXUINT32: it is of none, as ends of arrows are. */
static gboolean
find_one (NpAsk *ask, NpGroupReader *reader, struct nprof_row row, guint32 *group)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, row.lane);
  if (!lane || row.row >= lane->rows)
    return np_reply_fail (ask->reply, 404, "", "there is no row %u.%u in this profile", row.lane,
                          row.row);
  return np_group_of_row (ask, reader, row, group);
}

gboolean
np_ask_group (NpAsk *ask)
{
  const char *text = np_request_param (ask->request, "rows");
  g_auto (GStrv) rows = g_strsplit (text ? text : "", ",", MOST_ROWS + 1);
  guint n = g_strv_length (rows);
  struct nprof_row row;
  if (!text || !n)
    return np_ask_missing (ask, "rows");
  for (guint i = 0; i < n; i++)
    if (n > MOST_ROWS || !np_parse_row (rows[i], &row.lane, &row.row))
      return np_ask_wrong (ask, "rows", "at most 500 rows, as 6.3,9.0");
  const NpGroups *groups = groups_asked (ask);
  if (!groups)
    return FALSE;
  NpGroupReader reader = { .groups = groups };
  np_json_object (&ask->json, NULL);
  np_json_array (&ask->json, "groups");
  for (guint i = 0; i < n; i++) {
    guint32 group;
    if (!np_parse_row (rows[i], &row.lane, &row.row) || !find_one (ask, &reader, row, &group))
      return FALSE;
    if (group == G_MAXUINT32)
      np_json_null (&ask->json, NULL);
    else
      np_json_number (&ask->json, NULL, group);
  }
  np_json_end_array (&ask->json);
  np_json_end_object (&ask->json);
  return TRUE;
}
