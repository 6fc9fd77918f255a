/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - prints tables as one JSON document, for programs: exact values, nothing scaled. */

#include "page.h"

#include "printable.h"
#include "system/json-writer.h"

/* Puts JSON safely: strict JSON holds characters that a terminal should not get within strings
 * only, but for the ends of lines between values. */
static void
put_safe (GString *out, const char *json, gsize len)
{
  for (const char *at = json, *end = json + len; at < end;) {
    gunichar c = (guchar) *at < 0x80 ? (guchar) *at : g_utf8_get_char (at);
    if (c != '\n' && printable_unsafe (c)) /* all of them lie below U+10000 */
      g_string_append_printf (out, "\\u%04x", c);
    else
      g_string_append_unichar (out, c);
    at = g_utf8_next_char (at);
  }
}

/* Hands on what was put until now. */
static nprof_status
hand_on (Paper *paper, struct nprof_buf *buf, gboolean all)
{
  if (buf->failed && paper->status == NPROF_OK)
    paper->status = NPROF_E_NOMEM;
  put_safe (paper->text, buf->data, buf->len);
  buf->len = 0;
  return paper_flush (paper, all);
}

static void
put_hex (NpJson *json, const char *bytes, gsize len)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (gsize i = 0; i < len; i++)
    g_string_append_printf (text, "%02x", (guchar) bytes[i]);
  np_json_text (json, NULL, text->str);
}

static void
put_cell (NpJson *json, const Table *table, const struct nprof_cell *cell)
{
  gsize len = 0;
  const char *text;
  switch (cell->type) {
  case NPROF_NULL:
    np_json_null (json, NULL);
    break;
  case NPROF_INT64:
    np_json_integer (json, NULL, cell->v.i);
    break;
  case NPROF_UINT64:
    np_json_number (json, NULL, cell->v.u);
    break;
  case NPROF_DOUBLE:
    np_json_double (json, NULL, cell->v.f);
    break;
  case NPROF_BOOL:
    np_json_bool (json, NULL, cell->v.u != 0);
    break;
  case NPROF_ID128:
    put_hex (json, cell->v.text, cell->len);
    break;
  case NPROF_JSON:
    np_json_raw (json, NULL, cell->v.text, cell->len);
    break;
  default:
    text = cell_text (table->host, cell, &len);
    np_json_text_n (json, NULL, text, len);
  }
}

/* Puts the name of a column; one with values in ps says so: total_ns is total_ps here. */
static void
put_name (NpJson *json, const Column *column)
{
  if (strcmp (column->unit, "ps") != 0) {
    np_json_text (json, NULL, column->name);
    return;
  }
  g_autofree char *stem = column_stem (column);
  g_autofree char *name = g_strconcat (stem, "_ps", NULL);
  np_json_text (json, NULL, name);
}

static void
put_head (NpJson *json, const Table *table)
{
  np_json_text (json, "name", table->name);
  np_json_text (json, "title", table->title);
  np_json_text (json, "note", table->note);
  if (table->lead)
    np_json_text (json, "lead", table->lead);
  np_json_array (json, "columns");
  for (guint c = 0; c < table->n_columns; c++)
    put_name (json, &table->columns[c]);
  np_json_end_array (json);
  np_json_array (json, "units");
  for (guint c = 0; c < table->n_columns; c++)
    np_json_text (json, NULL, table->columns[c].unit);
  np_json_end_array (json);
}

static void
put_row (NpJson *json, const Table *table, guint r)
{
  const Row *row = g_ptr_array_index (table->rows, r);
  np_json_line (json, 4);
  np_json_array (json, NULL);
  for (guint c = 0; c < table->n_columns; c++)
    put_cell (json, table, &row->cells[c]);
  np_json_end_array (json);
}

static void
put_table (Paper *paper, NpJson *json, const Table *table)
{
  np_json_line (json, 2);
  np_json_object (json, NULL);
  put_head (json, table);
  np_json_line (json, 3);
  np_json_array (json, "rows");
  for (guint r = 0; r < table->rows->len && hand_on (paper, json->buf, FALSE) == NPROF_OK; r++)
    put_row (json, table, r);
  np_json_end_array (json);
  np_json_line (json, 3);
  np_json_number (json, "rows_left_out", table->n_rows - table->rows->len);
  np_json_end_object (json);
}

nprof_status
page_json (Paper *paper, const Page *page)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf };
  np_json_object (&json, NULL);
  np_json_array (&json, "tables");
  for (guint t = 0; t < page->tables->len && paper->status == NPROF_OK; t++)
    put_table (paper, &json, g_ptr_array_index (page->tables, t));
  np_json_line (&json, 0);
  np_json_end_array (&json);
  np_json_line (&json, 0);
  np_json_array (&json, "not_in_this_run");
  g_auto (GStrv) names = g_strsplit (page->missing, ", ", -1);
  for (guint i = 0; names[i]; i++)
    np_json_text (&json, NULL, names[i]);
  np_json_end_array (&json);
  np_json_end_object (&json);
  nprof_put_char (&buf, '\n');
  nprof_status status = hand_on (paper, &buf, TRUE);
  nprof_buf_clear (&buf);
  return status;
}
