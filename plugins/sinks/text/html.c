/* SPDX-License-Identifier: Apache-2.0 */
/* html.c - prints tables as one page for a browser: texts are whole, numbers scaled, a click on a
 * head sorts.  Everything is in the page; its policy forbids a browser to fetch anything for it. */

#include "page.h"

#include "grid.h"
#include "printable.h"
#include "report-files.h" /* style and script */

#include <math.h>
#include <string.h>

static const char head[]
    = "<!DOCTYPE html>\n"
      "<html lang=\"en\">\n"
      "<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"generator\" content=\"nprof " NPROF_VERSION "\">\n";

/* A text of more columns is broken where the window is too narrow for it; a shorter one never
 * is. */
#define LONG 40

static void
put_escaped (GString *out, const char *text)
{
  for (const char *c = text; *c; c++)
    switch (*c) {
    case '&':
      g_string_append (out, "&amp;");
      break;
    case '<':
      g_string_append (out, "&lt;");
      break;
    case '>':
      g_string_append (out, "&gt;");
      break;
    case '"':
      g_string_append (out, "&quot;");
      break;
    default:
      g_string_append_c (out, *c);
    }
}

/* Puts the text in an element of its own. */
static void
put_element (GString *out, const char *name, const char *before, const char *text)
{
  g_autofree char *safe = printable_new (text, strlen (text));
  g_string_append_printf (out, "<%s>%s", name, before);
  put_escaped (out, safe);
  g_string_append_printf (out, "</%s>\n", name);
}

static void
put_heads (GString *out, const Grid *grid)
{
  g_string_append (out, "<thead><tr>");
  for (guint c = 0; c < grid->n_columns; c++) {
    if (grid->columns[c].hidden)
      continue;
    g_string_append (out, grid->columns[c].number ? "<th class=\"n\"><button>" : "<th><button>");
    put_escaped (out, grid->columns[c].head);
    g_string_append (out, "</button></th>");
  }
  g_string_append (out, "</tr></thead>\n<tbody>\n");
}

static double
number_of (const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_INT64:
    return (double) cell->v.i;
  case NPROF_UINT64:
    return (double) cell->v.u;
  case NPROF_DOUBLE:
    return cell->v.f;
  default:
    return NAN;
  }
}

/* Puts a number with its value, which the page sorts by; a share with a bar as long as it is. */
static void
put_number (GString *out, const Column *column, const struct nprof_cell *cell, const char *text)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  double value = number_of (cell);
  if (!isfinite (value)) {
    g_string_append (out, "<td class=\"n\">");
  } else {
    gboolean share = g_str_equal (column->unit, "1") && value > 0;
    g_string_append_printf (out, "<td class=\"n%s\" data-v=\"%s\"", share ? " s" : "",
                            g_ascii_dtostr (digits, sizeof digits, value));
    if (share)
      g_string_append_printf (out, " style=\"background-size:%d%% 100%%\"",
                              (int) (100 * MIN (value, 1)));
    g_string_append_c (out, '>');
  }
  put_escaped (out, text);
  g_string_append (out, "</td>");
}

static void
put_row (GString *out, const Table *table, const Grid *grid, guint r)
{
  const Row *row = g_ptr_array_index (table->rows, r);
  g_string_append (out, "<tr>");
  for (guint c = 0; c < grid->n_columns; c++) {
    const GridColumn *column = &grid->columns[c];
    if (column->hidden)
      continue;
    if (column->number) {
      put_number (out, &table->columns[c], &row->cells[c], grid_cell (column, r));
      continue;
    }
    const char *text = grid_cell (column, r);
    g_string_append (out, printable_width (text) > LONG ? "<td class=\"l\">" : "<td>");
    put_escaped (out, text);
    g_string_append (out, "</td>");
  }
  g_string_append (out, "</tr>\n");
}

static void
put_notes (GString *out, const Table *table, const Grid *grid)
{
  guint64 more = table->n_rows - table->rows->len;
  if (more > 0) {
    g_autofree char *text = g_strdup_printf ("… and %" G_GUINT64_FORMAT " more", more);
    put_element (out, "p", "", text);
  }
  g_autofree char *hidden = grid_hidden (grid, !table->single);
  if (hidden)
    put_element (out, "p", "", hidden);
  if (*table->note)
    put_element (out, "p", "", table->note);
}

/* Returns the class of a verdict's code, which has the colour of its part in the bar of a step. */
static const char *
class_of (const char *code)
{
  static const struct {
    const char *begins, *class;
  } classes[]
      = { { "compute", "compute" }, { "comm", "communication" }, { "copy", "copy" },
          { "data", "copy" },       { "mixed", "control" },      { "undetermined", "control" } };
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (g_str_has_prefix (code, classes[i].begins))
      return classes[i].class;
  return "idle";
}

