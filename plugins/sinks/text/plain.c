/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c - prints tables for a terminal: aligned, no wider than it; everything that is cut, hidden
 * or left out is said below the table. */

#include "page.h"

#include "layout.h"
#include "printable.h"
#include "profile.h"

#include <string.h>

#define INDENT 2 /* blanks before the first column */
#define ENDLESS G_MAXINT32
#define FEW_PROPERTIES 4 /* of a profile in a brief page    */

/* This is a table on its way to the paper. */
typedef struct {
  Paper *paper;
  Layout layout;
  guint cut; /* texts that were cut */
} Sheet;

static void
pad (GString *out, guint n)
{
  g_string_append_printf (out, "%*s", (int) n, "");
}

static void
put_padded (GString *out, const char *text, guint width, gboolean right, gboolean last,
            const char *colour)
{
  guint blanks = width - MIN (width, printable_width (text));
  if (right)
    pad (out, blanks);
  g_string_append_printf (out, "%s%s%s", colour, text, *colour ? "\033[0m" : "");
  if (!right && !last)
    pad (out, blanks);
}

static void
put_number (const Sheet *sheet, const char *text)
{
  if (!sheet->layout.numbered)
    return;
  put_padded (sheet->paper->text, text, layout_number_width (&sheet->layout), TRUE, FALSE, "");
  pad (sheet->paper->text, LAYOUT_GAP);
}

/* Puts place i of the line. */
static void
put_place (const Sheet *sheet, guint i, const char *text, const char *colour)
{
  const Layout *layout = &sheet->layout;
  guint c = layout->list[i];
  if (i > 0)
    pad (sheet->paper->text, LAYOUT_GAP);
  put_padded (sheet->paper->text, text, layout->width[c], layout->grid->columns[c].number,
              i + 1 == layout->n_list, colour);
}

static void
put_heads (const Sheet *sheet)
{
  const Layout *layout = &sheet->layout;
  pad (sheet->paper->text, INDENT);
  g_string_append (sheet->paper->text, paper_dim (sheet->paper));
  put_number (sheet, "#");
  for (guint i = 0; i < layout->n_list; i++)
    put_place (sheet, i, layout->grid->columns[layout->list[i]].head, "");
  g_string_append_printf (sheet->paper->text, "%s\n", paper_plain (sheet->paper));
}

static const char *
colour_of (const Sheet *sheet, guint c, guint row)
{
  const GridColumn *column = &sheet->layout.grid->columns[c];
  return paper_mood (sheet->paper, mood_of (column->head, grid_cell (column, row)));
}

static void
put_row (Sheet *sheet, guint row)
{
  const Layout *layout = &sheet->layout;
  g_autofree char *number = g_strdup_printf ("%u", row + 1);
  pad (sheet->paper->text, INDENT);
  put_number (sheet, number);
  for (guint i = 0; i < layout->n_list; i++) {
    guint c = layout->list[i];
    const char *text = grid_cell (&layout->grid->columns[c], row);
    g_autofree char *cut = NULL;
    if (printable_width (text) > layout->width[c]) {
      text = cut = printable_cut (text, layout->width[c]);
      sheet->cut++;
    }
    put_place (sheet, i, text, colour_of (sheet, c, row));
  }
  g_string_append_c (sheet->paper->text, '\n');
}

static void
put_block (Sheet *sheet)
{
  put_heads (sheet);
  for (guint r = 0; r < sheet->layout.grid->n_rows; r++) {
    put_row (sheet, r);
    if (paper_flush (sheet->paper, FALSE))
      break;
  }
}

static void
put_grid (Sheet *sheet)
{
  for (gboolean first = TRUE; sheet->paper->status == NPROF_OK && layout_next (&sheet->layout);
       first = FALSE) {
    if (!first)
      g_string_append_c (sheet->paper->text, '\n');
    put_block (sheet);
  }
}

static void
put_note (Paper *paper, const char *note)
{
  g_autofree char *safe = printable_new (note, strlen (note));
  g_auto (GStrv) lines = wrap_new (safe, paper->width - INDENT);
  for (guint i = 0; lines[i]; i++) {
    pad (paper->text, INDENT);
    g_string_append_printf (paper->text, "%s%s%s\n", paper_dim (paper), lines[i],
                            paper_plain (paper));
  }
}

static void
put_notes (const Table *table, const Sheet *sheet)
{
  Paper *paper = sheet->paper;
  guint64 more = table->n_rows - table->rows->len;
  if (more > 0) {
    g_autofree char *text = g_strdup_printf ("… and %" G_GUINT64_FORMAT " more%s", more,
                                             table->single ? "" : "; top=0 shows all");
    put_note (paper, text);
  }
  if (sheet->cut > 0) {
    g_autofree char *text = g_strdup_printf ("%u name%s cut; --format json or csv shows them whole",
                                             sheet->cut, sheet->cut == 1 ? "" : "s");
    put_note (paper, text);
  }
  g_autofree char *left_out = layout_left_out (&sheet->layout);
  if (left_out) {
    g_autofree char *text = g_strconcat ("no room for: ", left_out, NULL);
    put_note (paper, text);
  }
  g_autofree char *hidden = grid_hidden (sheet->layout.grid, !table->single);
  if (hidden)
    put_note (paper, hidden);
  if (*table->note)
    put_note (paper, table->note);
}

