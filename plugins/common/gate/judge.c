/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - compares what rows say with the limit, and names what is unknown. */

#include "gate/judge.h"
#include "base/error.h"
#include "gate/rows.h"

#include <float.h>
#include <math.h>
#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  NpGateRows rows;
  const NpGateRun *run;
  const GPtrArray *base; /* verdicts on the baseline; NULL: none */
  GPtrArray *verdicts;
} Judge;

static void
verdict_free (gpointer data)
{
  NpGateVerdict *verdict = data;
  g_free (verdict->what);
  g_free (verdict->value);
  g_free (verdict->base);
  g_free (verdict->place);
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

/* Adds a verdict on a row. */
static NpGateVerdict *
add_of_row (const Judge *j, guint row, char *what)
{
  NpGateVerdict *verdict = add_verdict (j->verdicts, j->rows.expr, NP_GATE_UNDECIDED, what, NULL);
  verdict->stored = j->rows.stored;
  verdict->row = row;
  verdict->of_device = j->rows.expr->mean || j->rows.expr->of_periods;
  return verdict;
}

/* Rounds both sides alike: a cell of 0.1806, which is a double and lies a little beside it, meets
 * the limit 0.1806.  Whole numbers of ps and bytes stay exact. */
static long double
comparable (const Judge *j, long double x)
{
  long double whole = roundl (x);
  if (!j->rows.exact)
    return (double) x;
  return fabsl (x - whole) <= 4 * LDBL_EPSILON * fabsl (x) ? whole : x;
}

static gboolean
is_met (const Judge *j, long double found)
{
  long double value = comparable (j, found), limit = comparable (j, j->rows.limit);
  switch (j->rows.expr->op) {
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

/* Returns the judge with the limit of one verdict, which is of its row where there is a
 * baseline. */
static Judge
with_limit (const Judge *j, const NpGateVerdict *v)
{
  Judge own = *j;
  own.rows.limit = v->limit;
  return own;
}

/* Counts missing events: they may be those that would not have met the limit. */
static guint64
gaps_at (const Judge *j, guint row)
{
  guint64 gaps;
  return np_gate_row_gaps (&j->rows, row, &gaps) ? gaps : j->run->gaps;
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

/* Returns the unit of values that are held against the baseline: the largest of its kind that this
 * one has one of. */
static const char *
unit_beside_base (const Judge *j, long double value)
{
  static const char *const times[] = { "ps", "ns", "us", "ms", "s", NULL }, *const bytes[]
                                                                            = { "B",  "kB", "MB",
                                                                                "GB", "TB", NULL };
  const struct nprof_table_column *column = j->rows.stored->schema->columns[j->rows.column];
  if (j->rows.over >= 0 || g_str_equal (column->unit, "1"))
    return "%";
  const char *const *units = g_str_equal (column->unit, "byte")                     ? bytes
                             : strlen (column->unit) == 2 && column->unit[1] == 's' ? times
                                                                                    : NULL;
  guint i = 0;
  while (units && units[i + 1] && fabsl (value) >= np_gate_unit_size (units[i + 1]))
    i++;
  return units ? units[i] : "";
}

/* Prints a value and that of the baseline in one unit and with as many digits: four, or as many as
 * the verdict needs to be seen. */
static void
show_both (const Judge *j, NpGateVerdict *v)
{
  const long double largest = fmaxl (fabsl (v->number), fabsl (v->base_number));
  v->unit = unit_beside_base (j, largest);
  v->unit_size = np_gate_unit_size (v->unit);
  const long double whole = roundl (largest / v->unit_size);
  char value[64], base[64];
  for (int digits = CLAMP (whole < 1 ? 1 : (int) log10l (whole) + 1, 4, DBL_DIG);; digits++) {
    g_snprintf (value, sizeof value, "%.*Lg", digits, v->number / v->unit_size);
    g_snprintf (base, sizeof base, "%.*Lg", digits, v->base_number / v->unit_size);
    Judge shown = *j;
    shown.rows.limit = strtold (base, NULL) * v->unit_size * v->expr->of_base;
    if (digits >= DBL_DIG
        || is_met (&shown, strtold (value, NULL) * v->unit_size) == is_met (j, v->number))
      break;
  }
  g_free (v->base);
  v->base = g_strconcat (base, v->unit, NULL);
  v->value = g_strconcat (value, v->unit, NULL);
}

/* Prints a value (ps, bytes ...) in the unit that the limit is written in; a time in ns where it
 * has none. Whole numbers show all their digits. */
static void
show_value (const Judge *j, NpGateVerdict *v)
{
  const gboolean of_base = v->expr->of_base > 0;
  v->unit = of_base             ? unit_beside_base (j, v->number)
            : j->rows.bare_time ? "ns"
                                : v->expr->limit_unit;
  v->unit_size = np_gate_unit_size (v->unit);
  const long double shown = v->number / v->unit_size;
  g_autofree char *digits = of_base || !j->rows.exact ? four_digits (j, v->number, v->unit_size)
                            : shown == roundl (shown) ? g_strdup_printf ("%.0Lf", shown)
                                                      : g_strdup_printf ("%.*Lg", LDBL_DIG, shown);
  v->value = g_strconcat (digits, v->unit, NULL);
}

static gboolean
is_known (const Judge *j, guint row, const char *column)
{
  int c = np_table_column (j->rows.stored, column);
  return np_table_cell (j->rows.stored, row, c).type != NPROF_NULL;
}

/* Returns what the row of table abilities says that has the word in a column of words; transfer
 * full.  "": none has, or it does not say why. */
static char *
why_by (const Judge *j, const char *column, const char *word)
{
  const NpTable *abilities = np_table_store_find (j->run->tables, "abilities");
  for (guint row = 0; abilities && row < abilities->n_rows; row++) {
    const char *found = np_table_text (abilities, row, np_table_column (abilities, column)),
               *why = np_table_text (abilities, row, np_table_column (abilities, "why")),
               *record = np_table_text (abilities, row, np_table_column (abilities, "record"));
    g_auto (GStrv) words = g_strsplit (found ? found : "", " ", -1);
    if (why && g_strv_contains ((const char *const *) words, word))
      return g_strconcat (": ", why, record ? "; " : "", record, NULL);
  }
  return g_strdup ("");
}

/* Returns what table mfu needs and does not have; transfer full. */
static char *
why_no_use (const Judge *j, guint row)
{
  const gboolean bytes = g_str_equal (j->rows.expr->column, "mbu");
  g_autofree char *why = why_by (j, "question", "mfu");
  if (bytes && !is_known (j, row, "bytes"))
    return g_strdup ("the bytes that work moves are not in the file");
  if (!bytes && !is_known (j, row, "flops"))
    return g_strconcat ("no flops in the file", why, NULL);
  return g_strdup (bytes ? "no bandwidth of the device is known: give -a mfu:peak_bandwidth=N"
                         : "no peak rate of the device is known: give -a mfu:peak_flops=N");
}

/* Returns why the value of the row is unknown; transfer full. */
static char *
why_unknown (const Judge *j, guint row)
{
  int reason = np_table_column (j->rows.stored, "reason");
  const char *said = np_table_text (j->rows.stored, row, reason);
  if (said && *said)
    return g_strdup (said);
  if (g_str_equal (j->rows.stored->schema->name, "mfu") && is_known (j, row, "operator"))
    return why_no_use (j, row);
  if (j->rows.over >= 0 && is_known (j, row, j->rows.expr->column))
    return g_strdup ("there is nothing that it could be a share of");
  return g_strdup ("the value is unknown");
}

/* Returns by what a row is known in another run: its keys but the input, and of what is of all rows
 * of a device, that alone; transfer full. */
static char *
place_of (const NpGateVerdict *v)
{
  GString *place = g_string_new (NULL);
  for (guint c = 1; c < v->stored->n_columns; c++) {
    const struct nprof_table_column *column = v->stored->schema->columns[c];
    if (v->of_device ? !g_str_equal (column->name, "device") : !nprof_is_key (column))
      continue;
    const struct nprof_cell cell = np_table_cell (v->stored, v->row, (int) c);
    g_autofree char *text = np_gate_cell_text (&cell);
    g_string_append_printf (place, "%s=%s\n", column->name, text);
  }
  return g_string_free (place, FALSE);
}

/* Sets the limit of a verdict from the same row of the baseline. */
static gboolean
find_limit (const Judge *j, NpGateVerdict *v)
{
  v->limit = j->rows.limit;
  if (!(v->expr->of_base > 0))
    return TRUE;
  v->place = place_of (v);
  for (guint i = 0; j->base && i < j->base->len; i++) {
    const NpGateVerdict *b = j->base->pdata[i];
    if (b->expr != v->expr || g_strcmp0 (b->place, v->place))
      continue;
    v->base = g_strdup (b->value);
    v->base_number = b->number;
    v->unit = b->unit;
    v->unit_size = b->unit_size;
    v->limit = b->number * v->expr->of_base;
    v->doubt = b->doubt * v->expr->of_base;
    if (b->value && !b->why)
      return TRUE;
    v->why = g_strdup_printf ("of the baseline: %s", b->why ? b->why : "the value is unknown");
    return FALSE;
  }
  v->why = j->base ? g_strdup ("the baseline has no such row") : NULL;
  return FALSE;
}

/* Judges a value; NULL is unknown.  `what` is transfer full. */
static void
judge_value (const Judge *all, guint row, char *what, const long double *known)
{
  NpGateVerdict *v = add_of_row (all, row, what);
  const gboolean limited = find_limit (all, v);
  if (!known) {
    g_free (v->why);
    v->why = why_unknown (all, row);
    return;
  }
  long double value = *known;
  const Judge own = with_limit (all, v), *j = &own;
  v->number = value;
  if (v->base)
    show_both (j, v);
  else
    show_value (j, v);
  if (!limited && j->base)
    return;
  guint64 gaps = gaps_at (j, row);
  if (j->run->losses)
    v->why = g_strdup ("some records could not be read");
  else if (gaps)
    v->why = g_strdup_printf ("events are missing (%" G_GUINT64_FORMAT " gap%s)", gaps,
                              gaps == 1 ? "" : "s");
  else if (limited)
    v->state = is_met (j, value) ? NP_GATE_MET : NP_GATE_NOT_MET;
}

/* Judges a verdict, and tells what it rests on where it is unknown. */
static void
judge_word (const Judge *j, guint row)
{
  const char *found = np_table_text (j->rows.stored, row, j->rows.column);
  const int sentence = nprof_find_role (j->rows.stored->schema, NPROF_ROLE_NOTE, NPROF_NULL);
  const char *why = sentence < 0 ? NULL : np_table_text (j->rows.stored, row, sentence);
  NpGateVerdict *v = add_of_row (j, row, np_gate_row_name (j->rows.stored, row));
  if (!found || g_str_has_prefix (found, "undetermined")) {
    v->why = g_strdup (why ? why : "the value is unknown");
    return;
  }
  v->value = g_strdup (found);
  if (j->run->losses)
    v->why = g_strdup ("some records could not be read");
  else
    v->state = g_str_equal (found, j->rows.expr->word) == (j->rows.expr->op == NP_GATE_EQ)
                   ? NP_GATE_MET
                   : NP_GATE_NOT_MET;
}

static void
judge_row (const Judge *j, guint row)
{
  if (j->rows.expr->word) {
    judge_word (j, row);
    return;
  }
  long double value, over;
  gboolean known = np_gate_row_value (&j->rows, row, &value, &over);
  value = known ? value / over : 0;
  judge_value (j, row, np_gate_row_name (j->rows.stored, row), known ? &value : NULL);
}

/* -- Means over steps ---------------------------------------------------------- */

typedef struct {
  guint row; /* the first */
  long double sum, over, doubt;
  guint n;
} Mean;

static gboolean
same_text (const NpTable *stored, guint a, guint b, const char *column)
{
  int c = np_table_column (stored, column);
  return !g_strcmp0 (np_table_text (stored, a, c), np_table_text (stored, b, c));
}

static Mean *
mean_of (const Judge *j, GArray *means, guint row)
{
  for (guint i = 0; i < means->len; i++) {
    Mean *mean = &g_array_index (means, Mean, i);
    if (same_text (j->rows.stored, mean->row, row, "input")
        && same_text (j->rows.stored, mean->row, row, "device"))
      return mean;
  }
  g_array_append_val (means, ((Mean){ .row = row }));
  return &g_array_index (means, Mean, means->len - 1);
}

/* These are the choices of rows: steps that the profile did not cut; those that it did cut where
 * there are no others; the whole span where the file has no steps. */
enum { WHOLE_STEPS, CUT_STEPS, SPAN, CHOICES };

static gboolean
counts (const Judge *j, guint row, guint choice)
{
  int step = np_table_column (j->rows.stored, "step"),
      cut = nprof_find_role (j->rows.stored->schema, NPROF_ROLE_DOUBT, NPROF_BOOL);
  gboolean named = np_table_cell (j->rows.stored, row, step).type != NPROF_NULL;
  if (choice == SPAN)
    return !named && j->rows.expr->or_span;
  return named && (choice == CUT_STEPS || !np_table_cell (j->rows.stored, row, cut).v.u);
}

static char *
mean_name (const Judge *j, const Mean *mean, guint choice)
{
  const char *device
      = np_table_text (j->rows.stored, mean->row, np_table_column (j->rows.stored, "device"));
  if (choice == SPAN)
    return g_strdup_printf ("%s, no steps: its span", device ? device : "-");
  return g_strdup_printf ("%s, mean of %u step%s", device ? device : "-", mean->n,
                          mean->n == 1 ? "" : "s");
}

/* Returns whether it is the baseline that is read: what its values are limits of is judged later. */
static gboolean
is_base (const Judge *j)
{
  return j->rows.expr->of_base > 0 && !j->base;
}

/* Returns whether the verdict is the same with so much more of the value, and of the limit. */
static gboolean
stands (const Judge *j, long double value, long double doubt, long double of_limit)
{
  Judge most = *j;
  most.rows.limit += of_limit;
  const gboolean met = is_met (j, value),
                 exact = j->rows.expr->op == NP_GATE_EQ || j->rows.expr->op == NP_GATE_NE;
  return !exact && is_met (j, value + doubt) == met && is_met (&most, value) == met
         && is_met (&most, value + doubt) == met;
}

/* Takes back a verdict that would be another one with the idle time that may be of that cause. */
static void
judge_doubt (const Judge *all, long double value, long double doubt)
{
  NpGateVerdict *v = g_ptr_array_index (all->verdicts, all->verdicts->len - 1);
  const Judge own = with_limit (all, v), *j = &own;
  if (is_base (j)) {
    v->doubt = MAX (doubt, 0);
    return;
  }
  if ((doubt <= 0 && v->doubt <= 0) || v->state == NP_GATE_UNDECIDED
      || stands (j, value, MAX (doubt, 0), v->doubt))
    return;
  v->state = NP_GATE_UNDECIDED;
  g_clear_pointer (&v->value, g_free);
  g_autofree char *why = why_by (j, "question", "idle_causes");
  if (doubt <= 0)
    v->why = g_strdup ("of the baseline: it is idle before work whose launch is not in the file");
  else
    v->why = g_strdup_printf ("%.4Lg %% is idle before work whose launch is not in the file, "
                              "beside %.4Lg %%%s",
                              100 * doubt, 100 * value, why);
}

/* Says what stays unknown of steps that are nothing else. */
static void
judge_left (const Judge *j, const Mean *mean, guint choice)
{
  NpGateVerdict *v = add_of_row (j, mean->row, mean_name (j, mean, choice));
  gboolean idle = g_str_equal (j->rows.expr->others[0], "idle_ns");
  v->why = g_strdup (idle ? "no work in a step: how long it takes is not known"
                          : "nothing else in a step that could hide it");
}

static void
judge_mean (const Judge *j, const Mean *mean, guint choice)
{
  long double value = mean->sum / mean->over;
  if (j->rows.expr->left && value <= 0) {
    judge_left (j, mean, choice);
    return;
  }
  judge_value (j, mean->row, mean_name (j, mean, choice), &value);
  judge_doubt (j, value, mean->doubt / mean->over);
}

static void
judge_steps (const Judge *j, guint choice)
{
  g_autoptr (GArray) means = g_array_new (FALSE, FALSE, sizeof (Mean));
  long double value, over;
  for (guint row = 0; row < j->rows.stored->n_rows; row++) {
    if (!counts (j, row, choice) || !np_gate_row_value (&j->rows, row, &value, &over))
      continue;
    Mean *mean = mean_of (j, means, row);
    mean->sum += value;
    mean->over += over;
    mean->doubt += np_gate_row_doubt (&j->rows, row);
    mean->n++;
  }
  for (guint i = 0; i < means->len; i++)
    judge_mean (j, &g_array_index (means, Mean, i), choice);
}

/* Judges what lies between the steps of the device, those that were cut included; windows do not
 * overlap. */
static void
judge_between_of (const Judge *j, const Mean *device)
{
  int of_start = np_table_column (j->rows.stored, "start_ns");
  gint64 first = G_MAXINT64, last = G_MININT64, windows = 0;
  for (guint row = 0; row < j->rows.stored->n_rows; row++) {
    if (!counts (j, row, CUT_STEPS) || !same_text (j->rows.stored, device->row, row, "input")
        || !same_text (j->rows.stored, device->row, row, "device"))
      continue;
    gint64 start = np_table_cell (j->rows.stored, row, of_start).v.i,
           window = np_table_cell (j->rows.stored, row, j->rows.column).v.i;
    first = MIN (first, start);
    last = MAX (last, start + window);
    windows += window;
  }
  long double all = (long double) (last - first), between = all - (long double) windows;
  long double value = j->rows.over < 0 ? between * j->rows.scale : all > 0 ? between / all : 0;
  const char *label
      = np_table_text (j->rows.stored, device->row, np_table_column (j->rows.stored, "device"));
  judge_value (j, device->row, g_strdup_printf ("%s, first step to last", label ? label : "-"),
               &value);
}

static void
judge_between (const Judge *j)
{
  g_autoptr (GArray) devices = g_array_new (FALSE, FALSE, sizeof (Mean));
  for (guint row = 0; row < j->rows.stored->n_rows; row++)
    if (counts (j, row, CUT_STEPS))
      mean_of (j, devices, row);
  for (guint i = 0; i < devices->len; i++)
    judge_between_of (j, &g_array_index (devices, Mean, i));
}

/* -- Periods ------------------------------------------------------------------- */

/* One step alone has no period, and takes at most its window. */
static void
judge_one_step (const Judge *j)
{
  NpGateVerdict *v = g_ptr_array_index (j->verdicts, j->verdicts->len - 1);
  const NpGateOp op = j->rows.expr->op;
  const gboolean below = op == NP_GATE_LT || op == NP_GATE_LE,
                 above = op == NP_GATE_GT || op == NP_GATE_GE;
  if (v->why)
    return;
  if (!is_base (j)
      && (v->state == NP_GATE_UNDECIDED || (below && v->state == NP_GATE_MET)
          || (above && v->state == NP_GATE_NOT_MET)))
    return;
  v->state = NP_GATE_UNDECIDED;
  v->why = g_strdup ("one step alone has no period, and takes at most that: record two more");
}

static void
judge_period (const Judge *j, guint row, const char *base)
{
  const NpTable *verdict = j->rows.stored;
  const char *device = np_table_text (verdict, row, np_table_column (verdict, "device"));
  const gint64 n = np_table_cell (verdict, row, np_table_column (verdict, "windows")).v.i;
  const char *one = g_str_equal (base, "period") ? base : "step";
  const gboolean mean = g_str_equal (j->rows.expr->column, "window_ns"); /* the sum of all */
  long double value, over;
  const gboolean known = np_gate_row_value (&j->rows, row, &value, &over);
  char *what = g_strdup_printf ("%s, %s of %" G_GINT64_FORMAT " %s%s", device ? device : "-",
                                mean ? "mean" : "median", n, one, n == 1 ? "" : "s");
  value = known && mean ? value / n : value;
  judge_value (j, row, what, known ? &value : NULL);
  if (g_str_has_suffix (base, "1"))
    judge_one_step (j);
}

static void
judge_periods (Judge *j)
{
  const int of_base = np_table_column (j->rows.stored, "base");
  for (guint row = 0; row < j->rows.stored->n_rows; row++) {
    const char *base = np_table_text (j->rows.stored, row, of_base);
    if (base && !g_str_equal (base, "span") && np_gate_row_matches (&j->rows, row))
      judge_period (j, row, base);
  }
}

/* -- Expressions --------------------------------------------------------------- */

/* Some decoder makes the table, but none that read these inputs. */
static char *
no_table (const Judge *j)
{
  g_autofree char *all = g_strjoinv (", ", (char **) j->run->names);
  return g_strdup_printf ("this run has no table %s: there are %s", j->rows.expr->table, all);
}

/* Says why the means of steps rest on no row, although there are rows of devices; transfer full. */
static char *
no_steps (const Judge *j)
{
  for (guint row = 0; row < j->rows.stored->n_rows; row++)
    if (counts (j, row, CUT_STEPS) || counts (j, row, SPAN))
      return g_strdup (": the file does not tell what is work");
  return why_by (j, "question", "steps");
}

/* Returns whether the periods asked for are of devices that have none. */
static gboolean
has_devices (const Judge *j)
{
  const int device = np_table_column (j->rows.stored, "device");
  for (guint row = 0; row < j->rows.stored->n_rows; row++)
    if (np_table_cell (j->rows.stored, row, device).type != NPROF_NULL)
      return TRUE;
  return FALSE;
}

/* Says why no phase is the one that is asked for: what a server proposes and verifies is a phase of
 * its own. */
static const char *
no_phase (const Judge *j)
{
  const int phase = np_table_column (j->rows.stored, "phase");
  for (guint row = 0; row < j->rows.stored->n_rows; row++)
    if (g_strcmp0 (np_table_text (j->rows.stored, row, phase), "verify") == 0)
      return ": speculation: a step gives each request several tokens; how many it does not say";
  return ": the file has steps of a server of models, and none of that phase";
}

/* Says why no row matches, where the file lacks something; transfer full. */
static char *
why_none (const Judge *j)
{
  const char *table = j->rows.expr->table;
  if (j->rows.expr->of_periods)
    return why_by (j, "question", has_devices (j) ? "steps" : "verdict");
  if (j->rows.stored->n_rows)
    return j->rows.expr->mean              ? no_steps (j)
           : g_str_equal (table, "phases") ? g_strdup (no_phase (j))
                                           : g_strdup ("");
  return why_by (j, "empty", table);
}

static gboolean
judge_expression (Judge *j, GError **error)
{
  guint before = j->verdicts->len;
  if (!j->rows.stored) {
    add_verdict (j->verdicts, j->rows.expr, NP_GATE_UNDECIDED, g_strdup (""), no_table (j));
    return TRUE;
  }
  if (!np_gate_rows_find (&j->rows, error))
    return FALSE;
  if (j->rows.expr->of_periods)
    judge_periods (j);
  const gboolean by_rows = !j->rows.expr->mean && !j->rows.expr->of_periods;
  for (guint row = 0; by_rows && row < j->rows.stored->n_rows; row++)
    if (np_gate_row_matches (&j->rows, row))
      judge_row (j, row);
  if (j->rows.expr->between)
    judge_between (j);
  for (guint choice = 0; j->rows.expr->mean && !j->rows.expr->between && choice < CHOICES
                         && j->verdicts->len == before;
       choice++)
    judge_steps (j, choice);
  g_autofree char *why = why_none (j);
  if (j->verdicts->len == before)
    add_verdict (j->verdicts, j->rows.expr, NP_GATE_UNDECIDED, g_strdup (""),
                 g_strdup_printf ("nothing in table %s matches%s", j->rows.expr->table, why));
  return TRUE;
}

/* Keeps of the verdicts of any(VALUE) those that decide it: of a row that meets the limit, else of
 * those that might, else all. */
static void
keep_any (GPtrArray *verdicts, guint begin)
{
  static const NpGateState states[] = { NP_GATE_MET, NP_GATE_UNDECIDED };
  for (guint s = 0; s < G_N_ELEMENTS (states); s++) {
    gboolean found = FALSE;
    for (guint i = begin; !found && i < verdicts->len; i++)
      found = ((const NpGateVerdict *) g_ptr_array_index (verdicts, i))->state == states[s];
    for (guint i = verdicts->len; found && i-- > begin;)
      if (((const NpGateVerdict *) g_ptr_array_index (verdicts, i))->state != states[s])
        g_ptr_array_remove_index (verdicts, i);
    if (found)
      return;
  }
}

GPtrArray *
np_gate_judge (const GPtrArray *exprs, const NpGateRun *run, const GPtrArray *base, GError **error)
{
  g_autoptr (GPtrArray) verdicts = g_ptr_array_new_with_free_func (verdict_free);
  for (guint i = 0; i < exprs->len; i++) {
    const NpGateExpr *expr = g_ptr_array_index (exprs, i);
    Judge j = { .rows = { .expr = expr,
                          .stored = np_table_store_find (run->tables, expr->table),
                          .devices = np_table_store_find (run->tables, "devices") },
                .run = run,
                .base = base,
                .verdicts = verdicts };
    guint begin = verdicts->len;
    gboolean ok = judge_expression (&j, error);
    np_gate_rows_clear (&j.rows);
    if (ok && expr->any)
      keep_any (verdicts, begin);
    if (!ok)
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
