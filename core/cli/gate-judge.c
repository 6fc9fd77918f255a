/* SPDX-License-Identifier: Apache-2.0 */
/* gate-judge.c - matches rows, compares numbers, names what is unknown. */

#include "cli/gate-judge.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/suggest.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const NpGateExpr *expr;
  const NpStoredTable *stored;
  const char *const *tables; /* that there are */
  guint column;
  int over, plus, other, gaps;  /* columns, or -1 */
  const NpStoredTable *devices; /* NULL: none */
  guint64 gaps_of_run;          /* counts for tables that have no gaps of their own */
  gboolean losses;
  long double scale; /* one of the cell in ps, bytes ... */
  long double limit;
  gboolean exact;     /* the cells are whole numbers */
  gboolean bare_time; /* a time, and the limit has no unit: ns */
  GPtrArray *verdicts;
} Judge;

static void
verdict_free (gpointer data)
{
  NpGateVerdict *verdict = data;
  g_free (verdict->what);
  g_free (verdict->value);
  g_free (verdict->why);
  g_free (verdict);
}

static NpGateVerdict *
add_verdict (GPtrArray *verdicts, const NpGateExpr *expr, NpGateState state, char *what, char *why)
{
  NpGateVerdict *verdict = g_new0 (NpGateVerdict, 1);
  verdict->expr = expr;
  verdict->state = state;
  verdict->what = what;
  verdict->why = why;
  g_ptr_array_add (verdicts, verdict);
  return verdict;
}

/* -- Columns and units --------------------------------------------------------- */

static gboolean
no_column (const NpStoredTable *stored, const char *name, GError **error)
{
  g_autofree const char **names = g_new0 (const char *, stored->n_columns + 1);
  for (guint c = 0; c < stored->n_columns; c++)
    names[c] = stored->table->columns[c]->name;
  g_autofree char *all = g_strjoinv (", ", (char **) names);
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "table %s has no column \"%s\": it has %s",
               stored->table->name, name, all);
  return FALSE;
}

static gboolean
is_number (guint type)
{
  return type == NPROF_INT64 || type == NPROF_UINT64 || type == NPROF_DOUBLE;
}

static gboolean
wrong_unit (const Judge *j, const char *needs, GError **error)
{
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "\"%s\": the limit is \"%s\", but column %s %s",
               j->expr->text, j->expr->limit_unit, j->expr->column, needs);
  return FALSE;
}

static gboolean
no_ratio (const Judge *j, GError **error)
{
  g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
               "\"%s\": the limit is \"%s\", but the value is a ratio: write 40%% or 0.4",
               j->expr->text, j->expr->limit_unit);
  return FALSE;
}

/* Sets scale and limit so that both sides are in one unit. */
static gboolean
find_unit (Judge *j, GError **error)
{
  const struct nprof_table_column *column = j->stored->table->columns[j->column];
  NpGateUnit unit = j->expr->unit;
  j->limit = j->expr->limit;
  j->scale = 1;
  j->exact = j->over < 0 && !j->expr->mean && column->type != NPROF_DOUBLE;
  if (j->expr->word)
    return TRUE;
  if (!is_number (column->type))
    return wrong_unit (j, "holds no numbers", error);
  if (j->over >= 0)
    return unit == NP_GATE_PLAIN || unit == NP_GATE_RATIO || no_ratio (j, error);
  if (g_str_equal (column->unit, "ps") || g_str_equal (column->unit, "ns")) {
    j->scale = column->unit[0] == 'n' ? 1000 : 1;
    j->bare_time = unit == NP_GATE_PLAIN; /* as the name of the column says */
    j->limit *= j->bare_time ? 1000 : 1;
    return (unit == NP_GATE_PLAIN && (!j->expr->is_short || j->limit == 0)) || unit == NP_GATE_TIME
           || wrong_unit (j, "is a time: write 2ms", error);
  }
  if (unit == NP_GATE_TIME || (unit == NP_GATE_BYTES && !g_str_equal (column->unit, "byte")))
    return wrong_unit (j, "has another unit", error);
  return unit != NP_GATE_RATIO || g_str_equal (column->unit, "1")
         || wrong_unit (j, "is no ratio", error);
}

