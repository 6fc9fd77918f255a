/* SPDX-License-Identifier: Apache-2.0 */
/* attrs.c - the attributes of a row as values of Arrow: numbers, truths, strings that repeat
 * as a dictionary, and all else as text. */

#include "arrow/attrs.h"

#include <nprof/sdk.h>
#include <nprof/unmapped.h>

const char *
np_arrow_attr_format (guint type)
{
  switch (type) {
  case NPROF_INT64:
    return "l";
  case NPROF_UINT64:
    return "L";
  case NPROF_DOUBLE:
    return "g";
  case NPROF_BOOL:
    return "b";
  default:
    return "U"; /* text of any length */
  }
}

void
np_arrow_attr_init (NpArrowColumn *column, const struct nprof_column *attribute)
{
  if (!attribute)
    np_arrow_column_init (column, "U", "attributes", TRUE, FALSE);
  else if (attribute->type == NPROF_STRING)
    np_arrow_column_init (column, "i", attribute->name, TRUE, TRUE);
  else
    np_arrow_column_init (column, np_arrow_attr_format (attribute->type), attribute->name, TRUE,
                          FALSE);
}

static void
put_text (const struct nprof_host *host, struct nprof_buf *b, const struct nprof_field *f)
{
  size_t len;
  const char *text;
  switch (f->type) {
  case NPROF_INT64:
    nprof_put_i64 (b, f->value.i);
    break;
  case NPROF_UINT64:
    nprof_put_u64 (b, f->value.u);
    break;
  case NPROF_DOUBLE:
    nprof_put_double (b, f->value.f);
    break;
  case NPROF_BOOL:
    nprof_put_text (b, f->value.u ? "true" : "false");
    break;
  case NPROF_STRING:
    text = host->string (host, f->value.s, &len);
    nprof_put (b, text, len);
    break;
  case NPROF_ID128:
    nprof_put_id128 (b, f->bytes + f->value.bytes.at);
    break;
  default:
    nprof_put (b, f->bytes + f->value.bytes.at, f->value.bytes.len);
  }
}

/* A column of strings may also hold a text that was not interned. */
static gboolean
put_string (NpArrowColumn *column, const struct nprof_host *host, const struct nprof_field *f)
{
  if (f->type == NPROF_STRING)
    return np_arrow_column_put_string (column, f->value.s);
  nprof_str string = host->intern (host, f->bytes + f->value.bytes.at, f->value.bytes.len);
  return np_arrow_column_put_string (column, string);
}

/* Puts the attributes without a column. */
static gboolean
put_rest (NpArrowColumn *column, const struct nprof_row_columns *spread)
{
  if (nprof_put_json_unmapped (&column->text, spread, 0))
    np_arrow_column_put_text (column);
  else
    np_arrow_column_put_null (column);
  return !column->text.failed;
}

gboolean
np_arrow_attr_put (NpArrowColumn *column, const struct nprof_row_columns *spread, guint attribute)
{
  if (attribute == spread->n_columns)
    return put_rest (column, spread);
  const struct nprof_field *f = &spread->field[attribute];
  if (f->type == NPROF_NULL)
    np_arrow_column_put_null (column);
  else if (column->dictionary)
    return put_string (column, spread->host, f);
  else if (*column->format == 'b')
    np_arrow_column_put_bool (column, f->value.u != 0);
  else if (*column->format != 'U')
    np_arrow_column_put_64 (column, f->value.u); /* or the bits of what it is */
  else {
    put_text (spread->host, &column->text, f);
    np_arrow_column_put_text (column);
  }
  return !column->text.failed;
}
