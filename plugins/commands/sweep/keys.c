/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - the numbers in which runs differ: of a file of values, of the names of files, of
 * properties that profiles state. */

#include "base/error.h"
#include "sweep.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

G_GNUC_PRINTF (1, 2)
static NpSweepNumber
unknown (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  NpSweepNumber number = { (double) NAN, g_strdup_vprintf (format, args) };
  va_end (args);
  return number;
}

/* Reads digits, with a fraction perhaps.  Returns where they end; NULL: there are none. */
static const char *
read_digits (const char *at, double *value)
{
  gsize n = strspn (at, "0123456789");
  if (!n)
    return NULL;
  const gsize fraction = at[n] == '.' ? strspn (at + n + 1, "0123456789") : 0;
  n += fraction ? fraction + 1 : 0;
  g_autofree char *digits = g_strndup (at, n);
  *value = g_ascii_strtod (digits, NULL);
  return at + n;
}

static NpSweepNumber
number_of_text (const char *key, const char *text, const char *where)
{
  char *end;
  const double value = g_ascii_strtod (text, &end);
  if (end > text && !end[strspn (end, " ")] && isfinite (value))
    return (NpSweepNumber){ value, NULL };
  return unknown ("%s of %s is \"%s\", which is no number", key, where, text);
}

/* -- A file of values -------------------------------------------------------------------------- */

GHashTable *
np_sweep_values_read (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL)) {
    g_set_error (error, NP_ERROR, NP_EXIT_INPUT, "--values %s: cannot be read: check the name",
                 path);
    return NULL;
  }
  g_autoptr (GHashTable) values
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint columns = 0;
  for (guint i = 0; lines[i]; i++) {
    g_autofree char *line = g_strdelimit (g_strdup (lines[i]), "\r", '\0');
    if (!*line)
      continue;
    char **cells = g_strsplit (line, "\t", -1);
    const guint n = g_strv_length (cells);
    char *name = columns ? g_path_get_basename (cells[0]) : g_strdup ("");
    const gboolean twice = g_hash_table_contains (values, name);
    g_hash_table_replace (values, name, cells);
    if (twice) {
      g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                   "--values %s: line %u: %s is there twice: files are known by their names "
                   "without folders",
                   path, i + 1, name);
      return NULL;
    }
    if (columns ? n == columns : n >= 2) {
      columns = n;
      continue;
    }
    g_set_error (
        error, NP_ERROR, NP_EXIT_USAGE,
        "--values %s: line %u: expected %s%u columns between tabs, the first a file, found "
        "%u",
        path, i + 1, columns ? "" : "at least ", columns ? columns : 2, n);
    return NULL;
  }
  if (columns)
    return g_steal_pointer (&values);
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
               "--values %s: expected a first line: file, then keys, between tabs", path);
  return NULL;
}

/* FALSE: the file of values has no such key, or not that input. */
static gboolean
of_values (const char *key, GHashTable *values, const char *path, NpSweepNumber *number)
{
  g_autofree char *name = g_path_get_basename (path);
  char **heads = values ? g_hash_table_lookup (values, "") : NULL,
       **cells = values ? g_hash_table_lookup (values, name) : NULL;
  for (guint c = 1; cells && heads[c]; c++)
    if (!strcmp (heads[c], key)) {
      *number = number_of_text (key, cells[c], "the file of values");
      return TRUE;
    }
  return FALSE;
}

/* -- Names of files ---------------------------------------------------------------------------- */

/* Reads KEY8, KEY=8, KEY_8, KEY-8 at a place of a name, which no letter or digit follows. */
static gboolean
read_at (const char *name, const char *at, const char *key, double *value)
{
  if (g_ascii_strncasecmp (at, key, strlen (key)) || (at > name && g_ascii_isalnum (at[-1])))
    return FALSE;
  const char *digits = at + strlen (key);
  digits += *digits && strchr ("=_-", *digits) ? 1 : 0;
  const char *end = read_digits (digits, value);
  return end && !g_ascii_isalnum (*end);
}

/* Looks through one folder or file of a path.  FALSE: the key is not in it. */
static gboolean
of_name (const char *key, const char *name, NpSweepNumber *number)
{
  gboolean found = FALSE;
  for (const char *at = name; *at; at++) {
    double value;
    if (!read_at (name, at, key, &value))
      continue;
    if (found && value != number->value) {
      *number = unknown ("%s has two numbers of %s", name, key);
      return TRUE;
    }
    *number = (NpSweepNumber){ value, NULL };
    found = TRUE;
  }
  return found;
}

/* The name of the file counts before that of its folder. */
static gboolean
of_path (const char *key, const char *path, NpSweepNumber *number)
{
  g_auto (GStrv) names = g_strsplit (path, "/", -1);
  for (guint i = g_strv_length (names); i--;)
    if (of_name (key, names[i], number))
      return TRUE;
  return FALSE;
}

/* -- Properties -------------------------------------------------------------------------------- */

/* Returns a property of the row as text; transfer full.  NULL: it has none of that name. */
static char *
property (const NpTable *inputs, guint64 row, const char *key)
{
  const struct nprof_cell c = np_table_cell (inputs, row, np_table_column (inputs, "properties"));
  g_autofree char *json = c.type == NPROF_JSON ? g_strndup (c.v.text, c.len) : NULL;
  g_autoptr (JsonNode) node = json ? json_from_string (json, NULL) : NULL;
  JsonObject *object = node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  JsonNode *member = object ? json_object_get_member (object, key) : NULL;
  if (!member || !JSON_NODE_HOLDS_VALUE (member))
    return NULL;
  return json_node_get_value_type (member) == G_TYPE_STRING
             ? g_strdup (json_node_get_string (member))
             : json_to_string (member, FALSE);
}

static gboolean
of_properties (const char *key, const NpTableStore *tables, NpSweepNumber *number)
{
  const NpTable *inputs = np_table_store_find (tables, "inputs");
  g_autofree char *found = NULL;
  for (guint64 row = 0; inputs && row < inputs->n_rows; row++) {
    char *text = property (inputs, row, key);
    if (found && text && strcmp (found, text)) {
      *number = unknown ("its inputs state %s and %s for %s", found, text, key);
      g_free (text);
      return TRUE;
    }
    if (!found)
      found = text;
    else
      g_free (text);
  }
  if (found)
    *number = number_of_text (key, found, "the profile");
  return found != NULL;
}

NpSweepNumber
np_sweep_key (const char *key, GHashTable *values, const char *path, const NpTableStore *tables)
{
  NpSweepNumber number;
  if (of_values (key, values, path, &number) || of_path (key, path, &number)
      || of_properties (key, tables, &number))
    return number;
  return unknown ("neither its name nor a property of the profile says it: name the file "
                  "%s8-..., or give --values FILE",
                  key);
}
