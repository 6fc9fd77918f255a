/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - values of rows and tables as cells. */
#include "value.h"

void
csv_format_clear (struct csv_format *format)
{
  nprof_texts_clear (&format->texts);
  nprof_buf_clear (&format->scratch);
}

void
csv_put_double (struct csv_format *format, struct nprof_buf *to, double x, int shift)
{
  size_t from = to->len;
  nprof_put_scaled (to, x, -shift, format->dialect.point);
  if (format->dialect.excel)
    csv_guard_number (to, from);
}

static void
put_bool (struct nprof_buf *to, guint64 u)
{
  nprof_put_text (to, u ? "true" : "false");
}

void
csv_put_field (struct csv_format *format, struct nprof_buf *to, const struct nprof_field *field,
               int shift)
{
  const nprof_value *v = &field->value;
  switch (field->type) {
  case NPROF_INT64:
    csv_put_i64 (format, to, v->i, shift);
    break;
  case NPROF_UINT64:
    csv_put_u64 (format, to, v->u, shift);
    break;
  case NPROF_DOUBLE:
    csv_put_double (format, to, v->f, shift);
    break;
  case NPROF_BOOL:
    put_bool (to, v->u);
    break;
  case NPROF_STRING:
    csv_put_str (format, to, v->s);
    break;
  case NPROF_TEXT:
    csv_put_text (to, &format->dialect, field->bytes + v->bytes.at, v->bytes.len);
    break;
  case NPROF_JSON:
    csv_put_json (to, &format->dialect, field->bytes + v->bytes.at, v->bytes.len, &format->scratch);
    break;
  case NPROF_ID128:
    nprof_put_id128 (to, field->bytes + v->bytes.at);
    break;
  }
}

void
csv_put_cell (struct csv_format *format, struct nprof_buf *to, const struct nprof_cell *cell,
              int shift)
{
  switch (cell->type) {
  case NPROF_INT64:
    csv_put_i64 (format, to, cell->v.i, shift);
    break;
  case NPROF_UINT64:
    csv_put_u64 (format, to, cell->v.u, shift);
    break;
  case NPROF_DOUBLE:
    csv_put_double (format, to, cell->v.f, shift);
    break;
  case NPROF_BOOL:
    put_bool (to, cell->v.u);
    break;
  case NPROF_STRING:
    csv_put_str (format, to, cell->v.s);
    break;
  case NPROF_TEXT:
    csv_put_text (to, &format->dialect, cell->v.text, cell->len);
    break;
  case NPROF_JSON:
    csv_put_json (to, &format->dialect, cell->v.text, cell->len, &format->scratch);
    break;
  case NPROF_ID128:
    nprof_put_id128 (to, cell->v.text);
    break;
  }
}

static void
put_json_value (struct csv_format *format, struct nprof_buf *to, const struct nprof_field *field)
{
  const nprof_value *v = &field->value;
  size_t len;
  switch (field->type) {
  case NPROF_INT64:
    nprof_put_i64 (to, v->i);
    break;
  case NPROF_UINT64:
    nprof_put_u64 (to, v->u);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (to, v->f);
    break;
  case NPROF_BOOL:
    put_bool (to, v->u);
    break;
  case NPROF_STRING: {
    const char *text = format->host->string (format->host, v->s, &len);
    nprof_put_json_string (to, text, len, 0);
    break;
  }
  case NPROF_TEXT:
    nprof_put_json_string (to, field->bytes + v->bytes.at, v->bytes.len, 0);
    break;
  case NPROF_JSON:
    nprof_put_json (to, field->bytes + v->bytes.at, v->bytes.len, 0);
    break;
  case NPROF_ID128:
    nprof_put_char (to, '"');
    nprof_put_id128 (to, field->bytes + v->bytes.at);
    nprof_put_char (to, '"');
    break;
  }
}

void
csv_put_rest (struct csv_format *format, struct nprof_buf *to, const struct nprof_spread *spread)
{
  struct nprof_buf *json = &format->scratch;
  json->len = 0;
  for (guint k = 0; k < spread->n_rest; k++) {
    const struct nprof_field *field = spread->rest + k;
    if (field->type == NPROF_NULL)
      continue;
    size_t len;
    const char *key = format->host->string (format->host, field->key, &len);
    nprof_put_char (json, json->len ? ',' : '{');
    nprof_put_json_string (json, key, len, 0);
    nprof_put_char (json, ':');
    put_json_value (format, json, field);
  }
  if (!json->len)
    return;
  nprof_put_char (json, '}');
  if (json->failed)
    to->failed = true;
  else
    csv_put_text (to, &format->dialect, json->data, json->len);
}
