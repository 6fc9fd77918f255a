/* SPDX-License-Identifier: Apache-2.0 */
/* arrow-cells.c - rows of a table as arrays of Arrow: the types of columns are those of attributes,
 * see arrow-attrs.c. */

#include "embed/arrow-cells.h"
#include "embed/arrow-attrs.h"

#include <nprof/format.h>
#include <string.h>

/* -- The schema ------------------------------------------------------------ */

/* What holds picoseconds is not called ns, as the Parquet files have it. */
static char *
name_of (const struct nprof_table_column *column)
{
  const char *name = column->name;
  if (g_strcmp0 (column->unit, "ps") == 0 && g_str_has_suffix (name, "_ns"))
    return g_strdup_printf ("%.*s_ps", (int) strlen (name) - 3, name);
  return g_strdup (name);
}

gboolean
np_arrow_cells_schema (const struct nprof_table *table, struct ArrowSchema *out)
{
  guint n = np_table_columns (table);
  if (!np_schema_init (out, "+s", "", FALSE, n))
    return FALSE;
  gboolean ok = TRUE;
  for (guint c = 0; ok && c < n; c++) {
    g_autofree char *name = name_of (table->columns[c]);
    ok = np_schema_init (out->children[c], np_arrow_attr_format (table->columns[c]->type), name,
                         TRUE, 0);
  }
  if (!ok)
    out->release (out);
  return ok;
}

/* -- Cells ----------------------------------------------------------------- */

static const struct nprof_cell *
cell_at (const NpChunk *chunk, guint row, guint column)
{
  return &chunk->cells[(gsize) row * chunk->n_columns + column];
}

static void
put_cell (const struct nprof_host *host, struct nprof_buf *text, const struct nprof_cell *cell)
{
  size_t len;
  switch (cell->type) {
  case NPROF_NULL:
    break;
  case NPROF_STRING: {
    const char *string = host->string (host, cell->v.s, &len);
    nprof_put (text, string, len);
    break;
  }
  case NPROF_ID128:
    nprof_put_id128 (text, cell->v.text);
    break;
  default:
    nprof_put (text, cell->v.text, cell->len);
  }
}

static gboolean
fill_texts (const struct nprof_host *host, const NpChunk *chunk, guint column,
            struct ArrowArray *array)
{
  struct nprof_buf text = { NULL, 0, 0, FALSE };
  gint64 *ends = np_array_buffer (array, 1, (chunk->n_rows + 1) * sizeof *ends);
  for (guint i = 0; ends && i < chunk->n_rows; i++) {
    put_cell (host, &text, cell_at (chunk, i, column));
    ends[i + 1] = (gint64) text.len;
  }
  if (ends && !text.failed)
    return np_array_take_buffer (array, 2, text.data);
  nprof_buf_clear (&text);
  return FALSE;
}

static gboolean
fill_bools (const NpChunk *chunk, guint column, struct ArrowArray *array)
{
  guint8 *bits = np_array_buffer (array, 1, (chunk->n_rows + 7) / 8);
  for (guint i = 0; bits && i < chunk->n_rows; i++) {
    const struct nprof_cell *cell = cell_at (chunk, i, column);
    if (cell->type != NPROF_NULL && cell->v.u)
      np_bit_set (bits, i);
  }
  return bits != NULL;
}

static gboolean
fill_numbers (const NpChunk *chunk, guint column, struct ArrowArray *array)
{
  guint64 *numbers = np_array_buffer (array, 1, chunk->n_rows * sizeof *numbers);
  for (guint i = 0; numbers && i < chunk->n_rows; i++) {
    const struct nprof_cell *cell = cell_at (chunk, i, column);
    if (cell->type != NPROF_NULL)
      numbers[i] = cell->v.u; /* or the bits of what it is */
  }
  return numbers != NULL;
}

static gboolean
fill_valid (const NpChunk *chunk, guint column, struct ArrowArray *array)
{
  guint8 *valid = np_array_buffer (array, 0, (chunk->n_rows + 7) / 8);
  for (guint i = 0; valid && i < chunk->n_rows; i++)
    if (cell_at (chunk, i, column)->type != NPROF_NULL)
      np_bit_set (valid, i);
    else
      array->null_count++;
  return valid != NULL;
}

static gboolean
fill_column (const struct nprof_host *host, const NpChunk *chunk, guint column,
             struct ArrowArray *array)
{
  char format = *np_arrow_attr_format (chunk->table->columns[column]->type);
  if (!np_array_init (array, chunk->n_rows, format == 'U' ? 3 : 2, 0)
      || !fill_valid (chunk, column, array))
    return FALSE;
  if (format == 'U')
    return fill_texts (host, chunk, column, array);
  return format == 'b' ? fill_bools (chunk, column, array) : fill_numbers (chunk, column, array);
}

gboolean
np_arrow_cells_array (const struct nprof_host *host, const NpChunk *chunk, struct ArrowArray *out)
{
  if (!np_array_init (out, chunk->n_rows, 1, chunk->n_columns))
    return FALSE;
  gboolean ok = TRUE;
  for (guint c = 0; ok && c < chunk->n_columns; c++)
    ok = fill_column (host, chunk, c, out->children[c]);
  if (!ok)
    out->release (out);
  return ok;
}
