/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - finds the columns of a demand, brings them and the limit into one unit, and matches
 * rows. */

#include "gate/rows.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/suggest.h"
#include "system/operator-levels.h"

#include <math.h>
#include <nprof/sdk.h>
#include <string.h>

/* -- Columns and units --------------------------------------------------------- */

static gboolean
no_column (const NpTable *stored, const char *name, GError **error)
{
  g_autofree const char **names = g_new0 (const char *, stored->n_columns + 1);
  for (guint c = 0; c < stored->n_columns; c++)
    names[c] = stored->schema->columns[c]->name;
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  g_autofree char *hint = np_suggestion (np_suggest (name, names));
  return np_error_set (error, NP_EXIT_USAGE, "table %s has no column \"%s\"%s it has %s",
                       stored->schema->name, name, *hint ? hint : ":", all);
}

static gboolean
is_number (guint type)
{
  return type == NPROF_INT64 || type == NPROF_UINT64 || type == NPROF_DOUBLE;
}

static gboolean
wrong_unit (const NpGateRows *r, const char *needs, GError **error)
{
  return np_error_set (error, NP_EXIT_USAGE, "\"%s\": the limit is \"%s\", but column %s %s",
                       r->expr->text, r->expr->limit_unit, r->expr->column, needs);
}

/* The unit is missing, or is none of time. */
static gboolean
no_time (const NpGateRows *r, GError **error)
{
  if (*r->expr->limit_unit)
    return wrong_unit (r, "is a time: write 2ms", error);
  return np_error_set (
      error, NP_EXIT_USAGE,
      "\"%s\": the limit is %Lg without a unit, but column %s is a time: write %Lgms, or "
      "%Lg and ps, ns, us, s or min",
      r->expr->text, r->expr->limit, r->expr->column, r->expr->limit, r->expr->limit);
}

static gboolean
no_ratio (const NpGateRows *r, GError **error)
{
  return np_error_set (error, NP_EXIT_USAGE,
                       "\"%s\": the limit is \"%s\", but the value is a ratio: write 40%% or 0.4",
                       r->expr->text, r->expr->limit_unit);
}

/* A share of 45 without its % is hardly meant as 4500 %: such a demand would always be met, or
 * never. */
static gboolean
check_share (const NpGateRows *r, GError **error)
{
  if (r->expr->unit != NP_GATE_PLAIN || fabsl (r->expr->limit) <= 1)
    return TRUE;
  return np_error_set (
      error, NP_EXIT_USAGE,
      "\"%s\": the limit is %Lg, but the value is a share, 1 at 100%%: write %Lg%% or %Lg%%",
      r->expr->text, r->expr->limit, r->expr->limit, 100 * r->expr->limit);
}

/* Sets scale and limit so that both sides are in one unit. */
static gboolean
find_unit (NpGateRows *r, GError **error)
{
  const struct nprof_table_column *column = r->stored->schema->columns[r->column];
  NpGateUnit unit = r->expr->unit;
  r->limit = r->expr->limit;
  r->scale = 1;
  r->exact = r->over < 0 && !r->expr->mean && column->type != NPROF_DOUBLE;
  if (r->expr->word)
    return TRUE;
  if (!is_number (column->type))
    return wrong_unit (r, "holds no numbers", error);
  if (r->expr->of_base > 0) {
    r->scale = r->over < 0 && g_str_equal (column->unit, "ns") ? 1000 : 1;
    return TRUE;
  }
  if ((r->over >= 0 || g_str_equal (column->unit, "1")) && !check_share (r, error))
    return FALSE;
  if (r->over >= 0)
    return unit == NP_GATE_PLAIN || unit == NP_GATE_RATIO || no_ratio (r, error);
  if (g_str_equal (column->unit, "ps") || g_str_equal (column->unit, "ns")) {
    r->scale = column->unit[0] == 'n' ? 1000 : 1;
    r->bare_time = unit == NP_GATE_PLAIN; /* as the name of the column says */
    r->limit *= r->bare_time ? 1000 : 1;
    return (unit == NP_GATE_PLAIN && (!r->expr->is_short || r->limit == 0)) || unit == NP_GATE_TIME
           || no_time (r, error);
  }
  if (unit == NP_GATE_TIME || (unit == NP_GATE_BYTES && !g_str_equal (column->unit, "byte")))
    return wrong_unit (r,
                       g_str_equal (column->unit, "byte") ? "is in bytes: write 5GB"
                       : g_str_equal (column->unit, "1")  ? "is a share: write 45%"
                                                          : "has no such unit: give a bare number",
                       error);
  return unit != NP_GATE_RATIO || g_str_equal (column->unit, "1")
         || wrong_unit (r, "is no ratio", error);
}

