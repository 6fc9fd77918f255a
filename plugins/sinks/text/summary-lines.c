/* SPDX-License-Identifier: Apache-2.0 */
/* summary-lines.c - lines of the first screen, and the values of tables that they are made of. */

#include "summary-lines.h"

#include "number.h"
#include "printable.h"

#include <math.h>
#include <nprof/sdk.h>
#include <string.h>

static const struct nprof_cell *
cell (const Table *table, guint row, const char *column)
{
  static const struct nprof_cell none = { .type = NPROF_NULL };
  int c = table && row < table->rows->len ? table_column (table, column) : -1;
  return c < 0 ? &none : &((const Row *) g_ptr_array_index (table->rows, row))->cells[c];
}

double
summary_value (const Table *table, guint row, const char *column)
{
  const struct nprof_cell *c = cell (table, row, column);
  return c->type == NPROF_INT64 ? (double) c->v.i : c->type == NPROF_DOUBLE ? c->v.f : NAN;
}

char *
summary_text (const Table *table, guint row, const char *column)
{
  const struct nprof_cell *c = cell (table, row, column);
  gsize len;
  if (c->type == NPROF_NULL)
    return g_strdup ("-");
  const char *found = cell_text (table->host, c, &len);
  return g_strndup (found, len);
}

char *
summary_scaled (Table *to, const char *unit, double number)
{
  return number_scaled (number, unit, &to->rounded);
}

char *
summary_name (const Answers *a, const char *name, guint columns)
{
  return a->whole ? printable_new (name, strlen (name))
                  : printable_short (name, columns + a->more_room);
}

void
summary_add (Table *to, const char *question, const char *answer, const char *of)
{
  const struct nprof_run_info *run = to->host->run (to->host);
  const struct nprof_input_info *input = run->n_inputs == 1 ? to->host->input (to->host, 0) : NULL;
  const struct nprof_cell cells[]
      = { input ? nprof_cell_str (input->label) : nprof_cell_null (), nprof_cell_text (question),
          answer ? nprof_cell_text (answer) : nprof_cell_null (), nprof_cell_text (of) };
  table_add (to, cells); /* no memory for a line: the tables say it too */
}

Range
summary_range (const Table *table, const char *part, const char *whole)
{
  Range range = { INFINITY, -INFINITY, 0, 0, 0 };
  for (guint r = 0; table && r < table->rows->len; r++) {
    double v = summary_value (table, r, part) / (whole ? summary_value (table, r, whole) : 1);
    if (!isfinite (v))
      continue;
    if (v < range.least)
      range.least = v, range.at_least = r;
    if (v > range.most)
      range.most = v, range.at_most = r;
    range.n++;
  }
  return range;
}

/* Several devices: the answer is the least, and what follows says until where. */
void
summary_add_range (Table *to, const char *question, const char *range, const char *of)
{
  const char *until = range ? strstr (range, " to ") : NULL;
  if (!until) {
    summary_add (to, question, range, of);
    return;
  }
  g_autofree char *least = g_strndup (range, (gsize) (until - range));
  g_autofree char *where = g_strdup_printf ("%s; %s", until + 1, of);
  summary_add (to, question, least, where);
}

char *
summary_range_text (Table *to, const Range *range, const char *unit)
{
  if (range->n == 0)
    return NULL;
  g_autofree char *least = summary_scaled (to, unit, range->least),
                  *most = summary_scaled (to, unit, range->most);
  return g_str_equal (least, most) ? g_steal_pointer (&most)
                                   : g_strdup_printf ("%s to %s", least, most);
}

double
summary_part (const DeviceSteps *d, Part part)
{
  double window = answers_mean (d, PART_WINDOW);
  return window > 0 ? answers_mean (d, part) / window : 0;
}
