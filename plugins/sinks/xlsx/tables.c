/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables of the run, a sheet each. */
#include "sink.h"

#include <string.h>

static XlsxKind
kind_of (const struct nprof_table_column *column)
{
  if (g_strcmp0 (column->unit, "ps") == 0)
    return XLSX_PS;
  if (g_strcmp0 (column->unit, "1") == 0)
    return XLSX_SHARE;
  return XLSX_PLAIN;
}

static bool
is_text (guint type)
{
  return type == NPROF_STRING || type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128;
}

/* A Unix time has a column more: the date that people read, beside all of its digits. */
static bool
is_date (const struct nprof_table_column *column)
{
  return column->type == NPROF_INT64 && g_str_has_suffix (column->name, "_unix_ns");
}

static XlsxSheet *
find (XlsxSink *self, const struct nprof_table *table)
{
  for (guint i = 0; i < self->sheets->len; i++) {
    XlsxSheet *sheet = self->sheets->pdata[i];
    if (sheet != self->events && g_str_equal (sheet->table, table->name))
      return sheet;
  }
  guint n = 0, at = 0;
  for (guint c = 0; table->columns[c]; c++)
    n += is_date (table->columns[c]) ? 2 : 1;
  XlsxSheet *sheet = xlsx_sheet_new (self, table->name, n);
  for (guint c = 0; sheet && table->columns[c]; c++) {
    const struct nprof_table_column *column = table->columns[c];
    xlsx_sheet_head (self, sheet, at++, column->name, is_text (column->type));
    if (is_date (column))
      xlsx_sheet_head (self, sheet, at++, "UTC", false);
  }
  return sheet;
}

static void
put (XlsxSink *self, XlsxSheet *sheet, guint at, XlsxKind kind, const struct nprof_cell *cell)
{
  size_t len;
  const char *text;
  switch (cell->type) {
  case NPROF_NULL:
    return;
  case NPROF_INT64:
    xlsx_put_int (self, sheet, at, kind, cell->v.i);
    return;
  case NPROF_UINT64:
    xlsx_put_uint (self, sheet, at, cell->v.u);
    return;
  case NPROF_BOOL:
    xlsx_put_bool (sheet, at, cell->v.u != 0);
    return;
  case NPROF_DOUBLE:
    xlsx_put_double (self, sheet, at, kind, cell->v.f);
    return;
  case NPROF_STRING:
    text = self->host->string (self->host, cell->v.s, &len);
    xlsx_put_text (self, sheet, at, text, len);
    return;
  case NPROF_ID128:
    xlsx_put_id (self, sheet, at, (const guint8 *) cell->v.text);
    return;
  default:
    xlsx_put_text (self, sheet, at, cell->v.text, cell->len);
  }
}

static bool
is_wanted (const XlsxSink *self, const char *name)
{
  if (!self->tables || !*self->tables)
    return true;
  for (const char *const *one = self->tables; *one; one++)
    if (nprof_table_want_is (*one, name))
      return true;
  return false;
}

nprof_status
xlsx_tables_rows (XlsxSink *self, const struct nprof_table *table, const struct nprof_cell *cells,
                  uint32_t n_rows)
{
  if (!is_wanted (self, table->name))
    return NPROF_OK;
  XlsxSheet *sheet = find (self, table);
  if (!sheet)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for sheet %s", table->name);
  guint n = nprof_count_columns (table);
  for (uint32_t r = 0; r < n_rows; r++) {
    const struct nprof_cell *row = cells + (gsize) r * n;
    if (!xlsx_sheet_row (sheet))
      continue;
    for (guint c = 0, at = 0; c < n; c++, at++) {
      put (self, sheet, at, kind_of (table->columns[c]), &row[c]);
      if (is_date (table->columns[c]))
        put (self, sheet, ++at, XLSX_DATE, &row[c]);
    }
  }
  return NPROF_OK;
}
