/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - how busy, how well used, how long a step, what takes the time: a line each, and why
 * where it is unknown.  Rows and columns of the tables below it are views.c's matter. */

#include "summary.h"

#include "scale.h"

#include <math.h>
#include <nprof/sdk.h>
#include <string.h>

static const struct nprof_table summary_table = {
  .size = sizeof summary_table,
  .name = "summary",
  .title = "Summary",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "question", "", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "answer", "", ""),
                            NPROF_KEY_COLUMN (NPROF_TEXT, "of", "", "")),
};

/* -- Values ------------------------------------------------------------------------------------ */

static const struct nprof_cell *
cell (const Table *table, guint row, const char *column)
{
  static const struct nprof_cell none = { .type = NPROF_NULL };
  int c = table && row < table->rows->len ? table_column (table, column) : -1;
  return c < 0 ? &none : &((const Row *) g_ptr_array_index (table->rows, row))->cells[c];
}

/* NAN: unknown. */
static double
value (const Table *table, guint row, const char *column)
{
  const struct nprof_cell *c = cell (table, row, column);
  return c->type == NPROF_INT64 ? (double) c->v.i : c->type == NPROF_DOUBLE ? c->v.f : NAN;
}

/* Transfer full. */
static char *
text (const Table *table, guint row, const char *column)
{
  const struct nprof_cell *c = cell (table, row, column);
  gsize len;
  if (c->type == NPROF_NULL)
    return g_strdup ("-");
  const char *found = cell_text (table->host, c, &len);
  return g_strndup (found, len);
}

/* Transfer full. */
static char *
scaled (Table *to, const char *unit, double number)
{
  Scale scale = scale_choose (unit, fabs (number));
  return isfinite (number) ? scale_double (&scale, number, &to->rounded) : g_strdup ("unknown");
}

static void
add (Table *to, const char *question, const char *answer, const char *of)
{
  const struct nprof_run_info *run = to->host->run (to->host);
  const struct nprof_input_info *input = run->n_inputs == 1 ? to->host->input (to->host, 0) : NULL;
  const struct nprof_cell cells[]
      = { input ? nprof_cell_str (input->label) : nprof_cell_null (), nprof_cell_text (question),
          answer ? nprof_cell_text (answer) : nprof_cell_null (), nprof_cell_text (of) };
  table_add (to, cells); /* no memory for a line: the tables say it too */
}

typedef struct {
  double least, most;
  guint at_least, at_most, n;
} Range;