/* Returns the column; of short demands "device" is a time, device_ns, and not the name of one. */
static int
find_column (const NpGateRows *r)
{
  g_autofree char *name = g_strconcat (r->expr->column, "_ns", NULL);
  int column = np_table_column (r->stored, r->expr->column),
      time = r->expr->is_short ? np_table_column (r->stored, name) : -1;
  if (time < 0 || (column >= 0 && is_number (r->stored->schema->columns[column]->type)))
    return column;
  return time;
}

static gboolean
read_condition (NpGateRows *r, GError **error)
{
  char why[160];
  guint32 at;
  const char *text = r->expr->condition;
  if (!text
      || np_table_condition_parse (&r->condition, r->stored->schema, NP_BARE_NO_TIME, text, why,
                                   &at))
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE, "\"%s\": at character %u of [%s]: expected %s",
                       r->expr->text, at + 1, text, why);
}

void
np_gate_rows_clear (NpGateRows *r)
{
  np_table_condition_clear (&r->condition);
}

/* Returns the key column behind input and device; NULL: there is none. */
static const char *
own_key (const struct nprof_table *schema)
{
  for (guint c = 1; schema->columns[c]; c++) {
    const struct nprof_table_column *column = schema->columns[c];
    if (column->role == NPROF_ROLE_KEY && !g_str_equal (column->name, "device"))
      return column->name;
  }
  return NULL;
}

static gboolean
is_moment (const char *column)
{
  return g_str_equal (column, "start_ns") || g_str_equal (column, "end_ns");
}

/* A duration is what a limit is mostly about. */
static const char *
first_value (const struct nprof_table *schema)
{
  const char *first = NULL;
  for (guint c = 1; schema->columns[c]; c++) {
    const struct nprof_table_column *column = schema->columns[c];
    if (column->role != NPROF_ROLE_VALUE || !is_number (column->type) || is_moment (column->name))
      continue;
    if (g_str_equal (column->unit, "ps"))
      return column->name;
    first = first ? first : column->name;
  }
  return first;
}

char *
np_gate_form (const struct nprof_table *schema, const char *name)
{
  const char *value = first_value (schema);
  gboolean many = own_key (schema) != NULL;
  if (!value)
    return NULL;
  GString *form = g_string_new (NULL);
  g_string_printf (form, "%s%s.%s, or another of its numbers", many ? name : schema->name,
                   many ? "['GLOB']" : "", value);
  char comma = ':';
  for (guint c = 1; schema->columns[c]; c++)
    if (schema->columns[c]->role == NPROF_ROLE_VALUE && is_number (schema->columns[c]->type)) {
      g_string_append_printf (form, "%c %s", comma, schema->columns[c]->name);
      comma = ',';
    }
  return g_string_free (form, FALSE);
}

static gboolean
no_key (const NpGateRows *r, GError **error)
{
  const NpGateMatch *match = g_ptr_array_index (r->expr->matches, 0);
  return np_error_set (
      error, NP_EXIT_USAGE,
      "\"%s\": table %s has a row a device, and none that '%s' could mean: write %s.%s",
      r->expr->text, r->stored->schema->name, match->glob, r->stored->schema->name,
      r->expr->column);
}

gboolean
np_gate_rows_find (NpGateRows *r, GError **error)
{
  int column = find_column (r);
  if (column < 0)
    return no_column (r->stored, r->expr->column, error);
  r->column = (guint) column;
  r->over = r->expr->over ? np_table_column (r->stored, r->expr->over) : -1;
  r->plus = r->expr->plus ? np_table_column (r->stored, r->expr->plus) : -1;
  r->doubt = r->expr->doubt ? np_table_column (r->stored, r->expr->doubt) : -1;
  r->gaps = nprof_find_role (r->stored->schema, NPROF_ROLE_DOUBT, NPROF_INT64);
  r->level
      = r->expr->of_list ? nprof_find_role (r->stored->schema, NPROF_ROLE_LEVEL, NPROF_NULL) : -1;
  for (guint i = 0; i < r->expr->matches->len; i++) {
    const NpGateMatch *match = g_ptr_array_index (r->expr->matches, i);
    if (!match->key && !own_key (r->stored->schema))
      return no_key (r, error);
    if (match->key && np_table_column (r->stored, match->key) < 0)
      return no_column (r->stored, match->key, error);
  }
  return read_condition (r, error) && find_unit (r, error);
}

