/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - prints the tables of a run instead of their rows. */

#include "page.h"

#include "printable.h"

#include <nprof/units.h>
#include <string.h>

static guint
widest_name (const GPtrArray *tables)
{
  guint width = 0;
  for (guint t = 0; t < tables->len; t++)
    width = MAX (width, printable_width (((const Table *) g_ptr_array_index (tables, t))->name));
  return width;
}

nprof_status
page_list (Paper *paper, const GPtrArray *tables)
{
  guint width = widest_name (tables);
  for (guint t = 0; t < tables->len && paper_flush (paper, FALSE) == NPROF_OK; t++) {
    const Table *table = g_ptr_array_index (tables, t);
    g_autofree char *title = printable_new (table->title, strlen (table->title));
    g_string_append_printf (paper->text, "%-*s  %9s row%s  %s\n", (int) width, table->name,
                            nprof_count (table->n_rows).text,
                            table->n_rows == 1 ? " " : "s", title);
  }
  return paper_flush (paper, TRUE);
}