static gboolean
find_columns (Judge *j, GError **error)
{
  g_autofree char *time = g_strconcat (j->expr->column, "_ns", NULL);
  int column = np_stored_column (j->stored, j->expr->column);
  if (column < 0 && j->expr->is_short)
    column = np_stored_column (j->stored, time);
  if (column < 0)
    return no_column (j->stored, j->expr->column, error);
  j->column = (guint) column;
  j->over = j->expr->over ? np_stored_column (j->stored, j->expr->over) : -1;
  j->plus = j->expr->plus ? np_stored_column (j->stored, j->expr->plus) : -1;
  j->other = j->expr->other ? np_stored_column (j->stored, j->expr->other) : -1;
  j->gaps = np_stored_column (j->stored, "gaps");
  for (guint i = 0; i < j->expr->matches->len; i++) {
    const NpGateMatch *match = g_ptr_array_index (j->expr->matches, i);
    if (np_stored_column (j->stored, match->key) < 0)
      return no_column (j->stored, match->key, error);
  }
  return find_unit (j, error);
}

/* -- Rows ---------------------------------------------------------------------- */

/* Returns the text as people see it; "" where it is unknown. */
static char *
cell_text (const struct nprof_cell *cell)
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
column_matches (const NpStoredTable *stored, guint row, const char *column, const char *glob)
{
  int c = np_stored_column (stored, column);
  if (c < 0)
    return FALSE;
  const struct nprof_cell *cell = np_stored_cell (stored, row, (guint) c);
  g_autofree char *text = cell_text (cell);
  if (cell->type == NPROF_BOOL && np_glob_match (glob, cell->v.u ? "1" : "0", 1))
    return TRUE;
  return np_glob_match (glob, text, strlen (text));
}

/* Tells whether the row is of a device: allocators of hosts begin with CPU; other rows name their
 * device. */
static gboolean
is_of_device (const Judge *j, guint row)
{
  int device = np_stored_column (j->stored, "device"),
      allocator = np_stored_column (j->stored, "allocator");
  if (allocator >= 0) {
    const char *name = np_stored_text (j->stored, row, (guint) allocator);
    return !name || g_ascii_strncasecmp (name, "cpu", 3) != 0;
  }
  int of = j->devices ? np_stored_column (j->devices, "device") : -1;
  for (guint r = 0; device >= 0 && of >= 0 && r < j->devices->n_rows; r++)
    if (!g_strcmp0 (np_stored_text (j->devices, r, (guint) of),
                    np_stored_text (j->stored, row, (guint) device)))
      return TRUE;
  return device < 0 || of < 0 || j->devices->n_rows == 0;
}

static gboolean
row_matches (const Judge *j, guint row)
{
  if (j->expr->of_devices && !is_of_device (j, row))
    return FALSE;
  for (guint i = 0; i < j->expr->matches->len; i++) {
    const NpGateMatch *match = g_ptr_array_index (j->expr->matches, i);
    gboolean holds = column_matches (j->stored, row, match->key, match->glob);
    if (!holds && g_str_equal (match->key, "track"))
      holds = column_matches (j->stored, row, "process", match->glob)
              || column_matches (j->stored, row, "thread", match->glob);
    if (!holds)
      return FALSE;
  }
  return TRUE;
}

/* Returns the key columns that are known, as "matmul, track 5"; the input where there are no
 * others. */
static char *
row_name (const NpStoredTable *stored, guint row)
{
  GString *name = g_string_new (NULL);
  for (guint c = 1; c < stored->n_columns; c++) {
    if (stored->table->columns[c]->role != NPROF_ROLE_KEY)
      continue;
    const struct nprof_cell *cell = np_stored_cell (stored, row, c);
    g_autofree char *text = cell_text (cell);
    if (!*text)
      continue;
    g_string_append (name, name->len ? ", " : "");
    if (is_number (cell->type))
      g_string_append_printf (name, "%s ", stored->table->columns[c]->name);
    g_string_append (name, text);
  }
  const char *input = np_stored_text (stored, row, 0);
  if (!name->len && input)
    g_string_append (name, input);
  return g_string_free (name, FALSE);
}

