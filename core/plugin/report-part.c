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

/* What a key says, and where the part keeps it. One that ends in a dot is followed by a name. */
typedef enum { NUMBER, LIST, PLACE_OF, OFF_OF, LIST_OF } Shape;
static const struct {
  const char *key;
  Shape shape;
  gsize at;
} keys[] = { { "rank", NUMBER, offsetof (NpReportPart, rank) },
             { "inputs", NUMBER, offsetof (NpReportPart, inputs) },
             { "decoder", LIST, offsetof (NpReportPart, decoder) },
             { "details", LIST, offsetof (NpReportPart, details) },
             { "page.", PLACE_OF, offsetof (NpReportPart, page) },
             { "off.", OFF_OF, offsetof (NpReportPart, off) },
             { "only.", LIST_OF, offsetof (NpReportPart, only) },
             { "called.", LIST_OF, offsetof (NpReportPart, called) },
             { "widget.", LIST_OF, offsetof (NpReportPart, widgets) },
             { "picture.", LIST_OF, offsetof (NpReportPart, pictures) },
             { "value.", LIST_OF, offsetof (NpReportPart, values) } };

/* Returns the number of a key, that of all where it is none of reports. */
static guint
find_key (const char *key)
{
  guint k = 0;
  while (k < G_N_ELEMENTS (keys)
         && !(keys[k].shape < PLACE_OF ? g_str_equal (key, keys[k].key)
                                       : g_str_has_prefix (key, keys[k].key)))
    k++;
  return k;
}

gboolean
np_report_part_is_key (const char *key)
{
  return find_key (key) < G_N_ELEMENTS (keys);
}

static char *
off_of (Reading *r, const char *key)
{
  char *off = text_of (r, key);
  if (off && !strchr (off, '='))
    fail (r, "%s: \"%s\" is not OPTION=VALUE", key, off);
  return off;
}

/* A list may stand twice in its group. */
static void
read_key (Reading *r, const char *key, guint k)
{
  gpointer at = (char *) r->part + keys[k].at, value;
  switch (keys[k].shape) {
  case NUMBER:
    *(guint *) at = number_of (r, key);
    return;
  case LIST:
    g_strfreev (*(char ***) at);
    *(char ***) at = list_of (r, key);
    return;
  case PLACE_OF:
    value = GUINT_TO_POINTER (number_of (r, key));
    break;
  case OFF_OF:
    value = off_of (r, key);
    break;
  default:
    value = list_of (r, key);
  }
  if (value || keys[k].shape != LIST_OF)
    g_hash_table_insert (*(GHashTable **) at, g_strdup (key + strlen (keys[k].key)), value);
}

static NpReportPart *
part_new (void)
{
  static const GDestroyNotify frees[]
      = { [PLACE_OF] = NULL, [OFF_OF] = g_free, [LIST_OF] = (GDestroyNotify) g_strfreev };
  NpReportPart *part = g_new0 (NpReportPart, 1);
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    if (keys[k].shape >= PLACE_OF)
      *(GHashTable **) ((char *) part + keys[k].at)
          = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, frees[keys[k].shape]);
  return part;
}

NpReportPart *
np_report_part_read (GKeyFile *file, const char *group, char **problem)
{
  Reading r = { file, group, part_new (), NULL };
  g_auto (GStrv) names = g_key_file_get_keys (file, group, NULL, NULL);
  gboolean takes_part = FALSE;
  for (char **name = names; name && *name; name++) {
    const guint k = find_key (*name);
    if (k == G_N_ELEMENTS (keys))
      continue;
    takes_part = TRUE;
    read_key (&r, *name, k);
  }
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
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    if (keys[k].shape >= PLACE_OF)
      g_hash_table_unref (*(GHashTable **) ((char *) part + keys[k].at));
  g_free (part);
}
