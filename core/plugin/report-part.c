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
number_of (Reading *r, const NpJsonTree *json)
{
  gint64 n = np_json_tree_is (json, NP_JSON_INT) ? json->number : 0;
  if (n >= 1 && n <= MAX_PLACE)
    return (guint) n;
  fail (r, "%s: a number from 1 to %d was expected", json->name, MAX_PLACE);
  return 0;
}

/* Returns NULL, and a problem, when it is no text. */
static const char *
text_of (Reading *r, const char *name, const NpJsonTree *json)
{
  if (np_json_tree_is (json, NP_JSON_STRING))
    return json->text;
  fail (r, "%s: a text was expected", name);
  return NULL;
}

static void
read_place (Reading *r, const NpJsonTree *place)
{
  g_hash_table_insert (r->part->page, g_strdup (place->name),
                       GUINT_TO_POINTER (number_of (r, place)));
}

static void
read_off (Reading *r, const NpJsonTree *json)
{
  const char *off = text_of (r, json->name, json);
  if (off && !strchr (off, '='))
    fail (r, "%s: \"%s\" is not OPTION=VALUE", json->name, off);
  g_hash_table_insert (r->part->off, g_strdup (json->name), g_strdup (off));
}

static void
read_details (Reading *r, const NpJsonTree *list)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  if (!np_json_tree_is (list, NP_JSON_ARRAY))
    fail (r, "details: a list of tables was expected");
  for (const NpJsonTree *item = np_json_tree_first (list, NP_JSON_ARRAY); item; item = item->next) {
    const char *name = text_of (r, "details", item);
    if (name)
      g_strv_builder_add (names, name);
  }
  g_strfreev (r->part->details);
  r->part->details = g_strv_builder_end (names);
}

static void
read_each (Reading *r, const NpJsonTree *object,
           void (*read) (Reading *r, const NpJsonTree *member))
{
  const NpJsonTree *member = np_json_tree_first (object, NP_JSON_OBJECT);
  if (!np_json_tree_is (object, NP_JSON_OBJECT))
    fail (r, "%s: {\"TABLE\": ...} was expected", object->name);
  for (; member; member = member->next)
    read (r, member);
}

static void
set (char **to, const char *text)
{
  g_free (*to);
  *to = g_strdup (text);
}

/* A member that only a later nprof knows is passed over; of two of a name the later one counts. */
static void
read_member (Reading *r, const NpJsonTree *json)
{
  if (strcmp (json->name, "rank") == 0)
    r->part->rank = number_of (r, json);
  else if (strcmp (json->name, "inputs") == 0)
    r->part->inputs = number_of (r, json);
  else if (strcmp (json->name, "decoder") == 0)
    set (&r->part->decoder, text_of (r, json->name, json));
  else if (strcmp (json->name, "page") == 0)
    read_each (r, json, read_place);
  else if (strcmp (json->name, "off") == 0)
    read_each (r, json, read_off);
  else if (strcmp (json->name, "details") == 0)
    read_details (r, json);
}

NpReportPart *
np_report_part_read (const NpJsonTree *json, char **problem)
{
  Reading r = { .part = g_new0 (NpReportPart, 1) };
  r.part->page = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r.part->off = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  read_each (&r, json, read_member);
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