/* Puts answers; questions are heads of their rows, and there is nothing to sort. */
static void
put_answers (GString *out, const Table *table)
{
  g_autoptr (Grid) grid = grid_new (table, TRUE);
  guint question = (guint) table_column (table, "question");
  put_element (out, "h2", "", table->title);
  if (table->lead) {
    g_autofree char *safe = printable_new (table->lead, strlen (table->lead));
    g_string_append_printf (out, "<strong class=\"%s\">",
                            class_of (table->lead_code ? table->lead_code : ""));
    put_escaped (out, safe);
    g_string_append (out, "</strong>\n");
  }
  g_string_append (out, "<div tabindex=\"0\"><table class=\"answers\"><tbody>\n");
  for (guint r = 0; r < grid->n_rows; r++) {
    g_string_append (out, "<tr>");
    for (guint c = question; c < question + 3; c++) {
      const char *text = grid_cell (&grid->columns[c], r);
      gboolean is_head = c == question && *text;
      g_string_append (out, is_head                         ? "<th scope=\"row\">"
                            : printable_width (text) > LONG ? "<td class=\"l\">"
                                                            : "<td>");
      put_escaped (out, text);
      g_string_append (out, is_head ? "</th>" : "</td>");
    }
    g_string_append (out, "</tr>\n");
  }
  g_string_append (out, "</tbody></table></div>\n");
}

/* Puts a table: one of a brief page is closed where pictures say first what is in it. */
static void
put_table (Paper *paper, const Table *table, gboolean no_input, gboolean closed)
{
  if (table->bare) {
    put_answers (paper->text, table);
    return;
  }
  g_autoptr (Grid) grid = grid_new (table, no_input);
  g_string_append (paper->text, closed ? "<details><summary>" : "");
  put_element (paper->text, "h2", "", table->title);
  g_string_append (paper->text, closed ? "</summary>\n" : "");
  g_string_append (paper->text, "<div tabindex=\"0\"><table>\n");
  put_heads (paper->text, grid);
  for (guint r = 0; r < grid->n_rows && paper_flush (paper, FALSE) == NPROF_OK; r++)
    put_row (paper->text, table, grid, r);
  g_string_append (paper->text, "</tbody></table></div>\n");
  put_notes (paper->text, table, grid);
  g_string_append (paper->text, closed ? "</details>\n" : "");
  paper->rounded = paper->rounded || grid->rounded;
}

/* Puts the answers, which pictures stand below; returns how many tables that are. */
static guint
put_first (Paper *paper, const Page *page)
{
  const Table *table = page->tables->len ? g_ptr_array_index (page->tables, 0) : NULL;
  if (!table || !table->bare)
    return 0;
  put_table (paper, table, page->input || table->no_input, FALSE);
  return 1;
}

/* Puts what a command line would tell more: who gets the page has none. */
static void
put_commands (Paper *paper, const Page *page)
{
  const Table *first = page->tables->len ? g_ptr_array_index (page->tables, 0) : NULL;
  g_auto (GStrv) lines = page_last_lines (paper, page, G_MAXUINT);
  g_string_append (paper->text, "<details><summary><h2>How to reproduce</h2></summary>\n");
  put_element (paper->text, "p", "nprof " NPROF_VERSION ": ",
               *page->command ? page->command : "nprof run");
  if (first && first->bare && *first->note)
    put_element (paper->text, "p", "", first->note);
  for (guint i = 0; lines[i]; i++)
    put_element (paper->text, "p", "", lines[i]);
  if (page->pictures)
    pictures_put_hint (paper->text, page->pictures);
  g_string_append (paper->text, "</details>\n");
}

nprof_status
page_html (Paper *paper, const Page *page)
{
  const char *input = page->input ? page->input : page->inputs;
  g_string_append (paper->text, head);
  put_element (paper->text, "title", "nprof: ", input);
  g_string_append_printf (paper->text, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
  put_element (paper->text, "h1", "Profile: ", input);
  if (page->date)
    put_element (paper->text, "p", "Recorded ", page->date);
  guint first = put_first (paper, page);
  gsize before = paper->text->len;
  if (page->pictures)
    pictures_put (paper->text, page->pictures, page->reasons);
  gboolean drawn = strstr (paper->text->str + before, "<svg") != NULL;
  for (guint t = first; t < page->tables->len && paper->status == NPROF_OK; t++) {
    const Table *table = g_ptr_array_index (page->tables, t);
    if (table->n_rows > 0)
      put_table (paper, table, page->input || table->no_input, page->brief && drawn);
  }
  put_commands (paper, page);
  g_string_append_printf (paper->text, "</main>\n<script>\n%s</script>\n</body>\n</html>\n",
                          script);
  return paper_flush (paper, TRUE);
}
