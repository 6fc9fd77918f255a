/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c - rows of a table as an array of Arrow: the types of columns are those of
 * attributes, see attrs.c. */

#include "arrow/cells.h"
#include "arrow/attrs.h"
#include "rows/table.h"

#include <nprof/format.h>
#include <string.h>

/* -- The schema ------------------------------------------------------------ */

/* A column of picoseconds must not be called ns, so it gets the name that it has in the Parquet
 * files. */
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

static void
put_text (struct nprof_buf *text, const struct nprof_cell *cell)
{
  if (cell->type == NPROF_ID128)
    nprof_put_id128 (text, cell->v.text);
  else
    nprof_put (text, cell->v.text, cell->len);
}

static void
put_value (NpArrowColumn *column, struct nprof_cell cell)
{
  if (cell.type == NPROF_NULL)
    np_arrow_column_put_null (column);
  else if (*column->format == 'b')
    np_arrow_column_put_bool (column, cell.v.u != 0);
  else if (*column->format != 'U')
    np_arrow_column_put_64 (column, cell.v.u); /* or the bits of what it is */
  else {
    put_text (&column->text, &cell);
    np_arrow_column_put_text (column);
  }
}

static gboolean
take_column (const NpTable *stored, guint number, struct ArrowArray *out)
{
  NpArrowColumn column;
  np_arrow_column_init (&column, np_arrow_attr_format (stored->schema->columns[number]->type), "",
                        TRUE, FALSE);
  gboolean ok = np_arrow_column_reserve (&column, stored->n_rows);
  for (guint64 i = 0; ok && i < stored->n_rows; i++)
    put_value (&column, np_table_cell (stored, i, (int) number));
  ok = ok && np_arrow_column_take (&column, NULL, out);
  np_arrow_column_clear (&column);
  return ok;
}

gboolean
np_arrow_cells_array (const NpTable *stored, struct ArrowArray *out)
{
  if (!np_array_init (out, stored->n_rows, 1, stored->n_columns))
    return FALSE;
  gboolean ok = TRUE;
  for (guint c = 0; ok && c < stored->n_columns; c++)
    ok = take_column (stored, c, out->children[c]);
  if (!ok)
    out->release (out);
  return ok;
}
