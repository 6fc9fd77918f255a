/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c - texts, numbers and tables of numbers for all pictures of a page. */

#include "picture.h"

#include "number.h"
#include "printable.h"

#include <math.h>
#include <nprof/sdk.h>
#include <string.h>

void
picture_text (GString *out, const char *text)
{
  g_autofree char *safe = printable_new (text, strlen (text));
  g_autofree char *escaped = g_markup_escape_text (safe, -1);
  g_string_append (out, escaped);
}

char *
picture_number (const char *unit, double value)
{
  return number_text (nprof_figure (value, unit), NULL);
}

const char *
picture_look (guint n)
{
  static const char *const looks[]
      = { "nth-0", "nth-1", "nth-2", "nth-3", "nth-4", "nth-5", "nth-6" };
  return looks[n % G_N_ELEMENTS (looks)];
}

void
picture_say (GString *out, const char *element, char *text)
{
  g_string_append_printf (out, "<%s>", element);
  picture_text (out, text);
  g_string_append_printf (out, "</%s>\n", element);
  g_free (text);
}

void
picture_begin (GString *out, double height, const char *label)
{
  g_string_append_printf (out,
                          "<svg class=\"picture\" role=\"img\" viewBox=\"0 0 1000 %.0f\" "
                          "aria-label=\"",
                          height);
  picture_text (out, label);
  g_string_append (out, "\">\n");
}

void
picture_end (GString *out)
{
  g_string_append (out, "</svg>\n");
}

void
picture_bar_begin (GString *out, const char *label)
{
  g_string_append (out, "<svg role=\"img\" viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" "
                        "aria-label=\"");
  picture_text (out, label);
  g_string_append (out, "\">");
}

void
picture_bar_part (GString *out, double at, double width, const char *look, const char *name,
                  const char *value)
{
  g_string_append_printf (out, "<rect x=\"%.3f\" width=\"%.3f\" height=\"16\" class=\"%s\"><title>",
                          at, width, look);
  picture_text (out, name);
  g_string_append_printf (out, " %s</title></rect>", value);
}

void
picture_bar_end (GString *out)
{
  g_string_append (out, "</svg>");
}

void
picture_swatch (GString *out, const char *look)
{
  g_string_append_printf (out,
                          "<svg aria-hidden=\"true\" viewBox=\"0 0 12 12\"><rect width=\"12\" "
                          "height=\"12\" class=\"%s\"/></svg>",
                          look);
}

void
picture_numbers_begin (GString *out, const char *heads)
{
  g_auto (GStrv) each = g_strsplit (heads, "+", -1);
  g_string_append (out,
                   "<details><summary>Its numbers</summary>\n<table class=\"numbers\"><thead><tr>");
  for (guint i = 0; each[i]; i++) {
    g_string_append (out, "<th scope=\"col\">");
    picture_text (out, each[i]);
    g_string_append (out, "</th>");
  }
  g_string_append (out, "</tr></thead>\n<tbody>\n");
}

void
picture_numbers_row (GString *out, const char *look, const char *const *cells, guint n_cells)
{
  g_string_append (out, "<tr>");
  for (guint i = 0; i < n_cells; i++) {
    g_string_append (out, i == 0 ? "<td class=\"l\">" : "<td>");
    if (i == 0 && look)
      picture_swatch (out, look);
    picture_text (out, cells[i]);
    g_string_append (out, "</td>");
  }
  g_string_append (out, "</tr>\n");
}

void
picture_numbers_end (GString *out)
{
  g_string_append (out, "</tbody></table></details>\n");
}

double
picture_value (const Table *table, const Row *row, const char *column)
{
  int c = table_column (table, column);
  if (c < 0)
    return NAN;
  switch (row->cells[c].type) {
  case NPROF_INT64:
    return (double) row->cells[c].v.i;
  case NPROF_UINT64:
    return (double) row->cells[c].v.u;
  case NPROF_DOUBLE:
    return row->cells[c].v.f;
  default:
    return NAN;
  }
}

char *
picture_cell (const Table *table, const Row *row, const char *column)
{
  int c = table_column (table, column);
  if (c < 0 || row->cells[c].type == NPROF_NULL)
    return g_strdup ("");
  gsize len;
  const char *text = cell_text (table->host, &row->cells[c], &len);
  return g_strndup (text, len);
}

char *
picture_name (const Table *table, const Row *row, const char *name)
{
  g_autofree char *input = picture_cell (table, row, "input");
  gboolean several = table->host->run (table->host)->n_inputs > 1;
  return several && *input ? g_strconcat (input, ", ", name, NULL) : g_strdup (name);
}
