/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reads tables of what another nprof reported. */

#include "view/report.h"
#include "view/body.h"

#include <string.h>

static JsonArray *
list_of (JsonObject *o, const char *member)
{
  return json_node_get_array (json_object_get_member (o, member));
}

NpReport
np_report_table (JsonNode *report, const char *name)
{
  JsonArray *all = list_of (json_node_get_object (report), "tables");
  for (guint i = 0; i < json_array_get_length (all); i++) {
    JsonObject *o = json_array_get_object_element (all, i);
    JsonArray *rows = list_of (o, "rows");
    if (!strcmp (np_body_text (o, "name"), name))
      return (NpReport){ list_of (o, "columns"), rows, json_array_get_length (rows) };
  }
  return (NpReport){ 0 };
}

int
np_report_column (const NpReport *t, const char *column)
{
  for (guint i = 0; t->columns && i < json_array_get_length (t->columns); i++)
    if (!strcmp (json_node_get_string (json_array_get_element (t->columns, i)), column))
      return (int) i;
  return -1;
}

JsonNode *
np_report_cell (const NpReport *t, guint row, const char *column)
{
  int place = np_report_column (t, column);
  if (place < 0)
    return NULL;
  JsonArray *cells = json_node_get_array (json_array_get_element (t->rows, row));
  JsonNode *cell = json_array_get_element (cells, (guint) place);
  return JSON_NODE_HOLDS_VALUE (cell) ? cell : NULL;
}