/* Returns FALSE when it is unknown. */
static gboolean
cell_number (const struct nprof_cell *cell, long double *value)
{
  *value = cell->type == NPROF_INT64    ? (long double) cell->v.i
           : cell->type == NPROF_UINT64 ? (long double) cell->v.u
           : cell->type == NPROF_DOUBLE ? (long double) cell->v.f
                                        : NAN;
  return isfinite (*value);
}

/* Takes the cell apart into value and divisor; *over is 1 where nothing is to be divided by. */
static gboolean
parts_of (const Judge *j, guint row, long double *value, long double *over)
{
  long double other = 0, plus = 0;
  *over = 1;
  if (!cell_number (np_stored_cell (j->stored, row, j->column), value)
      || (j->other >= 0
          && !cell_number (np_stored_cell (j->stored, row, (guint) j->other), &other)))
    return FALSE;
  *value = (*value + j->expr->sign * other) * j->scale;
  if (j->over < 0)
    return TRUE;
  if (!cell_number (np_stored_cell (j->stored, row, (guint) j->over), over)
      || (j->plus >= 0 && !cell_number (np_stored_cell (j->stored, row, (guint) j->plus), &plus)))
    return FALSE;
  *over += plus;
  return *over != 0;
}

static gboolean
value_of (const Judge *j, guint row, long double *value)
{
  long double over;
  if (!parts_of (j, row, value, &over))
    return FALSE;
  *value /= over;
  return TRUE;
}

/* Rounds both sides alike: a cell of 0.1806, which is a double and lies a little beside it, meets
 * the limit 0.1806.  Whole numbers of ps and bytes stay exact. */
static long double
comparable (const Judge *j, long double x)
{
  long double whole = roundl (x);
  if (!j->exact)
    return (double) x;
  return fabsl (x - whole) <= 4 * LDBL_EPSILON * fabsl (x) ? whole : x;
}

static gboolean
is_met (const Judge *j, long double found)
{
  long double value = comparable (j, found), limit = comparable (j, j->limit);
  switch (j->expr->op) {
  case NP_GATE_LT:
    return value < limit;
  case NP_GATE_LE:
    return value <= limit;
  case NP_GATE_GT:
    return value > limit;
  case NP_GATE_GE:
    return value >= limit;
  case NP_GATE_EQ:
    return value == limit;
  default:
    return value != limit;
  }
}

/* Counts missing events: they may be those that would not have met the limit. */
static guint64
gaps_at (const Judge *j, guint row)
{
  long double gaps;
  if (j->gaps >= 0 && cell_number (np_stored_cell (j->stored, row, (guint) j->gaps), &gaps))
    return (guint64) gaps;
  return j->gaps_of_run;
}

/* Prints four digits, or as many as the whole part has or the verdict needs to be seen. */
static char *
four_digits (const Judge *j, long double value, long double size)
{
  char text[64];
  long double whole = roundl (fabsl (value / size));
  for (int digits = CLAMP (whole < 1 ? 1 : (int) log10l (whole) + 1, 4, DBL_DIG);; digits++) {
    g_snprintf (text, sizeof text, "%.*Lg", digits, value / size);
    if (digits >= DBL_DIG || is_met (j, strtold (text, NULL) * size) == is_met (j, value))
      return g_strdup (text);
  }
}

/* Prints a value (ps, bytes ...) in the unit that the limit is written in; a time in ns where it has
 * none.  Whole numbers show all their digits. */
static char *
in_unit_of_limit (const Judge *j, long double value)
{
  const char *unit = j->expr->limit_unit;
  long double size = j->bare_time ? 1000 : np_gate_unit_size (unit);
  long double shown = value / size;
  if (j->exact && shown == roundl (shown))
    return g_strdup_printf ("%.0Lf%s", shown, j->bare_time ? "ns" : unit);
  g_autofree char *text
      = j->exact ? g_strdup_printf ("%.*Lg", LDBL_DIG, shown) : four_digits (j, value, size);
  return g_strconcat (text, j->bare_time ? "ns" : unit, NULL);
}

