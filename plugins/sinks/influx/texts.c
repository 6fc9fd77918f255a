/* SPDX-License-Identifier: Apache-2.0 */
/* texts.c - makes strings tags of points, of which some are cut and some become the same; and puts
 * attributes as members of one JSON object, escaped as the field `attributes` needs it. */
#include "influx.h"

#include <nprof/unmapped.h>
#include <string.h>

/* -- Tags ------------------------------------------------------------------ */

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

/* -- Members --------------------------------------------------------------- */

/* Puts JSON within a field's quotes. */
static void
put_inside (struct nprof_buf *to, const struct nprof_buf *json)
{
  line_put_inside (to, json->data, json->len);
  to->failed |= json->failed;
}

void
influx_make_value (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text,
                   size_t len)
{
  struct nprof_buf json = { 0 };
  nprof_put_json_string (&json, text, len, 0);
  put_inside (to, &json);
  nprof_buf_clear (&json);
}

void
influx_make_key (const void *user, struct nprof_buf *to, const char *text, size_t len)
{
  influx_make_value (user, to, text, len);
  nprof_put_char (to, ':');
}

/* Puts a value; strings come again and again, so theirs are kept. */
static void
put_value (struct influx_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  if (field->type == NPROF_STRING) {
    struct nprof_cached_string made = nprof_string_cache_get (&self->values, field->value.s);
    nprof_put (to, made.text, made.len);
    return;
  }
  self->scratch.len = 0;
  nprof_put_json_field (&self->scratch, self->host, field, 0);
  put_inside (to, &self->scratch);
}

void
influx_put_member (struct influx_sink *self, struct nprof_buf *to, const struct nprof_field *field,
                   const char *name, gboolean *any)
{
  nprof_put_char (to, *any ? ',' : '{');
  *any = TRUE;
  if (name)
    influx_make_key (NULL, to, name, strlen (name));
  else {
    struct nprof_cached_string key = nprof_string_cache_get (&self->keys, field->key);
    nprof_put (to, key.text, key.len);
  }
  put_value (self, to, field);
}
