/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-attrs.c - the attributes of a batch as columns of Arrow: numbers, truths, and all else as
 * text. */

#include "embed/arrow-attrs.h"

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

static void
put_text (const struct nprof_row_columns *spread, struct nprof_buf *b, const struct nprof_field *f)
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
    text = spread->host->string (spread->host, f->value.s, &len);
    nprof_put (b, text, len);
    break;
  case NPROF_ID128:
    nprof_put_id128 (b, f->bytes + f->value.bytes.at);
    break;
  default:
    nprof_put (b, f->bytes + f->value.bytes.at, f->value.bytes.len);
  }
}

static gboolean
is_text (const struct nprof_row_columns *spread, guint column)
{
  return column == spread->n_columns
         || *np_arrow_attr_format (spread->columns[column]->type) == 'U';
}

static gboolean
init_attribute (const struct nprof_row_columns *spread, guint column, guint n_rows,
                struct ArrowArray *array)
{
  gboolean text = is_text (spread, column);
  gsize bytes = text ? (n_rows + 1) * sizeof (gint64) : n_rows * sizeof (gint64);
  if (!text && spread->columns[column]->type == NPROF_BOOL)
    bytes = (n_rows + 7) / 8;
  return np_array_init (array, n_rows, text ? 3 : 2, 0)
         && np_array_buffer (array, 0, (n_rows + 7) / 8) && np_array_buffer (array, 1, bytes);
}

/* Row i of a column; texts go behind those of the rows before. */
static void
fill_attribute (const struct nprof_row_columns *spread, guint column, guint i,
                struct ArrowArray *array, struct nprof_buf *text)
{
  const struct nprof_field *f = column < spread->n_columns ? &spread->field[column] : NULL;
  gboolean any = f ? f->type != NPROF_NULL : nprof_put_json_unmapped (text, spread, 0);
  void *data = (void *) array->buffers[1];
  if (is_text (spread, column)) {
    if (f && any)
      put_text (spread, text, f);
    ((gint64 *) data)[i + 1] = (gint64) text->len;
  } else if (any && spread->columns[column]->type == NPROF_BOOL) {
    if (f->value.u)
      np_bit_set (data, i);
  } else if (any) {
    ((guint64 *) data)[i] = f->value.u; /* or the bits of what it is */
  }
  if (any)
    np_bit_set ((guint8 *) array->buffers[0], i);
  else
    array->null_count++;
}

/* A row is spread over all of them at once. */
gboolean
np_arrow_attrs_fill (struct nprof_row_columns *spread, const struct nprof_batch *batch,
                     struct ArrowArray **arrays)
{
  guint n = spread->n_columns + 1;
  g_autofree struct nprof_buf *texts = g_new0 (struct nprof_buf, n);
  gboolean ok = TRUE;
  for (guint c = 0; ok && c < n; c++)
    ok = init_attribute (spread, c, batch->n_rows, arrays[c]);
  for (guint i = 0; ok && i < batch->n_rows; i++) {
    ok = nprof_row_columns_row (spread, batch, i) == NPROF_OK;
    for (guint c = 0; ok && c < n; c++)
      fill_attribute (spread, c, i, arrays[c], &texts[c]);
  }
  for (guint c = 0; c < n; c++) {
    ok = ok && !texts[c].failed;
    if (ok && is_text (spread, c))
      ok = np_array_take_buffer (arrays[c], 2, texts[c].data);
    else
      nprof_buf_clear (&texts[c]);
  }
  return ok;
}