/* Judges a value; NULL is unknown.  `what` is transfer full. */
static void
judge_value (const Judge *j, guint row, char *what, const long double *known)
{
  NpGateVerdict *v = add_verdict (j->verdicts, j->expr, NP_GATE_UNDECIDED, what, NULL);
  if (!known) {
    v->why = g_strdup ("the value is unknown");
    return;
  }
  long double value = *known;
  v->value = in_unit_of_limit (j, value);
  guint64 gaps = gaps_at (j, row);
  if (j->losses)
    v->why = g_strdup ("some records could not be read");
  else if (gaps)
    v->why = g_strdup_printf ("events are missing (%" G_GUINT64_FORMAT " gap%s)", gaps,
                              gaps == 1 ? "" : "s");
  else
    v->state = is_met (j, value) ? NP_GATE_MET : NP_GATE_NOT_MET;
}

/* Judges a verdict, and tells what it rests on where it is unknown. */
static void
judge_word (const Judge *j, guint row)
{
  const char *found = np_stored_text (j->stored, row, j->column);
  int evidence = np_stored_column (j->stored, "evidence");
  NpGateVerdict *v
      = add_verdict (j->verdicts, j->expr, NP_GATE_UNDECIDED, row_name (j->stored, row), NULL);
  if (!found || g_str_equal (found, "unknown")) {
    v->why = evidence < 0 ? g_strdup ("the value is unknown")
                          : g_strdup (np_stored_text (j->stored, row, (guint) evidence));
    return;
  }
  v->value = g_strdup (found);
  if (j->losses)
    v->why = g_strdup ("some records could not be read");
  else
    v->state = g_str_equal (found, j->expr->word) == (j->expr->op == NP_GATE_EQ) ? NP_GATE_MET
                                                                                 : NP_GATE_NOT_MET;
}

static void
judge_row (const Judge *j, guint row)
{
  if (j->expr->word) {
    judge_word (j, row);
    return;
  }
  long double value;
  gboolean known = value_of (j, row, &value);
  judge_value (j, row, row_name (j->stored, row), known ? &value : NULL);
}

/* -- Means over steps ---------------------------------------------------------- */

typedef struct {
  guint row; /* the first */
  long double sum, over;
  guint n;
} Mean;

static gboolean
same_text (const NpStoredTable *stored, guint a, guint b, const char *column)
{
  guint c = (guint) np_stored_column (stored, column);
  return !g_strcmp0 (np_stored_text (stored, a, c), np_stored_text (stored, b, c));
}

static Mean *
mean_of (const Judge *j, GArray *means, guint row)
{
  for (guint i = 0; i < means->len; i++) {
    Mean *mean = &g_array_index (means, Mean, i);
    if (same_text (j->stored, mean->row, row, "input")
        && same_text (j->stored, mean->row, row, "device"))
      return mean;
  }
  g_array_append_val (means, ((Mean){ row, 0, 0, 0 }));
  return &g_array_index (means, Mean, means->len - 1);
}

/* These are the choices of rows: steps that the profile did not cut; those that it did cut where
 * there are no others; the whole span where the file has no steps. */
enum { WHOLE_STEPS, CUT_STEPS, SPAN, CHOICES };

static gboolean
counts (const Judge *j, guint row, guint choice)
{
  int step = np_stored_column (j->stored, "step"), cut = np_stored_column (j->stored, "cut");
  gboolean named = np_stored_cell (j->stored, row, (guint) step)->type != NPROF_NULL;
  if (choice == SPAN)
    return !named && j->expr->or_span;
  return named && (choice == CUT_STEPS || !np_stored_cell (j->stored, row, (guint) cut)->v.u);
}

