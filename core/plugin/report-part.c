/* SPDX-License-Identifier: Apache-2.0 */
/* report-part.c - reads which part an analyzer takes in reports. */

#include "plugin/report-part.h"

#include <string.h>

#define MAX_PLACE 1000000 /* of ranks and places: they are small numbers with room between them */

typedef struct {
  NpReportPart *part;
  char *problem; /* the first one; NULL: none */
} Reading;

G_GNUC_PRINTF (2, 3)
static void
fail (Reading *r, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  if (!r->problem)
    r->problem = g_strdup_vprintf (format, args);
  va_end (args);
}

/* Returns 0, and a problem, when it is no number from 1. */
static guint
number_of (Reading *r, const char *name, JsonNode *node)
{
  gint64 n = json_node_get_value_type (node) == G_TYPE_INT64 ? json_node_get_int (node) : 0;
  if (n >= 1 && n <= MAX_PLACE)
    return (guint) n;
  fail (r, "%s: a number from 1 to %d was expected", name, MAX_PLACE);
  return 0;
}

/* Returns NULL, and a problem, when it is no text. */
static const char *
text_of (Reading *r, const char *name, JsonNode *node)
{
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return json_node_get_string (node);
  fail (r, "%s: a text was expected", name);
  return NULL;
}

static void
read_place (JsonObject *object, const char *table, JsonNode *node, gpointer to)
{
  Reading *r = to;
  (void) object;
  g_hash_table_insert (r->part->page, g_strdup (table),
                       GUINT_TO_POINTER (number_of (r, table, node)));
}

static void
read_off (JsonObject *object, const char *table, JsonNode *node, gpointer to)
{
  Reading *r = to;
  const char *off = text_of (r, table, node);
  (void) object;
  if (off && !strchr (off, '='))
    fail (r, "%s: \"%s\" is not OPTION=VALUE", table, off);
  g_hash_table_insert (r->part->off, g_strdup (table), g_strdup (off));
}

static void
read_details (Reading *r, JsonNode *node)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  if (!array)
    fail (r, "details: a list of tables was expected");
  for (guint i = 0; array && i < json_array_get_length (array); i++) {
    const char *name = text_of (r, "details", json_array_get_element (array, i));
    if (name)
      g_strv_builder_add (names, name);
  }
  r->part->details = g_strv_builder_end (names);
}

static void
read_each (Reading *r, const char *name, JsonNode *node, JsonObjectForeach read)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    json_object_foreach_member (json_node_get_object (node), read, r);
  else
    fail (r, "%s: {\"TABLE\": ...} was expected", name);
}

/* A member that only a later nprof knows is passed over. */
static void
read_member (JsonObject *object, const char *name, JsonNode *node, gpointer to)
{
  Reading *r = to;
  (void) object;
  if (strcmp (name, "rank") == 0)
    r->part->rank = number_of (r, name, node);
  else if (strcmp (name, "inputs") == 0)
    r->part->inputs = number_of (r, name, node);
  else if (strcmp (name, "decoder") == 0)
    r->part->decoder = g_strdup (text_of (r, name, node));
  else if (strcmp (name, "page") == 0)
    read_each (r, name, node, read_place);
  else if (strcmp (name, "off") == 0)
    read_each (r, name, node, read_off);
  else if (strcmp (name, "details") == 0)
    read_details (r, node);
}

NpReportPart *
np_report_part_read (JsonNode *node, char **problem)
{
  Reading r = { .part = g_new0 (NpReportPart, 1) };
  r.part->page = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r.part->off = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  read_each (&r, "report", node, read_member);
  if (!r.problem)
    return r.part;
  *problem = r.problem;
  np_report_part_free (r.part);
  return NULL;
}

void
np_report_part_free (NpReportPart *part)
{
  if (!part)
    return;
  g_free (part->decoder);
  g_strfreev (part->details);
  g_hash_table_unref (part->page);
  g_hash_table_unref (part->off);
  g_free (part);
}

guint
np_report_part_place (const NpReportPart *part, const char *table)
{
  return part ? GPOINTER_TO_UINT (g_hash_table_lookup (part->page, table)) : 0;
}

gboolean
np_report_part_is_detail (const NpReportPart *part, const char *table)
{
  return part && part->details && g_strv_contains ((const char *const *) part->details, table);
}
