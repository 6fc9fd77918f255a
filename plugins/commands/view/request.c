/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - takes URLs and the small values in them apart. */

#include "request.h"

#include <string.h>

static void
param_clear (gpointer data)
{
  NpParam *param = data;
  g_free (param->name);
  g_free (param->value);
}

/* Decodes percent and plus as browsers write them; NULL: no such escape, a NUL, or no UTF-8. */
static char *
decode (const char *from, gsize len, gboolean plus)
{
  g_autoptr (GString) text = g_string_sized_new (len);
  for (gsize i = 0; i < len; i++) {
    char c = from[i];
    if (c == '%') {
      if (len - i < 3 || !g_ascii_isxdigit (from[i + 1]) || !g_ascii_isxdigit (from[i + 2]))
        return NULL;
      c = (char) (g_ascii_xdigit_value (from[i + 1]) << 4 | g_ascii_xdigit_value (from[i + 2]));
      i += 2;
    } else if (c == '+' && plus) {
      c = ' ';
    }
    if (!c)
      return NULL;
    g_string_append_c (text, c);
  }
  return g_utf8_validate (text->str, (gssize) text->len, NULL)
             ? g_string_free (g_steal_pointer (&text), FALSE)
             : NULL;
}

static gboolean
parse_path (NpRequest *r, const char *path, gsize len)
{
  for (gsize at = 0; at < len;) {
    gsize end = at;
    while (end < len && path[end] != '/')
      end++;
    char *segment = decode (path + at, end - at, FALSE);
    if (!segment)
      return FALSE;
    if (*segment)
      g_ptr_array_add (r->path, segment);
    else
      g_free (segment);
    at = end + 1;
  }
  return TRUE;
}

static gboolean
parse_params (NpRequest *r, const char *text)
{
  while (*text) {
    gsize len = strcspn (text, "&");
    const char *equals = memchr (text, '=', len);
    gsize name = equals ? (gsize) (equals - text) : len;
    NpParam param = { decode (text, name, TRUE),
                      equals ? decode (equals + 1, len - name - 1, TRUE) : g_strdup ("") };
    gboolean good = param.name && param.value;
    if (good)
      g_array_append_val (r->params, param);
    else
      param_clear (&param);
    if (!good)
      return FALSE;
    text += len + (text[len] == '&');
  }
  return TRUE;
}

NpRequest *
np_request_parse (const char *target, const char **why)
{
  gsize path = strcspn (target, "?#");
  *why = "the URL is longer than 16384 bytes";
  if (strlen (target) > NP_URL_MAX)
    return NULL;
  *why = "the URL does not begin with /";
  if (*target != '/')
    return NULL;
  g_autoptr (NpRequest) r = g_new0 (NpRequest, 1);
  r->path = g_ptr_array_new_with_free_func (g_free);
  r->params = g_array_new (FALSE, FALSE, sizeof (NpParam));
  r->body = g_string_new (NULL);
  g_array_set_clear_func (r->params, param_clear);
  *why = "the URL holds an escape that is none, or text that is no UTF-8";
  g_autofree char *query = target[path] == '?'
                               ? g_strndup (target + path + 1, strcspn (target + path + 1, "#"))
                               : NULL;
  if (!parse_path (r, target + 1, path - 1) || (query && !parse_params (r, query)))
    return NULL;
  return g_steal_pointer (&r);
}

void
np_request_free (NpRequest *r)
{
  if (!r)
    return;
  g_ptr_array_unref (r->path);
  g_array_unref (r->params);
  g_string_free (r->body, TRUE);
  g_free (r);
}

gboolean
np_request_is_gone (const NpRequest *r)
{
  return r->gone && r->gone (r->gone_user);
}

const char *
np_request_segment (const NpRequest *r, guint index)
{
  return index < r->path->len ? g_ptr_array_index (r->path, index) : "";
}

const char *
np_request_param (const NpRequest *r, const char *name)
{
  for (guint i = 0; i < r->params->len; i++) {
    const NpParam *param = &g_array_index (r->params, NpParam, i);
    if (!strcmp (param->name, name))
      return param->value;
  }
  return NULL;
}

/* -- Values ---------------------------------------------------------------- */

gboolean
np_parse_i64 (const char *text, gint64 *value)
{
  const char *digits = text + (*text == '-');
  return g_ascii_isdigit (*digits)
         && g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, value, NULL);
}

gboolean
np_parse_u32 (const char *text, guint32 *value)
{
  guint64 wide = 0;
  gboolean good = g_ascii_isdigit (*text)
                  && g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &wide, NULL);
  *value = (guint32) wide;
  return good;
}

gboolean
np_parse_row (const char *text, guint32 *lane, guint32 *row)
{
  const char *dot = strchr (text, '.');
  g_autofree char *first = dot ? g_strndup (text, (gsize) (dot - text)) : NULL;
  return first && np_parse_u32 (first, lane) && np_parse_u32 (dot + 1, row);
}

static gboolean
add_range (GArray *list, const char *text, guint max)
{
  const char *dash = strchr (text, '-');
  g_autofree char *first = dash ? g_strndup (text, (gsize) (dash - text)) : g_strdup (text);
  guint32 from, to;
  if (!np_parse_u32 (first, &from) || !np_parse_u32 (dash ? dash + 1 : first, &to) || to < from
      || to - from >= max - MIN (list->len, max))
    return FALSE;
  for (guint64 i = from; i <= to; i++) {
    guint32 number = (guint32) i;
    g_array_append_val (list, number);
  }
  return TRUE;
}

GArray *
np_parse_list (const char *text, guint max)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  for (guint i = 0; parts[i]; i++)
    if (!add_range (list, parts[i], max))
      return NULL;
  return list->len ? g_steal_pointer (&list) : NULL;
}
