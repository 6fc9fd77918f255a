/* SPDX-License-Identifier: Apache-2.0 */
/* component-spec.c - the grammar NAME:key=value,key=value.  It knows no option; option.c checks. */

#include "plugin/component-spec.h"

#include <string.h>

#include "base/error.h"

typedef struct {
  const char *text; /* all of it, for error texts */
  const char *at;   /* the next byte to read */
} Reader;

NpSpec *
np_spec_new (const char *name)
{
  NpSpec *spec = g_new0 (NpSpec, 1);
  spec->name = g_strdup (name);
  spec->keys = g_ptr_array_new_with_free_func (g_free);
  spec->values = g_ptr_array_new_with_free_func (g_free);
  spec->bare = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return spec;
}

NpSpec *
np_spec_new_unasked (const char *name)
{
  NpSpec *spec = np_spec_new (name);
  spec->unasked = TRUE;
  return spec;
}

void
np_spec_free (NpSpec *spec)
{
  if (!spec)
    return;
  g_free (spec->name);
  g_strfreev (spec->only_for);
  g_ptr_array_unref (spec->keys);
  g_ptr_array_unref (spec->values);
  g_hash_table_unref (spec->bare);
  g_free (spec);
}

static gboolean
find_key (NpSpec *spec, const char *key, guint *index)
{
  return g_ptr_array_find_with_equal_func (spec->keys, key, g_str_equal, index);
}

void
np_spec_set (NpSpec *spec, const char *key, const char *value)
{
  guint i;
  g_hash_table_remove (spec->bare, key);
  if (find_key (spec, key, &i)) {
    char *copy = g_strdup (value);
    g_free (spec->values->pdata[i]);
    spec->values->pdata[i] = copy;
    return;
  }
  g_ptr_array_add (spec->keys, g_strdup (key));
  g_ptr_array_add (spec->values, g_strdup (value));
}

/* Values may be secrets, which only their component knows: each of their characters becomes a star,
 * so that places stay. */
static char *
without_values (const char *text)
{
  char *shown = g_strdup (text);
  gboolean in_value = FALSE, quoted = FALSE;
  for (char *c = shown; *c; c++) {
    if (*c == '"')
      quoted = in_value && !quoted;
    else if (!quoted && *c == (in_value ? ',' : '='))
      in_value = !in_value;
    else if (in_value && *c == '\\' && c[1])
      *c++ = '*', *c = '*';
    else if (in_value)
      *c = '*';
  }
  return shown;
}

G_GNUC_PRINTF (4, 5)
static gboolean
fail (const Reader *r, const char *at, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *shown = without_values (r->text);
  return np_error_set (error, NP_EXIT_USAGE, "\"%s\", character %u: %s", shown,
                       (guint) (at - r->text) + 1, why);
}

/* Takes one character of a value, or the one that a backslash protects. */
static void
take_char (Reader *r, GString *value)
{
  if (r->at[0] == '\\' && r->at[1] && strchr (",\"\\", r->at[1]))
    r->at++;
  g_string_append_c (value, *r->at++);
}

static gboolean
read_value (Reader *r, GString *value, GError **error)
{
  const char *begin = r->at;
  if (*r->at != '"') {
    while (*r->at && *r->at != ',')
      take_char (r, value);
    return TRUE;
  }
  r->at++;
  while (*r->at && *r->at != '"')
    take_char (r, value);
  if (!*r->at)
    return fail (r, begin, error, "this quote is not closed: write \\\" for a quote in a value");
  r->at++;
  if (*r->at && *r->at != ',')
    return fail (r, r->at, error,
                 "a comma or the end was expected behind the closing quote: "
                 "write \\\" for a quote in a value");
  return TRUE;
}

static gboolean
read_pair (Reader *r, NpSpec *spec, GError **error)
{
  const char *begin = r->at;
  gsize len = strcspn (r->at, "=,");
  if (len == 0)
    return fail (r, begin, error, "key=value was expected: a comma in a value is written \\, or %s",
                 "the value stands in quotes");
  g_autofree char *key = g_strndup (begin, len);
  if (find_key (spec, key, NULL))
    return fail (r, begin, error, "option %s is given twice", key);

  r->at += len;
  if (*r->at != '=') {
    np_spec_set (spec, key, "yes");
    g_hash_table_add (spec->bare, g_steal_pointer (&key));
    return TRUE;
  }
  r->at++;
  GString *value = g_string_new (NULL);
  gboolean ok = read_value (r, value, error);
  if (ok)
    np_spec_set (spec, key, value->str);
  g_string_free (value, TRUE);
  return ok;
}

NpSpec *
np_spec_parse (const char *text, GError **error)
{
  Reader r = { text, text };
  gsize len = strcspn (text, ":");
  if (len == 0) {
    fail (&r, text, error, "a name was expected, as in NAME or NAME:key=value");
    return NULL;
  }
  g_autofree char *name = g_strndup (text, len);
  g_autoptr (NpSpec) spec = np_spec_new (name);
  r.at += len;
  if (r.at[0] == '\0' || r.at[1] == '\0')
    return g_steal_pointer (&spec);
  do {
    r.at++; /* the colon or comma */
    if (!read_pair (&r, spec, error))
      return NULL;
  } while (*r.at == ',');
  return g_steal_pointer (&spec);
}