/* -- Answers, a line each ------------------------------------------------------------------ */

#define LABEL 15 /* what the answer is to */

static guint
answer_width (const Grid *grid, guint answer)
{
  guint width = 0;
  for (guint r = 0; r < grid->n_rows; r++)
    width = MAX (width, printable_width (grid_cell (&grid->columns[answer], r)));
  return width;
}

/* Puts lines of text below each other. */
static void
put_wrapped (Paper *paper, const char *text, guint indent)
{
  guint room = paper->endless ? ENDLESS : MAX (paper->width, indent + 20) - indent;
  g_auto (GStrv) lines = wrap_new (text, room);
  for (guint i = 0; lines[i]; i++) {
    if (i > 0)
      pad (paper->text, indent);
    g_string_append_printf (paper->text, "%s\n", lines[i]);
  }
}

static void
put_answer (Paper *paper, const Grid *grid, guint question, guint row, guint width)
{
  const char *head = grid_cell (&grid->columns[question], row);
  const char *answer = grid_cell (&grid->columns[question + 1], row);
  const char *of = grid_cell (&grid->columns[question + 2], row);
  const char *colour = paper_mood (paper, mood_of (head, answer));
  guint indent = INDENT + LABEL;
  pad (paper->text, INDENT);
  g_string_append (paper->text, paper_dim (paper));
  put_padded (paper->text, head, LABEL, FALSE, FALSE, "");
  g_string_append (paper->text, paper_plain (paper));
  if (*answer) {
    put_padded (paper->text, answer, width, TRUE, FALSE, colour);
    pad (paper->text, LAYOUT_GAP);
    indent += width + LAYOUT_GAP;
  }
  put_wrapped (paper, of, indent);
}

static void
put_bold (Paper *paper, const char *text)
{
  g_autofree char *safe = printable_new (text, strlen (text));
  g_string_append (paper->text, paper_bold (paper));
  put_wrapped (paper, safe, 0);
  g_string_append (paper->text, paper_plain (paper));
}

static void
put_answers (Paper *paper, const Table *table)
{
  g_autoptr (Grid) grid = grid_new (table, TRUE);
  int question = table_column (table, "question");
  guint width = answer_width (grid, (guint) question + 1);
  put_bold (paper, table->title);
  if (table->lead)
    put_bold (paper, table->lead);
  for (guint r = 0; r < grid->n_rows; r++)
    put_answer (paper, grid, (guint) question, r, width);
  paper->rounded = paper->rounded || grid->rounded;
  if (*table->note)
    put_note (paper, table->note);
  g_string_append_c (paper->text, '\n');
}

static void
put_table (Paper *paper, const Table *table, gboolean no_input)
{
  if (table->bare) {
    put_answers (paper, table);
    return;
  }
  g_autoptr (Grid) grid = grid_new (table, no_input);
  g_autofree char *title = printable_new (table->title, strlen (table->title));
  Sheet sheet = { .paper = paper };
  layout_init (&sheet.layout, grid, (paper->endless ? ENDLESS : paper->width) - INDENT);
  sheet.layout.single = table->single;
  sheet.layout.whole = table->single && paper->endless;
  g_string_append_printf (paper->text, "%s%s%s\n", paper_bold (paper), title, paper_plain (paper));
  put_grid (&sheet);
  put_notes (table, &sheet);
  g_string_append_c (paper->text, '\n');
  paper->rounded = paper->rounded || grid->rounded;
  paper_flush (paper, FALSE);
  layout_clear (&sheet.layout);
}

nprof_status
page_plain (Paper *paper, const Page *page)
{
  gboolean named = FALSE;
  for (guint t = 0; t < page->tables->len && paper->status == NPROF_OK; t++) {
    const Table *table = g_ptr_array_index (page->tables, t);
    gboolean profile = page->input && profile_is (table);
    if (table->n_rows == 0 && !table->bare)
      continue;
    if (profile && page->no_profile)
      continue; /* nprof info, -v and --full say what the file is */
    if (page->input && !named && !profile)
      g_string_append_printf (paper->text, "%sProfile: %s%s\n\n", paper_bold (paper), page->input,
                              paper_plain (paper));
    named = TRUE;
    if (profile)
      profile_put (paper, table, page->input, page->brief ? FEW_PROPERTIES : G_MAXUINT);
    else
      put_table (paper, table, page->input || table->no_input);
  }
  g_auto (GStrv) lines = page_last_lines (paper, page, paper->width);
  for (guint i = 0; lines[i]; i++)
    g_string_append_printf (paper->text, "%s\n", lines[i]);
  return paper_flush (paper, TRUE);
}
