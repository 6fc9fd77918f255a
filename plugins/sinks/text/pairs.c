/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - reads a flat JSON object of strings. */
#include "pairs.h"

#include <string.h>

typedef struct {
  const char *at, *end;
} Reader;

static gboolean
take_char (Reader *r, char c)
{
  while (r->at < r->end && g_ascii_isspace (*r->at))
    r->at++;
  if (r->at == r->end || *r->at != c)
    return FALSE;
  r->at++;
  return TRUE;
}

/* Takes the escape behind the backslash; FALSE for an unknown one, and for halves of surrogate
 * pairs. */
static gboolean
take_escape (Reader *r, GString *out)
{
  static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
  const char *name = r->at < r->end && *r->at ? strchr (names, *r->at) : NULL;
  gunichar c = 0;
  if (name) {
    g_string_append_c (out, means[name - names]);
    r->at++;
    return TRUE;
  }
  if (r->end - r->at < 5 || *r->at != 'u')
    return FALSE;
  for (guint k = 1; k < 5; k++) {
    if (!g_ascii_isxdigit (r->at[k]))
      return FALSE;
    c = c * 16 + (gunichar) g_ascii_xdigit_value (r->at[k]);
  }
  r->at += 5;
  if (!c || (c >= 0xd800 && c < 0xe000))
    return FALSE;
  g_string_append_unichar (out, c);
  return TRUE;
}

/* Returns a string, transfer full; NULL: there is no string. */
static char *
take_string (Reader *r)
{
  g_autoptr (GString) out = g_string_new (NULL);
  if (!take_char (r, '"'))
    return NULL;
  while (r->at < r->end) {
    char c = *r->at++;
    if (c == '"')
      return g_strdup (out->str);
    if (!c || (c == '\\' && !take_escape (r, out)))
      return NULL;
    if (c != '\\')
      g_string_append_c (out, c);
  }
  return NULL;
}

static gboolean
take_pair (Reader *r, GPtrArray *pairs)
{
  g_autofree char *key = take_string (r);
  g_autofree char *value = key && take_char (r, ':') ? take_string (r) : NULL;
  if (!value)
    return FALSE;
  g_ptr_array_add (pairs, g_steal_pointer (&key));
  g_ptr_array_add (pairs, g_steal_pointer (&value));
  return TRUE;
}

GPtrArray *
pairs_read (const char *json, gsize len)
{
  Reader r = { json, json + len };
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);
  if (!take_char (&r, '{'))
    return NULL;
  do
    if (!take_pair (&r, pairs))
      return NULL;
  while (take_char (&r, ','));
  return take_char (&r, '}') && r.at == r.end ? g_steal_pointer (&pairs) : NULL;
}
