/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes table stacks: in the order of their bytes, so that equal profiles give equal
 * files. */
#include "flame.h"

#include <string.h>

NPROF_TABLE (stacks, "Stacks", "The weight of a stack is its own, without those below it.", STACKS)

typedef struct {
  guint32 input;
  char *text;
  Weight weight;
} Row;

static const guint32 *
key_of (const Flame *f, guint32 frame)
{
  return an_key_table_key (&f->frames, frame - 1);
}

/* Returns the frames from the root on as text, transfer full, and the input. */
static char *
text_of (const Flame *f, guint32 frame, guint32 *input)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (; key_of (f, frame)[F_PARENT] != G_MAXUINT32; frame = key_of (f, frame)[F_PARENT])
    g_ptr_array_insert (names, 0, (gpointer) nprof_text (f->host, key_of (f, frame)[F_NAME]));
  *input = key_of (f, frame)[F_NAME];
  g_ptr_array_add (names, NULL);
  return g_strjoinv (";", (char **) names->pdata);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  return strcmp (x->text, y->text);
}

static void
row_clear (gpointer row)
{
  g_free (((Row *) row)->text);
}

nprof_status
fl_write (Flame *f)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (rows, row_clear);
  for (guint i = 1; i < f->weights->len && i <= f->frames.n; i++) {
    Row row = { .weight = g_array_index (f->weights, Weight, i) };
    if (!row.weight.count)
      continue;
    row.text = text_of (f, i, &row.input);
    g_array_append_val (rows, row);
  }
  g_array_sort (rows, by_text);
  nprof_status status = f->host->table (f->host, &stacks_table);
  for (guint i = 0; i < rows->len && status == NPROF_OK; i++) {
    const Row *stack = &g_array_index (rows, Row, i);
    const struct stacks_row row = {
      .stack = nprof_some_text (stack->text),
      .weight = nprof_some_int (stack->weight.weight),
      .count = nprof_some_int (stack->weight.count),
    };
    status = f->host->row (
        f->host, &stacks_table,
        stacks_cells (nprof_cell_str (f->host->input (f->host, stack->input)->label), &row).cells);
  }
  return status;
}
