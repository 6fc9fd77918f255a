/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - puts values of rows and tables as cells. */
#include "value.h"

#include <nprof/unmapped.h>

void
csv_format_clear (struct csv_format *format)
{
  nprof_string_cache_clear (&format->texts);
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

void
csv_put_rest (struct csv_format *format, struct nprof_buf *to,
              const struct nprof_row_columns *row_columns)
{
  struct nprof_buf *json = &format->scratch;
  json->len = 0;
  if (!nprof_put_json_unmapped (json, row_columns, 0))
    return;
  if (json->failed)
    to->failed = true;
  else
    csv_put_text (to, &format->dialect, json->data, json->len);
}
