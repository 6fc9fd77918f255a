/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - gives conditions on rows of a table their meaning. */

#include "table/condition.h"

#include <nprof/units.h>
#include <stdlib.h>
#include <string.h>

void
np_table_condition_clear (NpTableCondition *c)
{
  np_filter_clear (&c->filter);
  g_clear_pointer (&c->columns, g_free);
}

/* Bytes are shown in powers of two, and asked for in those of ten as well. */
static const struct nprof_unit_step decimal_bytes[]
    = { { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 }, { "TB", 1e12 }, { NULL, 0 } };

static double
size_among (const struct nprof_unit_step *step, const char *given)
{
  while (step && step->suffix && strcmp (step->suffix, given))
    step++;
  return step && step->suffix ? step->size : 0;
}

/* Returns how many of the column's unit one of the given unit is; 0: it is none. */
static double
size_of (const char *given, const char *unit)
{
  if (!strcmp (unit, "1") && !strcmp (given, "%"))
    return 0.01;
  const double size = size_among (nprof_unit_steps (unit), given);
  return size > 0 || strcmp (unit, "byte") ? size : size_among (decimal_bytes, given);
}

/* Makes a value with a unit what the column holds: "100us" of a time is 100000000 ps, "60 %" of a
 * ratio 0.6. A number without a unit is as the column has it. */
static void
convert (struct np_want *want, const char *unit)
{
  gint64 ps;
  char *end, number[G_ASCII_DTOSTR_BUF_SIZE];
  if (want->is_number || want->n != 1 || want->op == NP_LIKE)
    return;
  double value = np_number_read (want->text, &end),
         size = end > want->text ? size_of (end + strspn (end, " "), unit) : 0;
  if (size <= 0)
    return;
  if (!strcmp (unit, "ps") && np_time_read (want->text, "ns", &ps) == NP_TIME_READ)
    g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, ps); /* exactly */
  else
    g_ascii_dtostr (number, sizeof number, size < 1 ? value / 100 : value * size);
  free (want->text);
  want->text = strdup (number);
  want->number = np_number_read (number, &end);
  want->is_number = TRUE;
  want->is_decimal = np_decimal_read (number, strlen (number), &want->decimal);
}

/* Says which units a number of that unit may have. */
static void
say_units (char why[160], const char *unit)
{
  const struct nprof_unit_step *step = nprof_unit_steps (unit);
  if (!step) {
    g_strlcpy (why, strcmp (unit, "1") ? "a number" : "a number, or a share in %", 160);
    return;
  }
  g_strlcpy (why, "a number, perhaps with one of", 160);
  for (; step->suffix; step++)
    g_snprintf (why + strlen (why), 160 - strlen (why), " %s", step->suffix);
  for (step = decimal_bytes; step->suffix && !strcmp (unit, "byte"); step++)
    g_snprintf (why + strlen (why), 160 - strlen (why), " %s", step->suffix);
}

/* Says what else the column would be compared with; FALSE: it can be with this. */
static gboolean
is_wrong (const struct np_want *want, const struct nprof_table_column *column, char why[160])
{
  if (want->op <= NP_LIKE)
    return FALSE;
  if (column->type < NPROF_INT64 || column->type > NPROF_BOOL)
    g_strlcpy (why, "=, != or ~, as the column is a text", 160);
  else if (want->is_number)
    return FALSE;
  else
    say_units (why, column->unit);
  return TRUE;
}

/* Returns whether it is the column's name, or that without the unit at the end of a time's, as
 * people see it above the column. */
static gboolean
is_called (const struct nprof_table_column *column, const char *field)
{
  gsize len = strlen (field);
  if (strncmp (column->name, field, len))
    return FALSE;
  return !column->name[len]
         || (!strcmp (column->unit, "ps")
             && (!strcmp (column->name + len, "_ns") || !strcmp (column->name + len, "_ps")));
}

/* Returns the number of the column, that of the NULL at the end where there is none; dur is short
 * for duration, as of rows. */
