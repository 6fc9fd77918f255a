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
number_of_text (const char *text, const char *where)
{
  char *end;
  const double value = g_ascii_strtod (text, &end);
  if (end > text && !end[strspn (end, " ")] && isfinite (value))
    return (NpSweepNumber){ value, NULL };
  return unknown ("%s has \"%s\", which is no number", where, text);
}

/* -- A file of values -------------------------------------------------------------------------- */

static void
line_free (gpointer data)
{
  NpSweepValuesLine *line = data;
  g_free (line->file);
  g_strfreev (line->cells);
  g_free (line);
}

void
np_sweep_values_free (NpSweepValues *values)
{
  g_free (values->path);
  g_strfreev (values->heads);
  g_ptr_array_unref (values->lines);
  g_free (values);
}

/* Returns NULL where there is none. */
static const NpSweepValuesLine *
line_of (const NpSweepValues *values, const char *input)
{
  g_autofree char *file = g_path_get_basename (input);
  for (guint i = 0; i < values->lines->len; i++) {
    const NpSweepValuesLine *line = values->lines->pdata[i];
    if (!strcmp (line->file, file))
      return line;
  }
  return NULL;
}

G_GNUC_PRINTF (4, 5)
static gboolean
fail_line (const NpSweepValues *values, guint number, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return np_error_set (error, NP_EXIT_USAGE, "--values %s: line %u: %s", values->path, number,
                       text);
}

static gboolean
read_heads (NpSweepValues *values, char **cells, guint number, GError **error)
{
  values->heads = cells;
  const guint n = g_strv_length (cells);
  if (strcmp (cells[0], "file"))
    return fail_line (values, number, error, "expected file as the first head, found \"%s\"",
                      cells[0]);
  return n >= 2
         || fail_line (values, number, error,
                       "expected at least 2 columns between tabs, the first a file, found %u", n);
}

static gboolean
read_line (NpSweepValues *values, char **cells, guint number, GError **error)
{
  const guint n = g_strv_length (cells), expected = g_strv_length (values->heads);
  const gboolean twice = line_of (values, cells[0]) != NULL;
  NpSweepValuesLine *line = g_new (NpSweepValuesLine, 1);
  *line = (NpSweepValuesLine){ number, g_path_get_basename (cells[0]), cells };
  g_ptr_array_add (values->lines, line);
  if (twice)
    return fail_line (values, number, error,
                      "%s is there twice: files are known by their names without folders",
                      line->file);
  return n == expected
         || fail_line (values, number, error,
                       "expected %u columns between tabs, the first a file, found %u", expected, n);
}

NpSweepValues *
np_sweep_values_read (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (path, &text, NULL, NULL)) {
    np_error_set (error, NP_EXIT_INPUT, "--values %s: cannot be read: check the name", path);
    return NULL;
  }
  g_autoptr (NpSweepValues) values = g_new0 (NpSweepValues, 1);
  values->path = g_strdup (path);
  values->lines = g_ptr_array_new_with_free_func (line_free);
  static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which spreadsheets write */
  const char *from = g_str_has_prefix (text, mark) ? text + strlen (mark) : text;
  g_auto (GStrv) lines = g_strsplit (from, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    g_strdelimit (lines[i], "\r", '\0');
    if (!*lines[i])
      continue;
    char **cells = g_strsplit (lines[i], "\t", -1);
    const gboolean good = values->heads ? read_line (values, cells, i + 1, error)
                                        : read_heads (values, cells, i + 1, error);
    if (!good)
      return NULL;
  }
  if (values->heads)
    return g_steal_pointer (&values);
  np_error_set (error, NP_EXIT_USAGE,
                "--values %s: expected a first line: file, then keys, between tabs", path);
  return NULL;
}

gboolean
np_sweep_values_fit (const NpSweepValues *values, const GPtrArray *inputs, GPtrArray *alone,
                     GError **error)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < inputs->len; i++) {
    const char *input = inputs->pdata[i];
    const NpSweepValuesLine *line = line_of (values, input);
    const char *other = line ? g_hash_table_lookup (taken, line) : NULL;
    if (other && strcmp (other, input))
      return fail_line (values, line->number, error,
                        "%s could be %s or %s: give them different names", line->file, other,
                        input);
    if (line)
      g_hash_table_insert (taken, (gpointer) line, (gpointer) input);
  }
  for (guint i = 0; i < values->lines->len; i++)
    if (!g_hash_table_contains (taken, values->lines->pdata[i]))
      g_ptr_array_add (alone, values->lines->pdata[i]);
  return TRUE;
}

/* FALSE: there is no file of values, or it lacks the key or the input, which *why then says. */
static gboolean
of_values (const char *key, const NpSweepValues *values, const char *path, NpSweepNumber *number,
           char **why)
{
  if (!values)
    return FALSE;
  const NpSweepValuesLine *line = line_of (values, path);
  guint c = 1;
  while (values->heads[c] && strcmp (values->heads[c], key))
    c++;
  if (line && values->heads[c]) {
    g_autofree char *where = g_strdup_printf ("%s: line %u", values->path, line->number);
    *number = number_of_text (line->cells[c], where);
    return TRUE;
  }
  g_autofree char *file = g_path_get_basename (path);
  *why = values->heads[c] ? g_strdup_printf ("%s: no line for %s", values->path, file)
                          : g_strdup_printf ("%s: no column %s", values->path, key);
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
      *number = unknown ("two numbers in its name, %.10g and %.10g", number->value, value);
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
      *number = unknown ("its inputs state %s and %s", found, text);
      g_free (text);
      return TRUE;
    }
    if (!found)
      found = text;
    else
      g_free (text);
  }
  if (found)
    *number = number_of_text (found, "the profile");
  return found != NULL;
}

NpSweepNumber
np_sweep_key (const char *key, const NpSweepValues *values, const char *path,
              const NpTableStore *tables)
{
  NpSweepNumber number;
  g_autofree char *why = NULL;
  if (of_values (key, values, path, &number, &why) || of_path (key, path, &number)
      || of_properties (key, tables, &number))
    return number;
  if (why)
    return unknown ("%s, and neither its name nor a property of the profile says it", why);
  return unknown ("neither its name nor a property of the profile says it: name the file "
                  "%s8-..., or give --values FILE",
                  key);
}
