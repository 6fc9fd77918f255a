/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - attributes as members of one JSON object, escaped as the field `attributes` needs it. */
#include "influx.h"

/* A string in JSON, and that within a field's quotes. */
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

/* What is not known to need no escaping. */
static void
put_scratch (struct influx_sink *self, struct nprof_buf *to)
{
  line_put_inside (to, self->scratch.data, self->scratch.len);
  to->failed |= self->scratch.failed;
}

static void
put_value (struct influx_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  const nprof_value *v = &field->value;
  struct nprof_made made;
  self->scratch.len = 0;
  switch (field->type) {
  case NPROF_INT64:
    nprof_put_i64 (to, v->i);
    break;
  case NPROF_UINT64:
    nprof_put_u64 (to, v->u);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (&self->scratch, v->f);
    put_scratch (self, to);
    break;
  case NPROF_BOOL:
    nprof_put_text (to, v->u ? "true" : "false");
    break;
  case NPROF_STRING:
    made = nprof_texts_get (&self->values, v->s);
    nprof_put (to, made.text, made.len);
    break;
  case NPROF_TEXT:
    nprof_put_json_string (&self->scratch, field->bytes + v->bytes.at, v->bytes.len, 0);
    put_scratch (self, to);
    break;
  case NPROF_JSON:
    nprof_put_json (&self->scratch, field->bytes + v->bytes.at, v->bytes.len, 0);
    put_scratch (self, to);
    break;
  case NPROF_ID128:
    nprof_put_text (to, "\\\"");
    nprof_put_id128 (to, field->bytes + v->bytes.at);
    nprof_put_text (to, "\\\"");
    break;
  }
}

void
influx_put_member (struct influx_sink *self, struct nprof_buf *to, const struct nprof_field *field,
                   const char *name, gboolean *any)
{
  begin_member (to, any);
  if (name)
    influx_make_key (NULL, to, name, strlen (name));
  else {
    struct nprof_made key = nprof_texts_get (&self->keys, field->key);
    nprof_put (to, key.text, key.len);
  }
  put_value (self, to, field);
}
