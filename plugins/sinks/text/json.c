/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - prints tables as one JSON document, for programs: exact values, nothing scaled. */

#include "page.h"

#include "printable.h"

#include <nprof/json.h>

/* Puts JSON safely: strict JSON holds characters that a terminal should not get within strings
 * only. */
static void
put_safe (GString *out, const char *json, gsize len)
{
  for (const char *at = json, *end = json + len; at < end;) {
    gunichar c = (guchar) *at < 0x80 ? (guchar) *at : g_utf8_get_char (at);
    if (printable_unsafe (c)) /* all of them lie below U+10000 */
      g_string_append_printf (out, "\\u%04x", c);
    else
      g_string_append_unichar (out, c);
    at = g_utf8_next_char (at);
  }
}

static void
put_string (GString *out, const char *text, gsize len)
{
  struct nprof_buf b = { 0 };
  nprof_put_json_string (&b, text, len, 0);
  put_safe (out, b.data, b.len);
  nprof_buf_clear (&b);
}

static void
put_text (GString *out, const char *text)
{
  put_string (out, text, strlen (text));
}

static void
put_json (GString *out, const char *text, gsize len)
{
  struct nprof_buf b = { 0 };
  nprof_put_json (&b, text, len, 0);
  put_safe (out, b.data, b.len);
  nprof_buf_clear (&b);
}

static void
put_double (GString *out, double value)
{
  struct nprof_buf b = { 0 };
  nprof_put_json_double (&b, value);
  put_safe (out, b.data, b.len);
  nprof_buf_clear (&b);
}

static void
put_hex (GString *out, const char *bytes, gsize len)
{
  g_string_append_c (out, '"');
  for (gsize i = 0; i < len; i++)
    g_string_append_printf (out, "%02x", (guchar) bytes[i]);
  g_string_append_c (out, '"');
}

static void
put_cell (GString *out, const Table *table, const struct nprof_cell *cell)
{
  gsize len = 0;
  const char *text;
  switch (cell->type) {
  case NPROF_NULL:
    g_string_append (out, "null");
    break;
  case NPROF_INT64:
    g_string_append_printf (out, "%" G_GINT64_FORMAT, cell->v.i);
    break;
  case NPROF_UINT64:
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, cell->v.u);
    break;
  case NPROF_DOUBLE:
    put_double (out, cell->v.f);
    break;
  case NPROF_BOOL:
    g_string_append (out, cell->v.u ? "true" : "false");
    break;
  case NPROF_ID128:
    put_hex (out, cell->v.text, cell->len);
    break;
  case NPROF_JSON:
    put_json (out, cell->v.text, cell->len);
    break;
  default:
    text = cell_text (table->host, cell, &len);
    put_string (out, text, len);
  }
}

/* Puts the name of a column; one with values in ps says so: total_ns is total_ps here. */
static void
put_name (GString *out, const Column *column)
{
  if (strcmp (column->unit, "ps") != 0) {
    put_text (out, column->name);
    return;
  }
  g_autofree char *stem = column_stem (column);
  g_autofree char *name = g_strconcat (stem, "_ps", NULL);
  put_text (out, name);
}

static void
put_columns (GString *out, const Table *table)
{
  g_string_append (out, ",\"columns\":[");
  for (guint c = 0; c < table->n_columns; c++) {
    if (c > 0)
      g_string_append_c (out, ',');
    put_name (out, &table->columns[c]);
  }
  g_string_append (out, "],\"units\":[");
  for (guint c = 0; c < table->n_columns; c++) {
    if (c > 0)
      g_string_append_c (out, ',');
    put_text (out, table->columns[c].unit);
  }
  g_string_append_c (out, ']');
}

static void
put_row (GString *out, const Table *table, guint r)
{
  const Row *row = g_ptr_array_index (table->rows, r);
  g_string_append (out, r > 0 ? ",\n    [" : "\n    [");
  for (guint c = 0; c < table->n_columns; c++) {
    if (c > 0)
      g_string_append_c (out, ',');
    put_cell (out, table, &row->cells[c]);
  }
  g_string_append_c (out, ']');
}

static void
put_table (Paper *paper, const Table *table)
{
  GString *out = paper->text;
  g_string_append (out, "{\"name\":");
  put_text (out, table->name);
  g_string_append (out, ",\"title\":");
  put_text (out, table->title);
  g_string_append (out, ",\"note\":");
  put_text (out, table->note);
  if (table->lead) {
    g_string_append (out, ",\"lead\":");
    put_text (out, table->lead);
  }
  put_columns (out, table);
  g_string_append (out, ",\n   \"rows\":[");
  for (guint r = 0; r < table->rows->len && paper_flush (paper, FALSE) == NPROF_OK; r++)
    put_row (out, table, r);
  g_string_append_printf (out, "],\n   \"rows_left_out\":%" G_GUINT64_FORMAT "}",
                          table->n_rows - table->rows->len);
}

nprof_status
page_json (Paper *paper, const Page *page)
{
  g_string_append (paper->text, "{\"tables\":[");
  for (guint t = 0; t < page->tables->len && paper->status == NPROF_OK; t++) {
    g_string_append (paper->text, t > 0 ? ",\n  " : "\n  ");
    put_table (paper, g_ptr_array_index (page->tables, t));
  }
  g_string_append (paper->text, "\n],\n\"not_in_this_run\":[");
  g_auto (GStrv) names = g_strsplit (page->missing, ", ", -1);
  for (guint i = 0; names[i]; i++) {
    g_string_append (paper->text, i > 0 ? "," : "");
    put_text (paper->text, names[i]);
  }
  g_string_append (paper->text, "]}\n");
  return paper_flush (paper, TRUE);
}
