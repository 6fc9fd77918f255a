/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/unmapped.h - the attributes of a row that have no column, as one JSON object, header-only.
 * Which those are is row.h's, how JSON is written json.h's. */
#ifndef NPROF_UNMAPPED_H
#define NPROF_UNMAPPED_H

#include <nprof/json.h>
#include <nprof/row.h>

/* The value of a field as JSON; how: 0 or NPROF_JSON_VIEWER.  Ids are strings of 32 hex digits. */
static inline void
nprof_put_json_field (struct nprof_buf *b, const struct nprof_host *host,
                      const struct nprof_field *field, int how)
{
  const nprof_value *v = &field->value;
  const char *text;
  size_t len;
  switch (field->type) {
  case NPROF_INT64:
    nprof_put_json_i64 (b, v->i, how);
    break;
  case NPROF_UINT64:
    nprof_put_json_u64 (b, v->u, how);
    break;
  case NPROF_DOUBLE:
    nprof_put_json_double (b, v->f);
    break;
  case NPROF_BOOL:
    nprof_put_text (b, v->u ? "true" : "false");
    break;
  case NPROF_STRING:
    text = host->string (host, v->s, &len);
    nprof_put_json_string (b, text, len, how);
    break;
  case NPROF_TEXT:
    nprof_put_json_string (b, field->bytes + v->bytes.at, v->bytes.len, how);
    break;
  case NPROF_JSON:
    nprof_put_json (b, field->bytes + v->bytes.at, v->bytes.len, how);
    break;
  case NPROF_ID128:
    nprof_put_char (b, '"');
    nprof_put_id128 (b, field->bytes + v->bytes.at);
    nprof_put_char (b, '"');
    break;
  }
}

/* {"KEY":VALUE,...} of the rest of the row; false: it has none, and nothing is put. */
static inline bool
nprof_put_json_unmapped (struct nprof_buf *b, const struct nprof_row_columns *spread, int how)
{
  const struct nprof_host *host = spread->host;
  bool any = false;
  for (uint32_t k = 0; k < spread->n_unmapped; k++) {
    const struct nprof_field *field = spread->unmapped + k;
    if (field->type == NPROF_NULL)
      continue;
    size_t len;
    const char *key = host->string (host, field->key, &len);
    nprof_put_char (b, any ? ',' : '{');
    nprof_put_json_string (b, key, len, how);
    nprof_put_char (b, ':');
    nprof_put_json_field (b, host, field, how);
    any = true;
  }
  if (any)
    nprof_put_char (b, '}');
  return any;
}

#endif
