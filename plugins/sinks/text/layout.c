/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - gives each column its width, cuts wide tables into blocks; plain.c prints them. */

#include "layout.h"

#include "printable.h"

#include <string.h>

#define NAME_LEAST 8  /* columns of text are not cut below     */
#define ONLY_LEAST 24 /* what tells rows apart, in a single block */
#define SAME_LEAST 4  /* unless they tell the same in each row */

void
layout_init (Layout *layout, const Grid *grid, guint room)
{
  *layout = (Layout){ .grid = grid, .room = room };
  layout->width = g_new0 (guint, grid->n_columns);
  layout->list = g_new0 (guint, grid->n_columns + 1);
  layout->anchor = -1;
}

void
layout_clear (Layout *layout)
{
  g_free (layout->width);
  g_free (layout->list);
}

static guint
least_width (const Layout *layout, guint c)
{
  const GridColumn *column = &layout->grid->columns[c];
  if (column->whole)
    return column->width;
  if (layout->single && (int) c == layout->anchor)
    return MIN (column->width, ONLY_LEAST);
  guint least = column->same ? SAME_LEAST : NAME_LEAST;
  return MIN (column->width, MAX (least, printable_width (column->head)));
}

guint
layout_number_width (const Layout *layout)
{
  guint digits = 1;
  for (guint n = layout->grid->n_rows; n >= 10; n /= 10)
    digits++;
  return digits;
}

static guint
room_of (const Layout *layout)
{
  guint taken = layout->numbered ? layout_number_width (layout) + LAYOUT_GAP : 0;
  return layout->room > taken ? layout->room - taken : 0;
}

static guint
total_width (const Layout *layout)
{
  guint total = 0;
  for (guint i = 0; i < layout->n_list; i++)
    total += layout->width[layout->list[i]] + (i > 0 ? LAYOUT_GAP : 0);
  return total;
}

/* Returns the column that gives way next: the widest, but first those that tell nothing. -1: none
 * can. */
static int
find_widest (const Layout *layout, gboolean same)
{
  int widest = -1;
  for (guint i = 0; i < layout->n_list; i++) {
    guint c = layout->list[i];
    const GridColumn *column = &layout->grid->columns[c];
    if (column->same == same && layout->width[c] > least_width (layout, c)
        && (widest < 0 || layout->width[c] > layout->width[widest]))
      widest = (int) c;
  }
  return widest < 0 && same ? find_widest (layout, FALSE) : widest;
}

static void
shrink (Layout *layout)
{
  guint room = room_of (layout);
  for (guint i = 0; i < layout->n_list; i++) {
    guint c = layout->list[i], width = layout->grid->columns[c].width;
    layout->width[c] = layout->whole ? width : MAX (least_width (layout, c), MIN (width, room));
  }
  if (layout->whole)
    return;
  for (guint total = total_width (layout); total > room; total--) {
    int widest = find_widest (layout, TRUE);
    if (widest < 0)
      return;
    layout->width[widest]--;
  }
}

static guint
count_values (const GridColumn *column, guint n_rows)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint r = 0; r < n_rows; r++)
    g_hash_table_add (seen, (char *) grid_cell (column, r));
  return g_hash_table_size (seen);
}

/* Returns the text that tells rows apart best; it is repeated in every block. -1: there is none. */
static int
find_anchor (const Grid *grid)
{
  int anchor = -1;
  guint most = 1;
  for (guint c = 0; c < grid->n_columns; c++) {
    const GridColumn *column = &grid->columns[c];
    if (column->number || column->hidden || !column->key)
      continue;
    guint n = count_values (column, grid->n_rows);
    if (n > most) {
      most = n;
      anchor = (int) c;
    }
  }
  return anchor;
}

static int
find_last_text (const Grid *grid)
{
  for (guint c = grid->n_columns; c-- > 0;)
    if (!grid->columns[c].number && !grid->columns[c].hidden)
      return (int) c;
  return -1;
}

static guint
sum_least (const Layout *layout)
{
  guint total = 0;
  for (guint i = 0; i < layout->n_list; i++)
    total += least_width (layout, layout->list[i]) + (i > 0 ? LAYOUT_GAP : 0);
  return total;
}

/* Fills the list with shown columns from `next` on, as many as fit, one at least. */
static void
take_columns (Layout *layout)
{
  gboolean taken = FALSE, repeated = layout->anchor >= 0 && layout->next > 0;
  layout->n_list = 0;
  if (repeated)
    layout->list[layout->n_list++] = (guint) layout->anchor;
  for (; layout->next < layout->grid->n_columns; layout->next++) {
    if (layout->grid->columns[layout->next].hidden
        || (repeated && (int) layout->next == layout->anchor))
      continue;
    layout->list[layout->n_list++] = layout->next;
    if (taken && sum_least (layout) > room_of (layout)) {
      layout->n_list--;
      return;
    }
    taken = TRUE;
  }
  if (!taken) /* only hidden columns were left */
    layout->n_list = 0;
}

/* Takes all columns, without the last ones that have no room; those that tell rows apart stay. */
static void
take_single (Layout *layout)
{
  const Grid *grid = layout->grid;
  for (guint c = 0; c < grid->n_columns; c++)
    if (!grid->columns[c].hidden)
      layout->list[layout->n_list++] = c;
  for (guint i = layout->n_list;
       !layout->whole && i-- > 1 && sum_least (layout) > room_of (layout);) {
    if ((int) layout->list[i] == layout->anchor)
      continue;
    memmove (&layout->list[i], &layout->list[i + 1], (layout->n_list - i - 1) * sizeof (guint));
    layout->n_list--;
  }
}

char *
layout_left_out (const Layout *layout)
{
  GString *names = g_string_new (NULL);
  for (guint c = 0; layout->single && c < layout->grid->n_columns; c++) {
    gboolean there = layout->grid->columns[c].hidden;
    for (guint i = 0; i < layout->n_list; i++)
      there = there || layout->list[i] == c;
    if (!there)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", layout->grid->columns[c].head);
  }
  return g_string_free (names, names->len == 0);
}

gboolean
layout_next (Layout *layout)
{
  if (layout->single && layout->next > 0)
    return FALSE;
  if (layout->single) {
    layout->next = layout->grid->n_columns;
    layout->anchor = find_anchor (layout->grid);
    if (layout->anchor < 0)
      layout->anchor = find_last_text (layout->grid);
    take_single (layout);
    shrink (layout);
    return layout->n_list > 0;
  }
  if (layout->next == 0 && !layout->numbered) {
    take_columns (layout);
    if (layout->next < layout->grid->n_columns) { /* does not fit: begin again, with numbers */
      layout->numbered = TRUE;
      layout->anchor = find_anchor (layout->grid);
      layout->next = 0;
      take_columns (layout);
    }
  } else {
    take_columns (layout);
  }
  shrink (layout);
  return layout->n_list > 0;
}