/* Of part / whole, whole NULL: of part alone, in all rows where it is known. */
static Range
range_of (const Table *table, const char *part, const char *whole)
{
  Range range = { INFINITY, -INFINITY, 0, 0, 0 };
  for (guint r = 0; table && r < table->rows->len; r++) {
    double v = value (table, r, part) / (whole ? value (table, r, whole) : 1);
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

/* "98.1 %", "97.0 % to 98.1 %"; NULL: unknown.  Transfer full. */
static char *
range_text (Table *to, const Range *range, const char *unit)
{
  if (range->n == 0)
    return NULL;
  g_autofree char *least = scaled (to, unit, range->least), *most = scaled (to, unit, range->most);
  return g_str_equal (least, most) ? g_steal_pointer (&most)
                                   : g_strdup_printf ("%s to %s", least, most);
}

/* -- Answers ----------------------------------------------------------------------------------- */

static void
add_busy (Table *to, const SummaryOf *of)
{
  Range busy = range_of (of->devices, "busy_ns", "span_ns");
  Range span = range_of (of->devices, "span_ns", NULL);
  g_autofree char *answer = range_text (to, &busy, "1"), *times = range_text (to, &span, "ps");
  g_autofree char *label = text (of->devices, busy.at_least, "device");
  guint n = of->devices->rows->len;
  g_autofree char *who = n == 1 ? g_strdup (label) : g_strdup_printf ("%u devices", n);
  g_autofree char *least
      = answer && strstr (answer, " to ") ? g_strconcat ("; least: ", label, NULL) : g_strdup ("");
  g_autofree char *where = g_strdup_printf ("%s, of %s%s", who, times, least);
  add (to, "busy", answer, where);
}

/* Of the device that misses most. */
static void
add_lost (Table *to, const SummaryOf *of)
{
  Range share = range_of (of->devices, "lost_ns", "span_ns");
  g_autofree char *most = scaled (to, "1", share.most);
  g_autofree char *label = text (of->devices, share.at_most, "device");
  g_autofree char *where
      = g_strdup_printf ("of the span of %s: rows were lost there, so that it may be busy or idle",
                         label);
  if (share.n > 0 && share.most > 0)
    add (to, "not recorded", most, where);
}

/* Why MFU is unknown, and what mends it. */
static const char *
mfu_reason (const SummaryOf *of)
{
  gboolean flops = range_of (of->mfu, "flops", NULL).n > 0;
  gboolean peak = range_of (of->mfu, "peak_flops", NULL).n > 0;
  if (!of->mfu || of->mfu->rows->len == 0)
    return "the analyzer mfu is not in this run";
  if (!flops && !peak)
    return "the file states no flops, and no peak rate of the device is known";
  return flops ? "no peak rate of the device is known: -a device:peak_flops=N -a mfu:peak_flops=N"
               : "the file states no flops of its operators";
}

static void
add_mfu (Table *to, const SummaryOf *of)
{
  Range mfu = range_of (of->devices, "mfu", NULL), hfu = range_of (of->devices, "hfu", NULL);
  g_autofree char *answer = range_text (to, &mfu, "1"), *hardware = range_text (to, &hfu, "1");
  if (!answer) {
    add (to, "MFU", NULL, mfu_reason (of));
    return;
  }
  g_autofree char *where = g_strdup_printf ("idle time included; HFU %s", hardware);
  add (to, "MFU", answer, hardware ? where : "idle time included");
}

static void
add_mbu (Table *to, const SummaryOf *of)
{
  Range mbu = range_of (of->devices, "mbu", NULL);
  g_autofree char *answer = range_text (to, &mbu, "1");
  if (answer)
    add (to, "MBU", answer, "bytes of the main memory, idle time included");
}

/* Of the devices whose communication shows most. */
static void
add_exposed (Table *to, const SummaryOf *of)
{
  Range share = range_of (of->devices, "exposed_ns", "span_ns");
  Range time = range_of (of->devices, "exposed_ns", NULL);
  g_autofree char *answer = range_text (to, &share, "1"), *most = range_text (to, &time, "ps");
  g_autofree char *where
      = time.most > 0
            ? g_strconcat (most, " of communication and copies while nothing computes", NULL)
            : g_strdup ("no communication or copy while nothing computes");
  add (to, "exposed", answer, where);
}

/* The row of most steps, of the longest ones: not of a program that ran once.  -1: none. */
static int
slowest_steps (const Table *times)
{
  int found = -1;
  double most = 0, longest = 0;
  for (guint r = 0; times && r < times->rows->len; r++) {
    double n = value (times, r, "steps"), median = value (times, r, "median_ns");
    if (found >= 0 && !(n > most || (n == most && median > longest)))
      continue;
    found = (int) r;
    most = n;
    longest = median;
  }
  return found;
}

static void
add_steps (Table *to, const SummaryOf *of)
{
  int found = slowest_steps (of->step_times);
  if (found < 0)
    return;
  guint row = (guint) found;
  double n = value (of->step_times, row, "steps");
  g_autofree char *median = scaled (to, "ps", value (of->step_times, row, "median_ns"));
  g_autofree char *p99 = scaled (to, "ps", value (of->step_times, row, "p99_ns"));
  g_autofree char *label = text (of->step_times, row, "device");
  double cut = value (of->step_times, row, "cut");
  g_autofree char *less
      = cut > 0 ? g_strdup_printf (", without %.0f that the profile cut", cut) : g_strdup ("");
  g_autofree char *where = g_strdup_printf ("median; p99 %s; %.0f step%s of %s%s", p99, n,
                                            n == 1 ? "" : "s", label, less);
  add (to, "step", n > 0 ? median : NULL, where);
}

static void
add_operator (Table *to, const SummaryOf *of)
{
  Range self = range_of (of->operators, "self_ns", NULL);
  if (self.n == 0)
    return;
  g_autofree char *share = scaled (to, "1", value (of->operators, self.at_most, "share"));
  g_autofree char *name = text (of->operators, self.at_most, "operator");
  g_autofree char *where = g_strconcat ("of self time: ", name, NULL);
  add (to, "top operator", share, where);
}

static void
add_gap (Table *to, const SummaryOf *of)
{
  Range gap = range_of (of->gaps, "duration_ns", NULL);
  if (gap.n == 0)
    return;
  g_autofree char *answer = scaled (to, "ps", gap.most);
  g_autofree char *start = scaled (to, "ps", value (of->gaps, gap.at_most, "start_ns"));
  g_autofree char *cause = text (of->gaps, gap.at_most, "cause");
  g_autofree char *label = text (of->gaps, gap.at_most, "device");
  g_autofree char *where = g_strdup_printf ("at %s on %s, cause: %s", start, label, cause);
  add (to, "longest idle", answer, where);
}

Table *
summary_new (const struct nprof_host *host, const SummaryOf *of)
{
  Table *to = table_new (host, &summary_table, 0, NULL);
  to->single = to->bare = TRUE;
  if (of->devices && of->devices->rows->len > 0) {
    add_busy (to, of);
    add_lost (to, of);
    add_mfu (to, of);
    add_mbu (to, of);
    add_exposed (to, of);
  } else if (of->latency && of->latency->n_rows > 0) {
    add (to, "devices", "none", "the profile holds work of hosts alone");
  }
  add_steps (to, of);
  add_operator (to, of);
  add_gap (to, of);
  if (to->rows->len > 0)
    return to;
  table_free (to);
  return NULL;
}