/* -- Rows ---------------------------------------------------------------------- */

char *
np_gate_cell_text (const struct nprof_cell *cell)
{
  switch (cell->type) {
  case NPROF_TEXT:
    return g_strdup (cell->v.text);
  case NPROF_INT64:
    return g_strdup_printf ("%" G_GINT64_FORMAT, cell->v.i);
  case NPROF_UINT64:
    return g_strdup_printf ("%" G_GUINT64_FORMAT, cell->v.u);
  case NPROF_DOUBLE:
    return g_strdup_printf ("%.15g", cell->v.f);
  case NPROF_BOOL:
    return g_strdup (cell->v.u ? "true" : "false");
  default:
    return g_strdup ("");
  }
}

static gboolean
column_matches (const NpTable *stored, guint row, const char *column, const char *glob)
{
  int c = np_table_column (stored, column);
  if (c < 0)
    return FALSE;
  const struct nprof_cell cell = np_table_cell (stored, row, c);
  g_autofree char *text = np_gate_cell_text (&cell);
  if (cell.type == NPROF_BOOL && np_glob_match (glob, cell.v.u ? "1" : "0", 1))
    return TRUE;
  return np_glob_match (glob, text, strlen (text));
}

/* Returns whether the row is of a device: allocators of hosts begin with CPU; other rows name their
 * device. */
static gboolean
is_of_device (const NpGateRows *r, guint row)
{
  int device = np_table_column (r->stored, "device"),
      allocator = np_table_column (r->stored, "allocator");
  if (allocator >= 0) {
    const char *name = np_table_text (r->stored, row, allocator);
    return !name || g_ascii_strncasecmp (name, "cpu", 3) != 0;
  }
  int of = r->devices ? np_table_column (r->devices, "device") : -1;
  for (guint k = 0; device >= 0 && of >= 0 && k < r->devices->n_rows; k++)
    if (!g_strcmp0 (np_table_text (r->devices, k, of), np_table_text (r->stored, row, device)))
      return TRUE;
  return device < 0 || of < 0 || r->devices->n_rows == 0;
}

static gboolean
is_of_operator (const NpTable *stored, guint row, const char *operator)
{
  int c = np_table_column (stored, "operator");
  return !g_strcmp0 (np_table_text (stored, row, c), operator);
}

static gboolean
same_device (const NpTable *stored, guint a, guint b)
{
  int input = np_table_column (stored, "input"), device = np_table_column (stored, "device");
  return !g_strcmp0 (np_table_text (stored, a, input), np_table_text (stored, b, input))
         && !g_strcmp0 (np_table_text (stored, a, device), np_table_text (stored, b, device));
}

/* Returns whether the row is what the first screen calls MFU: of the windows of steps, where table
 * mfu has them, as it does by shapes; else of the whole span. */
static gboolean
is_use (const NpTable *stored, guint row)
{
  if (is_of_operator (stored, row, "(steps)"))
    return TRUE;
  gboolean is = is_of_operator (stored, row, "(total)");
  for (guint k = 0; is && k < stored->n_rows; k++)
    is = !is_of_operator (stored, k, "(steps)") || !same_device (stored, k, row);
  return is;
}

static guint
level_rank (const NpGateRows *r, guint row)
{
  return operator_level_rank (np_table_text (r->stored, row, r->level));
}

/* Returns whether the row is of the level of its device that tells most, because the same time is
 * there at several levels. */
static gboolean
is_of_level (NpGateRows *r, guint row)
{
  if (r->level < 0)
    return TRUE;
  if (!r->level_of || !same_device (r->stored, r->level_of - 1, row)) {
    r->level_of = row + 1;
    r->top_level = 0;
    for (guint k = 0; k < r->stored->n_rows; k++)
      if (same_device (r->stored, k, row))
        r->top_level = MAX (r->top_level, level_rank (r, k));
  }
  guint rank = level_rank (r, row);
  return rank > 0 && rank == r->top_level;
}