static guint
column_of (const struct nprof_table *schema, const char *field)
{
  guint column = 0;
  while (schema->columns[column] && !is_called (schema->columns[column], field))
    column++;
  return schema->columns[column] || strcmp (field, "dur") ? column
                                                          : column_of (schema, "duration");
}

static gboolean
find_column (NpTableCondition *c, const struct nprof_table *schema, enum np_bare bare, guint32 i,
             char why[160], guint32 *at)
{
  struct np_filter_term *term = &c->filter.terms[i];
  const guint column = column_of (schema, term->field);
  const struct nprof_table_column *described = schema->columns[column];
  *at = term->field_at;
  if (!described) {
    g_snprintf (why, 160, "a column of the table, which has no %.100s", term->field);
    return FALSE;
  }
  c->columns[i] = column;
  gboolean is_bare = term->want.is_number && term->want.number != 0;
  convert (&term->want, described->unit);
  *at = term->value_at;
  if (is_wrong (&term->want, described, why))
    return FALSE;
  if (bare != NP_BARE_NO_TIME || !is_bare || term->want.op == NP_LIKE
      || strcmp (described->unit, "ps"))
    return TRUE;
  g_strlcpy (why, "a time with its unit: ps, ns, us, ms or s", 160);
  return FALSE;
}

gboolean
np_table_condition_parse (NpTableCondition *c, const struct nprof_table *schema, enum np_bare bare,
                          const char *text, char why[160], guint32 *at)
{
  c->columns = NULL;
  if (!np_filter_parse (text, NP_FILTER_TERMS, &c->filter, why, at))
    return FALSE;
  c->columns = g_new (guint, c->filter.n_terms + 1);
  for (guint32 i = 0; i < c->filter.n_terms; i++)
    if (!find_column (c, schema, bare, i, why, at)) {
      np_table_condition_clear (c);
      return FALSE;
    }
  return TRUE;
}

/* -- Comparing ---------------------------------------------------------------------------- */

/* Compares with true or false, of which flags are columns of numbers. */
static gboolean
flag_fits (const struct nprof_cell *cell, const char *value)
{
  return !strcmp (value, np_cell_number (cell) != 0 ? "true" : "false");
}

static gboolean
number_fits (const struct nprof_cell *cell, const struct np_want *want)
{
  if (want->op <= NP_LIKE && want->n == 1 && flag_fits (cell, want->text))
    return TRUE;
  switch (cell->type) {
  case NPROF_INT64:
    return np_match_int (want, cell->v.i);
  case NPROF_DOUBLE:
    return np_match_double (want, cell->v.f);
  default:
    return np_match_uint (want, cell->v.u);
  }
}

static gboolean
wants_nothing (const struct np_want *want)
{
  return want->op == NP_EQUAL && !want->deny && want->n == 1 && !*want->text;
}

gboolean
np_cell_fits (const struct nprof_cell *cell, const struct np_want *want)
{
  guint32 len;
  if (cell->type == NPROF_NULL)
    return wants_nothing (want);
  if (np_cell_is_number (cell))
    return number_fits (cell, want) != (want->op <= NP_LIKE && want->deny);
  const char *text = np_cell_text (cell, &len);
  return want->op <= NP_LIKE && np_match_text (want, text, len) != want->deny;
}

gboolean
np_table_condition_fits (const NpTableCondition *c, const NpTable *table, guint64 row)
{
  const struct np_filter *f = &c->filter;
  for (guint32 i = 0, part = 0; i < f->n; part = f->ends[i++]) {
    gboolean all = TRUE;
    for (; all && part < f->ends[i]; part++) {
      struct np_want want = np_filter_want (f, &f->parts[part]);
      struct nprof_cell cell = np_table_cell (table, row, (int) c->columns[f->parts[part].term]);
      all = np_cell_fits (&cell, &want);
    }
    if (all)
      return TRUE;
  }
  return FALSE;
}
