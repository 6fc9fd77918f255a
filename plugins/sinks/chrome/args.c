/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - writes what is known of a row beyond its place, as the members of `args`. */
#include "chrome.h"

#include "trace-out/strict-json.h"

/* This sink writes these members itself; attributes of these names become attr_NAME. */
static const char *const reserved[]
    = { "start_ps", "duration_ps", "id", "parent", "flow", "value" };

static gboolean
is_reserved (const char *key, size_t len)
{
  for (guint k = 0; k < G_N_ELEMENTS (reserved); k++)
    if (strlen (reserved[k]) == len && memcmp (reserved[k], key, len) == 0)
      return TRUE;
  return FALSE;
}

void
chrome_make_key (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text, size_t len)
{
  nprof_put_text (to, is_reserved (text, len) ? "\"attr_" : "\"");
  nprof_put_json_inside (to, text, len, NPROF_JSON_VIEWER);
  nprof_put_text (to, "\":");
}

static void
begin_member (struct chrome_args *args)
{
  if (args->any) {
    nprof_put_char (args->to, ',');
    return;
  }
  args->any = TRUE;
  nprof_put_text (args->to, ",\"");
  nprof_put_text (args->to, args->name);
  nprof_put_text (args->to, "\":{");
}

void
chrome_args_key (struct chrome_args *args, const char *key)
{
  begin_member (args);
  nprof_put_char (args->to, '"');
  nprof_put_text (args->to, key);
  nprof_put_text (args->to, "\":");
}

void
chrome_args_end (struct chrome_args *args)
{
  if (args->any)
    nprof_put_char (args->to, '}');
}

void
chrome_put_value (struct chrome_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  const nprof_value *v = &field->value;
  switch (field->type) {
  case NPROF_INT64:
    nprof_put_json_i64 (to, v->i, NPROF_JSON_VIEWER);
    break;
  case NPROF_UINT64:
    nprof_put_json_u64 (to, v->u, NPROF_JSON_VIEWER);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (to, v->f);
    break;
  case NPROF_BOOL:
    nprof_put_text (to, v->u ? "true" : "false");
    break;
  case NPROF_STRING: {
    struct nprof_cached_string made = nprof_string_cache_get (&self->inside, v->s);
    nprof_put_char (to, '"');
    nprof_put (to, made.text, made.len);
    nprof_put_char (to, '"');
    break;
  }
  case NPROF_TEXT:
    nprof_put_json_string (to, field->bytes + v->bytes.at, v->bytes.len, NPROF_JSON_VIEWER);
    break;
  case NPROF_JSON:
    nprof_put_json (to, field->bytes + v->bytes.at, v->bytes.len, NPROF_JSON_VIEWER);
    break;
  case NPROF_ID128:
    nprof_put_char (to, '"');
    nprof_put_id128 (to, field->bytes + v->bytes.at);
    nprof_put_char (to, '"');
    break;
  default:
    nprof_put_text (to, "null");
  }
}

/* Returns whether an attribute of the row has this key (with its quotes). */
static gboolean
is_attribute (struct chrome_sink *self, const char *key, size_t len)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    struct nprof_cached_string made
        = nprof_string_cache_get (&self->inside, self->row_columns.unmapped[k].key);
    if (made.len + 2 == len && memcmp (made.text, key + 1, made.len) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Puts the members of the attribute `args`, the source's own object, beside the others; those that
 * were decoded are not said twice. */
static void
put_members (struct chrome_sink *self, struct chrome_args *args, const char *object)
{
  const char *at = object + 1;
  while (*at != '}') {
    const char *key = at, *value = strict_json_skip_string (at);
    const char *end = strict_json_skip_value (value + 1);
    at = end + (*end == ',');
    if (is_attribute (self, key, (size_t) (value - key)))
      continue;
    begin_member (args);
    if (is_reserved (key + 1, (size_t) (value - key) - 2)) {
      nprof_put_text (args->to, "\"attr_");
      key++;
    }
    nprof_put (args->to, key, (size_t) (end - key));
  }
}

static gboolean
put_source_args (struct chrome_sink *self, struct chrome_args *args,
                 const struct nprof_field *field)
{
  struct nprof_buf *json = &self->scratch;
  json->len = 0;
  nprof_put_json (json, field->bytes + field->value.bytes.at, field->value.bytes.len,
                  NPROF_JSON_VIEWER);
  args->to->failed |= json->failed;
  if (json->failed || json->data[0] != '{')
    return FALSE;
  put_members (self, args, json->data);
  return TRUE;
}

void
chrome_put_attributes (struct chrome_sink *self, struct chrome_args *args)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    const struct nprof_field *field = self->row_columns.unmapped + k;
    if (field->type == NPROF_NULL || field->key == self->flows.phase_key)
      continue;
    if (field->key == self->args_key && field->type == NPROF_JSON
        && put_source_args (self, args, field))
      continue;
    struct nprof_cached_string key = nprof_string_cache_get (&self->keys, field->key);
    begin_member (args);
    nprof_put (args->to, key.text, key.len);
    chrome_put_value (self, args->to, field);
  }
}
