/* SPDX-License-Identifier: Apache-2.0 */
/* json-head.c - which keys the beginning of a JSON text has.  It may be cut anywhere, so this is no
 * reader of JSON: it counts brackets and looks at what stands before a colon. */

#include "foreign/json-head.h"

#include <string.h>

static gsize
skip_space (const guint8 *head, gsize len, gsize at)
{
  while (at < len && g_ascii_isspace (head[at]))
    at++;
  return at;
}

static gsize
begin (const guint8 *head, gsize len)
{
  return skip_space (head, len, len >= 3 && !memcmp (head, "\xef\xbb\xbf", 3) ? 3 : 0);
}

char
np_json_head_opens (const guint8 *head, gsize len)
{
  gsize at = begin (head, len);
  return at < len ? (char) head[at] : 0;
}

/* Returns the place of the quote that ends the text; `len`: the head ends in it. */
static gsize
end_of_text (const guint8 *head, gsize len, gsize at)
{
  while (at < len && head[at] != '"')
    at += head[at] == '\\' ? 2 : 1;
  return MIN (at, len);
}

gboolean
np_json_head_has (const guint8 *head, gsize len, const char *key, guint depth)
{
  const gsize key_len = strlen (key);
  guint level = 0;
  for (gsize at = begin (head, len); at < len; at++) {
    if (head[at] == '{' || head[at] == '[')
      level++;
    else if ((head[at] == '}' || head[at] == ']') && --level == 0)
      return FALSE;
    if (level == 0)
      return FALSE;
    if (head[at] != '"')
      continue;
    const gsize from = at + 1;
    at = end_of_text (head, len, from);
    const gsize colon = skip_space (head, len, at + 1);
    if (level <= depth && at - from == key_len && !memcmp (head + from, key, key_len) && colon < len
        && head[colon] == ':')
      return TRUE;
  }
  return FALSE;
}
