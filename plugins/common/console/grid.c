/* SPDX-License-Identifier: Apache-2.0 */
/* grid.c - prints columns as wide as their widest cell, or a table of Markdown. */

#include "console/grid.h"
#include "console/markdown.h"

NpGrid
np_grid_new (guint columns, guint left, const char *const *heads)
{
  NpGrid g = { g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev), columns, left };
  char **row = np_grid_row (&g);
  for (guint c = 0; c < columns; c++)
    row[c] = g_strdup (heads[c]);
  return g;
}

char **
np_grid_row (NpGrid *g)
{
  char **row = g_new0 (char *, g->columns + 1);
  g_ptr_array_add (g->rows, row);
  return row;
}

static void
print_plain (GString *out, const NpGrid *g)
{
  glong width[NP_GRID_MOST] = { 0 };
  for (guint r = 0; r < g->rows->len; r++)
    for (guint c = 0; c < g->columns; c++)
      width[c] = MAX (width[c], g_utf8_strlen (((char **) g->rows->pdata[r])[c], -1));
  for (guint r = 0; r < g->rows->len; r++) {
    GString *line = g_string_new (NULL);
    for (guint c = 0; c < g->columns; c++) {
      const char *cell = ((char **) g->rows->pdata[r])[c];
      int blanks = (int) (width[c] - g_utf8_strlen (cell, -1));
      gboolean left = g->left >> c & 1;
      g_string_append_printf (line, "%s%*s%s%*s", c ? "  " : "", left ? 0 : blanks, "", cell,
                              left ? blanks : 0, "");
    }
    g_string_append_printf (out, "%s\n", g_strchomp (line->str));
    g_string_free (line, TRUE);
  }
}

static void
print_markdown (GString *out, const NpGrid *g)
{
  for (guint r = 0; r < g->rows->len; r++) {
    for (guint c = 0; c < g->columns; c++) {
      g_autofree char *cell = np_markdown_cell (((char **) g->rows->pdata[r])[c]);
      g_string_append_printf (out, "| %s ", g_strchug (cell));
    }
    g_string_append (out, "|\n");
    for (guint c = 0; !r && c < g->columns; c++)
      g_string_append (out, g->left >> c & 1 ? "|---" : "|---:");
    g_string_append (out, r ? "" : "|\n");
  }
}

void
np_grid_print (GString *out, NpGrid *g, gboolean markdown)
{
  g_string_append_c (out, '\n');
  if (markdown)
    print_markdown (out, g);
  else
    print_plain (out, g);
  g_ptr_array_unref (g->rows);
}
