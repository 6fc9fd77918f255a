/* SPDX-License-Identifier: Apache-2.0 */
/* report-part.c - reads which part an analyzer takes in reports. */

#include "plugin/report-part.h"

#include <string.h>

#define MAX_PLACE 1000000 /* of ranks and places: they are small numbers with room between them */

typedef struct {
  GKeyFile *file;
  const char *group;
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
number_of (Reading *r, const char *key)
{
  g_autofree char *text = g_key_file_get_string (r->file, r->group, key, NULL);
  guint64 n = 0;
  if (!text || !g_ascii_string_to_unsigned (text, 10, 1, MAX_PLACE, &n, NULL))
    fail (r, "%s: a number from 1 to %d was expected", key, MAX_PLACE);
  return (guint) n;
}

/* Returns NULL, and a problem, when it is no text. */
static char *
text_of (Reading *r, const char *key)
{
  char *text = g_key_file_get_string (r->file, r->group, key, NULL);
  if (!text || !*text)
    fail (r, "%s: a text was expected", key);
  return text;
}

static char **
list_of (Reading *r, const char *key)
{
  char **list = g_key_file_get_string_list (r->file, r->group, key, NULL, NULL);
  if (!list || !*list)
    fail (r, "%s: texts with \";\" between them were expected", key);
  return list;
}

/* A key may stand twice in its group. */
static void
set_list (char ***to, char **list)
{
  g_strfreev (*to);
  *to = list;
}

static void
read_off (Reading *r, const char *key, const char *table)
{
  char *off = text_of (r, key);
  if (off && !strchr (off, '='))
    fail (r, "%s: \"%s\" is not OPTION=VALUE", key, off);
  g_hash_table_insert (r->part->off, g_strdup (table), off);
}

static void
read_list (Reading *r, GHashTable *to, const char *key, const char *name)
{
  char **list = list_of (r, key);
  if (list)
    g_hash_table_insert (to, g_strdup (name), list);
}

/* Returns FALSE for a key that is none of reports. */
static gboolean
read_key (Reading *r, const char *key)
{
  if (g_str_equal (key, "rank"))
    r->part->rank = number_of (r, key);
  else if (g_str_equal (key, "inputs"))
    r->part->inputs = number_of (r, key);
  else if (g_str_equal (key, "decoder"))
    set_list (&r->part->decoder, list_of (r, key));
  else if (g_str_equal (key, "details"))
    set_list (&r->part->details, list_of (r, key));
  else if (g_str_has_prefix (key, "page."))
    g_hash_table_insert (r->part->page, g_strdup (key + strlen ("page.")),
                         GUINT_TO_POINTER (number_of (r, key)));
  else if (g_str_has_prefix (key, "off."))
    read_off (r, key, key + strlen ("off."));
  else if (g_str_has_prefix (key, "only."))
    read_list (r, r->part->only, key, key + strlen ("only."));
  else if (g_str_has_prefix (key, "called."))
    read_list (r, r->part->called, key, key + strlen ("called."));
  else if (g_str_has_prefix (key, "widget."))
    read_list (r, r->part->widgets, key, key + strlen ("widget."));
  else if (g_str_has_prefix (key, "picture."))
    read_list (r, r->part->pictures, key, key + strlen ("picture."));
  else if (g_str_has_prefix (key, "value."))
    read_list (r, r->part->values, key, key + strlen ("value."));
  else
    return FALSE;
  return TRUE;
}

gboolean
np_report_part_is_key (const char *key)
{
  static const char *const keys[]
      = { "rank", "inputs", "decoder", "details", NULL },
      *const families[] = { "page.", "off.", "only.", "called.", "widget.", "picture.", "value." };
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_str_has_prefix (key, families[i]))
      return TRUE;
  return g_strv_contains (keys, key);
}

/* Returns a table of names to lists of names. */
static GHashTable *
lists_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
}

NpReportPart *
np_report_part_read (GKeyFile *file, const char *group, char **problem)
{
  Reading r = { file, group, g_new0 (NpReportPart, 1), NULL };
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  gboolean takes_part = FALSE;
  r.part->page = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  r.part->off = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  r.part->only = lists_new ();
  r.part->called = lists_new ();
  r.part->widgets = lists_new ();
  r.part->pictures = lists_new ();
  r.part->values = lists_new ();
  for (char **key = keys; key && *key; key++)
    takes_part |= read_key (&r, *key);
  if (takes_part && !r.problem)
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
  g_strfreev (part->decoder);
  g_strfreev (part->details);
  g_hash_table_unref (part->page);
  g_hash_table_unref (part->off);
  g_hash_table_unref (part->only);
  g_hash_table_unref (part->called);
  g_hash_table_unref (part->widgets);
  g_hash_table_unref (part->pictures);
  g_hash_table_unref (part->values);
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
