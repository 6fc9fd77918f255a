/* SPDX-License-Identifier: Apache-2.0 */
/* kept-table.c - keeps cells as they come; declarations and texts are copied. */

#include "table/kept-table.h"
#include "rows/table.h"

#include <string.h>

typedef struct {
  NpTable base;
  struct nprof_table *declared; /* base.schema, which it owns */
  GArray *cells;                /* of struct nprof_cell, row by row */
  GStringChunk *texts;
} KeptTable;

static gboolean
read_kept (const NpTable *table, guint64 row, guint column, struct nprof_cell *cell)
{
  const KeptTable *kept = (const KeptTable *) table;
  *cell = g_array_index (kept->cells, struct nprof_cell, row * table->n_columns + column);
  return TRUE;
}

static void
free_kept (NpTable *table)
{
  KeptTable *kept = (KeptTable *) table;
  np_table_free (kept->declared);
  g_array_unref (kept->cells);
  g_string_chunk_free (kept->texts);
  g_free (kept);
}

NpTable *
np_kept_table_new (const struct nprof_table *schema)
{
  KeptTable *kept = g_new0 (KeptTable, 1);
  kept->declared = np_table_copy (schema);
  kept->cells = g_array_new (FALSE, FALSE, sizeof (struct nprof_cell));
  kept->texts = g_string_chunk_new (1024);
  kept->base = (NpTable){ .schema = kept->declared,
                          .n_columns = np_table_columns (schema),
                          .read = read_kept,
                          .free = free_kept };
  return &kept->base;
}

/* Keeps repeated strings once, but for those that hold a NUL; ids are bytes that may. */
static const char *
keep_text (KeptTable *kept, gboolean repeats, const struct nprof_cell *cell)
{
  if (repeats && strlen (cell->v.text) == cell->len)
    return g_string_chunk_insert_const (kept->texts, cell->v.text);
  return g_string_chunk_insert_len (kept->texts, cell->v.text, (gssize) cell->len);
}

struct nprof_cell
np_kept_cell (const struct nprof_host *host, struct nprof_cell cell)
{
  if (cell.type != NPROF_STRING)
    return cell;
  size_t len;
  const char *text = host->string (host, cell.v.s, &len);
  return (struct nprof_cell){ .type = NPROF_TEXT, .len = (uint32_t) len, .v.text = text };
}

void
np_kept_table_add (NpTable *table, const struct nprof_cell *cells)
{
  KeptTable *kept = (KeptTable *) table;
  for (guint c = 0; c < table->n_columns; c++) {
    struct nprof_cell cell = cells[c];
    if (cell.type == NPROF_TEXT || cell.type == NPROF_JSON || cell.type == NPROF_ID128)
      cell.v.text = keep_text (kept, table->schema->columns[c]->type == NPROF_STRING, &cell);
    g_array_append_val (kept->cells, cell);
  }
  table->n_rows++;
}
