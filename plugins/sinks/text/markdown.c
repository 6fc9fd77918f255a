/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.c - prints tables as GitHub reads them; texts are whole, numbers scaled. */

#include "page.h"

#include "grid.h"
#include "printable.h"

#include <string.h>

/* Returns whether Markdown would take the character for its own; `_` only at the edge of a word. */
static gboolean
is_mark (const char *text, gsize i)
{
  if (text[i] == '_')
    return i == 0 || !g_ascii_isalnum (text[i - 1]) || !g_ascii_isalnum (text[i + 1]);
  return strchr ("\\`*|<>[]~&#", text[i]) != NULL;
}

static void
put_escaped (GString *out, const char *text)
{
  for (gsize i = 0; text[i]; i++) {
    if (is_mark (text, i))
      g_string_append_c (out, '\\');
    g_string_append_c (out, text[i]);
  }
}

static void
put_paragraph (GString *out, const char *before, const char *text)
{
  g_autofree char *safe = printable_new (text, strlen (text));
  g_string_append (out, before);
  put_escaped (out, safe);
  g_string_append (out, "\n\n");
}

static void
put_head (GString *out, const Grid *grid)
{
  for (guint c = 0; c < grid->n_columns; c++) {
    if (grid->columns[c].hidden)
      continue;
    g_string_append (out, "| ");
    put_escaped (out, grid->columns[c].head);
    g_string_append_c (out, ' ');
  }
  g_string_append (out, "|\n");
  for (guint c = 0; c < grid->n_columns; c++)
    if (!grid->columns[c].hidden)
      g_string_append (out, grid->columns[c].number ? "| ---: " : "| --- ");
  g_string_append (out, "|\n");
}

static void
put_row (GString *out, const Grid *grid, guint row)
{
  for (guint c = 0; c < grid->n_columns; c++) {
    if (grid->columns[c].hidden)
      continue;
    g_string_append (out, "| ");
    put_escaped (out, grid_cell (&grid->columns[c], row));
    g_string_append_c (out, ' ');
  }
  g_string_append (out, "|\n");
}

static void
put_notes (GString *out, const Table *table, const Grid *grid)
{
  guint64 more = table->n_rows - table->rows->len;
  if (more > 0)
    g_string_append_printf (out, "… and %" G_GUINT64_FORMAT " more%s\n\n", more,
                            table->single ? "" : "; top=0 shows all");
  g_autofree char *hidden = grid_hidden (grid, !table->single);
  if (hidden)
    put_paragraph (out, "", hidden);
  if (*table->note)
    put_paragraph (out, "", table->note);
}

static void
put_table (Paper *paper, const Table *table, gboolean no_input)
{
  g_autoptr (Grid) grid = grid_new (table, no_input);
  put_paragraph (paper->text, "## ", table->title);
  if (table->lead)
    put_paragraph (paper->text, "", table->lead);
  put_head (paper->text, grid);
  for (guint r = 0; r < grid->n_rows && paper_flush (paper, FALSE) == NPROF_OK; r++)
    put_row (paper->text, grid, r);
  g_string_append_c (paper->text, '\n');
  put_notes (paper->text, table, grid);
  paper->rounded = paper->rounded || grid->rounded;
}

nprof_status
page_markdown (Paper *paper, const Page *page)
{
  if (page->input && !page->bare)
    put_paragraph (paper->text, "# Profile: ", page->input);
  for (guint t = 0; t < page->tables->len && paper->status == NPROF_OK; t++) {
    const Table *table = g_ptr_array_index (page->tables, t);
    if (table->n_rows > 0 || table->bare)
      put_table (paper, table, page->input || table->no_input);
  }
  g_auto (GStrv) lines = page_last_lines (paper, page, G_MAXUINT);
  for (guint i = 0; lines[i]; i++)
    put_paragraph (paper->text, "", lines[i]);
  g_string_truncate (paper->text, paper->text->len - (lines[0] ? 1 : 0));
  return paper_flush (paper, TRUE);
}
