/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - keeps the rows of each table that will be printed. */

#include "store.h"

#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

static gboolean
is_time (const Column *column)
{
  return strcmp (column->unit, "ps") == 0 || strcmp (column->unit, "ns") == 0;
}

gboolean
column_is_date (const Column *column)
{
  return column->type == NPROF_INT64 && g_str_has_suffix (column->name, "_unix_ns");
}

gboolean
column_is_instant (const Column *column)
{
  return strcmp (column->unit, "ps") == 0
         && (strcmp (column->name, "start_ns") == 0 || strcmp (column->name, "end_ns") == 0);
}

char *
column_stem (const Column *column)
{
  gsize len = strlen (column->name);
  if (column_is_date (column))
    return g_strndup (column->name, len - strlen ("_unix_ns"));
  if (is_time (column) && len > 3
      && (g_str_has_suffix (column->name, "_ns") || g_str_has_suffix (column->name, "_ps")))
    len -= 3;
  return g_strndup (column->name, len);
}

int
table_column (const Table *table, const char *name)
{
  for (guint c = 0; c < table->n_columns; c++)
    if (strcmp (name, table->columns[c].name) == 0)
      return (int) c;
  return -1;
}

static gboolean
is_input (const struct nprof_host *host, nprof_str label)
{
  for (guint i = 0; i < host->run (host)->n_inputs; i++)
    if (host->input (host, i)->label == label)
      return TRUE;
  return FALSE;
}

gboolean
table_is_of_job (const Table *table)
{
  nprof_str job = 0;
  if (strcmp (table->columns[0].name, "input") != 0 || strcmp (table->name, "job") == 0)
    return FALSE;
  for (guint r = 0; r < table->rows->len; r++) {
    const struct nprof_cell *cell = ((const Row *) g_ptr_array_index (table->rows, r))->cells;
    if (cell->type != NPROF_STRING || (job && cell->v.s != job))
      return FALSE;
    job = cell->v.s;
  }
  return job && !is_input (table->host, job);
}

/* Finds a column by the name that people see, or that csv gives it. */
static int
find_column (const Table *table, const char *by)
{
  for (guint c = 0; c < table->n_columns; c++) {
    g_autofree char *stem = column_stem (&table->columns[c]);
    if (strcmp (by, table->columns[c].name) == 0 || strcmp (by, stem) == 0)
      return (int) c;
  }
  return -1;
}

Table *
table_new (const struct nprof_host *host, const struct nprof_table *decl, guint64 top,
           const char *by)
{
  Table *table = g_new0 (Table, 1);
  table->host = host;
  table->top = top;
  table->name = g_strdup (decl->name);
  table->title = g_strdup (decl->title && *decl->title ? decl->title : decl->name);
  table->note = g_strdup (decl->note ? decl->note : "");
  table->rows = g_ptr_array_new_with_free_func (free);
  table->n_columns = nprof_count_columns (decl);
  table->columns = g_new0 (Column, table->n_columns);
  for (guint c = 0; c < table->n_columns; c++) {
    const struct nprof_table_column *from = decl->columns[c];
    table->columns[c]
        = (Column){ g_strdup (from->name), g_strdup (from->unit ? from->unit : ""), from->type,
                    nprof_is_key (from) ? NPROF_ROLE_KEY : NPROF_ROLE_VALUE };
  }
  table->by = by && *by ? find_column (table, by) : -1;
  return table;
}

void
table_free (Table *table)
{
  for (guint c = 0; c < table->n_columns; c++) {
    g_free (table->columns[c].name);
    g_free (table->columns[c].unit);
  }
  g_free (table->columns);
  g_free (table->name);
  g_free (table->title);
  g_free (table->note);
  g_free (table->lead);
  g_free (table->lead_code);
  g_ptr_array_unref (table->rows);
  g_free (table);
}

const char *
cell_text (const struct nprof_host *host, const struct nprof_cell *cell, gsize *len)
{
  if (cell->type == NPROF_STRING)
    return host->string (host, cell->v.s, len);
  *len = cell->len;
  return cell->v.text ? cell->v.text : "";
}

static gboolean
has_bytes (const struct nprof_cell *cell)
{
  return cell->type == NPROF_TEXT || cell->type == NPROF_JSON || cell->type == NPROF_ID128;
}

static Row *
row_copy (const Table *table, const struct nprof_cell *cells)
{
  gsize fixed = sizeof (Row) + table->n_columns * sizeof *cells, bytes = 0;
  for (guint c = 0; c < table->n_columns; c++)
    if (has_bytes (&cells[c]))
      bytes += cells[c].len;
  Row *row = malloc (fixed + bytes);
  if (!row)
    return NULL;
  row->number = table->n_rows;
  memcpy (row->cells, cells, table->n_columns * sizeof *cells);
  char *to = (char *) row + fixed;
  for (guint c = 0; c < table->n_columns; c++) {
    if (!has_bytes (&cells[c]))
      continue;
    if (cells[c].len)
      memcpy (to, cells[c].v.text, cells[c].len);
    row->cells[c].v.text = to;
    to += cells[c].len;
  }
  return row;
}

static int
compare_text (const struct nprof_host *host, const struct nprof_cell *a, const struct nprof_cell *b)
{
  gsize a_len, b_len;
  const char *a_text = cell_text (host, a, &a_len), *b_text = cell_text (host, b, &b_len);
  int order = memcmp (a_text, b_text, MIN (a_len, b_len));
  return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int
compare_double (double a, double b)
{
  if (a != a || b != b) /* NaN behind all numbers */
    return (a == a) - (b == b);
  return (a > b) - (a < b);
}

/* Compares largest first for numbers, A to Z for text, unknown last. */
static int
compare_cells (const struct nprof_host *host, const struct nprof_cell *a,
               const struct nprof_cell *b)
{
  if (a->type != b->type)
    return (a->type == NPROF_NULL) - (b->type == NPROF_NULL);
  switch (a->type) {
  case NPROF_NULL:
    return 0;
  case NPROF_INT64:
    return (b->v.i > a->v.i) - (b->v.i < a->v.i);
  case NPROF_UINT64:
  case NPROF_BOOL:
    return (b->v.u > a->v.u) - (b->v.u < a->v.u);
  case NPROF_DOUBLE:
    return compare_double (b->v.f, a->v.f);
  default:
    return compare_text (host, a, b);
  }
}

static int
compare_rows (gconstpointer a_ptr, gconstpointer b_ptr, gpointer user)
{
  const Row *a = *(Row *const *) a_ptr, *b = *(Row *const *) b_ptr;
  const Table *table = user;
  int order = compare_cells (table->host, &a->cells[table->by], &b->cells[table->by]);
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

static void
sort_and_cut (Table *table)
{
  g_ptr_array_sort_with_data (table->rows, compare_rows, table);
  if (table->top && table->rows->len > table->top)
    g_ptr_array_set_size (table->rows, (gint) table->top);
}

gboolean
table_open (const Table *table)
{
  return table->top == 0 || table->by >= 0 || table->n_rows < table->top;
}

nprof_status
table_add (Table *table, const struct nprof_cell *cells)
{
  if (table_open (table)) {
    Row *row = row_copy (table, cells);
    if (!row)
      return NPROF_E_NOMEM;
    g_ptr_array_add (table->rows, row);
    /* It keeps twice the wanted rows between two sorts: n log top in all. */
    if (table->by >= 0 && table->top && table->rows->len >= 2 * table->top + 64)
      sort_and_cut (table);
  }
  table->n_rows++;
  return NPROF_OK;
}

void
table_finish (Table *table)
{
  if (table->by >= 0)
    sort_and_cut (table);
}