static char *
mean_name (const Judge *j, const Mean *mean, guint choice)
{
  const char *device
      = np_stored_text (j->stored, mean->row, (guint) np_stored_column (j->stored, "device"));
  if (choice == SPAN)
    return g_strdup_printf ("%s, no steps: its span", device ? device : "-");
  return g_strdup_printf ("%s, mean of %u step%s", device ? device : "-", mean->n,
                          mean->n == 1 ? "" : "s");
}

static void
judge_steps (const Judge *j, guint choice)
{
  g_autoptr (GArray) means = g_array_new (FALSE, FALSE, sizeof (Mean));
  long double value, over;
  for (guint row = 0; row < j->stored->n_rows; row++) {
    if (!counts (j, row, choice) || !parts_of (j, row, &value, &over))
      continue;
    Mean *mean = mean_of (j, means, row);
    mean->sum += value;
    mean->over += over;
    mean->n++;
  }
  for (guint i = 0; i < means->len; i++) {
    const Mean *mean = &g_array_index (means, Mean, i);
    value = mean->sum / mean->over;
    judge_value (j, mean->row, mean_name (j, mean, choice), &value);
  }
}

/* -- Expressions --------------------------------------------------------------- */

static char *
no_table (const Judge *j)
{
  const char *near = np_suggest (j->expr->table, j->tables);
  g_autofree char *all = g_strjoinv (", ", (char **) j->tables);
  return g_strdup_printf ("this run has no table %s%s%s%s: there are %s", j->expr->table,
                          near ? " (did you mean " : "", near ? near : "", near ? "?)" : "", all);
}

/* Says what a program would have to record. */
static const char *
recording (const char *table)
{
  static const struct {
    const char *table, *option;
  } options[] = { { "memory", ": with PyTorch record with profile_memory=True" },
                  { "modules", ": with PyTorch record with with_stack=True" },
                  { "bound", ": no work of a device is in the file" },
                  { "step_breakdown", ": no work of a device is in the file" } };
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (g_str_equal (options[i].table, table))
      return options[i].option;
  return "";
}

static gboolean
judge_expression (Judge *j, GError **error)
{
  guint before = j->verdicts->len;
  if (!j->stored) {
    add_verdict (j->verdicts, j->expr, NP_GATE_UNDECIDED, g_strdup (""), no_table (j));
    return TRUE;
  }
  if (!find_columns (j, error))
    return FALSE;
  for (guint row = 0; !j->expr->mean && row < j->stored->n_rows; row++)
    if (row_matches (j, row))
      judge_row (j, row);
  for (guint choice = 0; j->expr->mean && choice < CHOICES && j->verdicts->len == before; choice++)
    judge_steps (j, choice);
  if (j->verdicts->len == before)
    add_verdict (j->verdicts, j->expr, NP_GATE_UNDECIDED, g_strdup (""),
                 g_strdup_printf ("nothing in table %s matches%s", j->expr->table,
                                  recording (j->expr->table)));
  return TRUE;
}

GPtrArray *
np_gate_judge (GPtrArray *exprs, const NpCollected *run, const char *const *tables, gboolean losses,
               GError **error)
{
  g_autoptr (GPtrArray) verdicts = g_ptr_array_new_with_free_func (verdict_free);
  for (guint i = 0; i < exprs->len; i++) {
    const NpGateExpr *expr = g_ptr_array_index (exprs, i);
    Judge j = { .expr = expr,
                .stored = np_table_store_find (run->tables, expr->table),
                .devices = np_table_store_find (run->tables, "devices"),
                .tables = tables,
                .gaps_of_run = run->gaps,
                .losses = losses,
                .verdicts = verdicts };
    if (!judge_expression (&j, error))
      return NULL;
  }
  return g_steal_pointer (&verdicts);
}

int
np_gate_status (GPtrArray *verdicts, gboolean undecided_ok)
{
  for (guint i = 0; i < verdicts->len; i++) {
    NpGateState state = ((const NpGateVerdict *) g_ptr_array_index (verdicts, i))->state;
    if (state == NP_GATE_NOT_MET || (state == NP_GATE_UNDECIDED && !undecided_ok))
      return NP_EXIT_GATE;
  }
  return NP_EXIT_OK;
}