gboolean
np_gate_row_matches (NpGateRows *r, guint row)
{
  if (r->expr->of_devices && !is_of_device (r, row))
    return FALSE;
  if (!is_of_level (r, row))
    return FALSE;
  if (r->expr->of_use && !is_use (r->stored, row))
    return FALSE;
  if (r->expr->condition && !np_table_condition_fits (&r->condition, r->stored, row))
    return FALSE;
  for (guint i = 0; i < r->expr->matches->len; i++) {
    const NpGateMatch *match = g_ptr_array_index (r->expr->matches, i);
    const char *key = match->key ? match->key : own_key (r->stored->schema);
    gboolean holds = column_matches (r->stored, row, key, match->glob);
    if (!holds && g_str_equal (key, "track"))
      holds = column_matches (r->stored, row, "process", match->glob)
              || column_matches (r->stored, row, "thread", match->glob);
    if (!holds)
      return FALSE;
  }
  return TRUE;
}

/* Rows of an input stand together. */
static gboolean
has_several_inputs (const NpTable *stored)
{
  return stored->n_rows
         && g_strcmp0 (np_table_text (stored, 0, 0), np_table_text (stored, stored->n_rows - 1, 0));
}

char *
np_gate_row_name (const NpTable *stored, guint row)
{
  const char *input = np_table_text (stored, row, 0);
  GString *name = g_string_new (has_several_inputs (stored) ? input : NULL);
  for (guint c = 1; c < stored->n_columns; c++) {
    if (!nprof_is_key (stored->schema->columns[c]))
      continue;
    const struct nprof_cell cell = np_table_cell (stored, row, (int) c);
    g_autofree char *text = np_gate_cell_text (&cell);
    if (!*text)
      continue;
    g_string_append (name, name->len ? ", " : "");
    if (is_number (cell.type))
      g_string_append_printf (name, "%s ", stored->schema->columns[c]->name);
    g_string_append (name, text);
  }
  if (!name->len && input)
    g_string_append (name, input);
  return g_string_free (name, FALSE);
}

/* Returns FALSE when it is unknown. */
static gboolean
cell_number (struct nprof_cell cell, long double *value)
{
  *value = cell.type == NPROF_INT64    ? (long double) cell.v.i
           : cell.type == NPROF_UINT64 ? (long double) cell.v.u
           : cell.type == NPROF_DOUBLE ? (long double) cell.v.f
                                       : NAN;
  return isfinite (*value);
}

long double
np_gate_row_doubt (const NpGateRows *r, guint row)
{
  long double doubt = 0;
  return cell_number (np_table_cell (r->stored, row, r->doubt), &doubt) ? doubt * r->scale : 0;
}

/* Returns the sum of the columns that are added or taken away; NAN: one of them is unknown. */
static long double
sum_of_others (const NpGateRows *r, guint row)
{
  long double sum = 0, one = 0;
  for (char **other = r->expr->others; other && *other; other++) {
    const int column = np_table_column (r->stored, *other);
    if (column >= 0 && !cell_number (np_table_cell (r->stored, row, column), &one))
      return NAN;
    sum += column >= 0 ? one : 0;
  }
  return sum;
}

gboolean
np_gate_row_value (const NpGateRows *r, guint row, long double *value, long double *over)
{
  const long double others = sum_of_others (r, row);
  long double plus = 0;
  *over = 1;
  if (!cell_number (np_table_cell (r->stored, row, r->column), value) || isnan (others))
    return FALSE;
  *value = (*value + r->expr->sign * others) * r->scale;
  if (r->over < 0)
    return TRUE;
  if (!cell_number (np_table_cell (r->stored, row, r->over), over)
      || (r->plus >= 0 && !cell_number (np_table_cell (r->stored, row, r->plus), &plus)))
    return FALSE;
  *over += plus;
  return *over != 0;
}

gboolean
np_gate_row_gaps (const NpGateRows *r, guint row, guint64 *gaps)
{
  long double known;
  if (!cell_number (np_table_cell (r->stored, row, r->gaps), &known))
    return FALSE;
  *gaps = (guint64) known;
  return TRUE;
}
