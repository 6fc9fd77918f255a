/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - puts attributes as members of one JSON object, escaped as the field `attributes` needs
 * it. */
#include "influx.h"

#include <nprof/unmapped.h>

/* Makes a string in JSON, and that within a field's quotes. */
void
influx_make_value (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text,
                   size_t len)
{
  struct nprof_buf json = { 0 };
  nprof_put_json_string (&json, text, len, 0);
  line_put_inside (to, json.data, json.len);
  to->failed |= json.failed;
  nprof_buf_clear (&json);
}

void
influx_make_key (const void *user, struct nprof_buf *to, const char *text, size_t len)
{
  influx_make_value (user, to, text, len);
  nprof_put_char (to, ':');
}

static void
begin_member (struct nprof_buf *to, gboolean *any)
{
  nprof_put_text (to, *any ? "," : "{");
  *any = TRUE;
}

void
influx_put_member_u64 (struct nprof_buf *to, const char *name, guint64 u, gboolean *any)
{
  begin_member (to, any);
  nprof_put_text (to, "\\\"");
  nprof_put_text (to, name);
  nprof_put_text (to, "\\\":");
  nprof_put_u64 (to, u);
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
  line_put_inside (to, self->scratch.data, self->scratch.len);
  to->failed |= self->scratch.failed;
}

void
influx_put_member (struct influx_sink *self, struct nprof_buf *to, const struct nprof_field *field,
                   const char *name, gboolean *any)
{
  begin_member (to, any);
  if (name)
    influx_make_key (NULL, to, name, strlen (name));
  else {
    struct nprof_cached_string key = nprof_string_cache_get (&self->keys, field->key);
    nprof_put (to, key.text, key.len);
  }
  put_value (self, to, field);
}
