/* SPDX-License-Identifier: Apache-2.0 */
/* tags.c - makes strings tags of points: some are cut, and some become the same. */
#include "influx.h"

#include <string.h>

/* Returns whether another text may become the same tag: a newline and \n, a NUL and its picture, a
 * backslash at the end with and without a space. */
static gboolean
may_be_alike (const char *text, size_t len)
{
  for (size_t k = 0; k < len; k++)
    if (text[k] == '\\' || (guchar) text[k] < 0x20 || (guchar) text[k] == 0xe2)
      return TRUE;
  return FALSE;
}

void
influx_make_tag (const void *user, struct nprof_buf *to, const char *text, size_t len)
{
  const struct influx_sink *self = user;
  nprof_str str = self->host->intern (self->host, text, len);
  if (line_put_tag (to, text, len))
    g_hash_table_add (self->cut, GUINT_TO_POINTER (str));
  else if (len && to->len == len && memcmp (to->data, text, len) == 0)
    to->len = 0; /* it can stand as it is */
  if (!may_be_alike (text, len))
    return;
  char *tag = to->len ? g_strndup (to->data, to->len) : g_strndup (text, len);
  gpointer first = g_hash_table_lookup (self->ambiguous, tag);
  if (!first)
    g_hash_table_insert (self->ambiguous, tag, GUINT_TO_POINTER (str));
  else {
    g_hash_table_insert (self->aliases, GUINT_TO_POINTER (str), first);
    g_free (tag);
  }
}

nprof_str
influx_canonical (const struct influx_sink *self, nprof_str str)
{
  gpointer first = g_hash_table_size (self->aliases)
                       ? g_hash_table_lookup (self->aliases, GUINT_TO_POINTER (str))
                       : NULL;
  return first ? GPOINTER_TO_UINT (first) : str;
}

void
influx_put_tag (struct influx_sink *self, struct nprof_buf *to, const char *key, nprof_str str)
{
  struct nprof_cached_string made = nprof_string_cache_get (&self->tags, str);
  if (!made.len)
    return;
  nprof_put_text (to, key);
  nprof_put (to, made.text, made.len);
}

gboolean
influx_is_cut (const struct influx_sink *self, nprof_str str)
{
  return g_hash_table_size (self->cut) && g_hash_table_contains (self->cut, GUINT_TO_POINTER (str));
}
