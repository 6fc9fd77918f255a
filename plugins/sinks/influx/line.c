/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - writes InfluxDB's line protocol: escaping of each class of text, and numbers. */
#include "line.h"

#include <string.h>

/* Returns the text for a byte of a name; NULL: itself. */
static const char *
escape_of (char c, gboolean tag)
{
  switch (c) {
  case ',':
    return "\\,";
  case ' ':
    return "\\ ";
  case '=':
    return tag ? "\\=" : NULL;
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  case '\0':
    return "\xe2\x90\x80";
  default:
    return NULL;
  }
}

static void
put_name (struct nprof_buf *to, const char *text, size_t len, gboolean tag)
{
  size_t run = 0;
  for (size_t k = 0; k < len; k++) {
    const char *escape = escape_of (text[k], tag);
    if (!escape)
      continue;
    nprof_put (to, text + run, k - run);
    nprof_put_text (to, escape);
    run = k + 1;
  }
  nprof_put (to, text + run, len - run);
  if (len && text[len - 1] == '\\')
    nprof_put_text (to, "\\ ");
}

void
line_put_measurement (struct nprof_buf *to, const char *text, size_t len)
{
  put_name (to, text, len, FALSE);
}

/* Hashes by FNV-1a, so that two long texts with the same beginning stay two. */
static guint64
hash (const char *text, size_t len)
{
  guint64 h = G_GUINT64_CONSTANT (0xcbf29ce484222325);
  for (size_t k = 0; k < len; k++)
    h = (h ^ (guchar) text[k]) * G_GUINT64_CONSTANT (0x100000001b3);
  return h;
}

gboolean
line_put_tag (struct nprof_buf *to, const char *text, size_t len)
{
  if (len <= LINE_TAG_MAX) {
    put_name (to, text, len, TRUE);
    return FALSE;
  }
  char rest[24];
  size_t keep = LINE_TAG_MAX;
  while (keep && ((guchar) text[keep] & 0xc0) == 0x80)
    keep--; /* not within a character */
  put_name (to, text, keep, TRUE);
  g_snprintf (rest, sizeof rest, "\xe2\x80\xa6%016" G_GINT64_MODIFIER "x", hash (text, len));
  nprof_put_text (to, rest);
  return TRUE;
}

void
line_put_inside (struct nprof_buf *to, const char *text, size_t len)
{
  size_t run = 0;
  for (size_t k = 0; k < len; k++) {
    if (text[k] != '"' && text[k] != '\\')
      continue;
    nprof_put (to, text + run, k - run);
    nprof_put_char (to, '\\');
    run = k;
  }
  if (len > run)
    nprof_put (to, text + run, len - run);
}

void
line_put_string (struct nprof_buf *to, const char *text, size_t len)
{
  nprof_put_char (to, '"');
  line_put_inside (to, text, len);
  nprof_put_char (to, '"');
}

void
line_put_int (struct nprof_buf *to, gint64 i)
{
  nprof_put_i64 (to, i);
  nprof_put_char (to, 'i');
}
