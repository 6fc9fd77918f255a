/* SPDX-License-Identifier: Apache-2.0 */
/* diff-print.c - a line an operator, the largest change of self time first; then the sums.  For
 * programs: diff-json.c. */

#include "cli/diff-print.h"
#include "base/log.h"
#include "cli/markdown.h"

#include <math.h>
#include <string.h>

NpDiffSums
np_diff_sum (const NpDiff *diff)
{
  NpDiffSums sums = { 0 };
  for (guint i = 0; i < diff->differences->len; i++) {
    const NpDifference *d = &g_array_index (diff->differences, NpDifference, i);
    sums.base += d->base ? d->base->self : 0;
    sums.new += d->new ? d->new->self : 0;
    sums.n[d->verdict]++;
    sums.failed += !isnan (diff->limit) && np_diff_fails (d, diff->limit);
  }
  return sums;
}

/* -- Numbers for people --------------------------------------------------------- */

static char *
time_text (double ps)
{
  static const struct {
    const char *unit;
    double size;
  } units[] = { { "s", 1e12 }, { "ms", 1e9 }, { "us", 1e6 }, { "ns", 1e3 } };
  if (isnan (ps))
    return g_strdup ("-");
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (fabs (ps) >= units[i].size)
      return g_strdup_printf ("%.4g %s", ps / units[i].size, units[i].unit);
  return g_strdup_printf ("%.4g ps", ps);
}

static char *
change_text (double change)
{
  return isnan (change) ? g_strdup ("-") : g_strdup_printf ("%+.1f %%", 100 * change);
}

static char *
count_text (const NpOperator *op)
{
  return op ? g_strdup_printf ("%" G_GUINT64_FORMAT, op->count) : g_strdup ("-");
}

/* -- Tables ----------------------------------------------------------------------- */

enum { OPERATOR, COUNTS, BASE, NEW, CHANGE, SELF, VERDICT, N_CELLS };

static const char *const heads[N_CELLS]
    = { "operator", "count", "median base", "median new", "change", "of self time", "verdict" };

static void
fill_cells (char **cells, const NpDifference *d)
{
  g_autofree char *base = count_text (d->base), *new = count_text (d->new);
  double grown = (double) (d->new ? d->new->self : 0) - (double) (d->base ? d->base->self : 0);
  g_autofree char *grown_text = time_text (grown);
  cells[OPERATOR] = np_printable (d->name, -1);
  cells[COUNTS]
      = g_str_equal (base, new) ? g_strdup (base) : g_strdup_printf ("%s > %s", base, new);
  cells[BASE] = time_text (d->base_median);
  cells[NEW] = time_text (d->new_median);
  cells[CHANGE] = change_text (d->change);
  cells[SELF] = g_strdup_printf ("%s%s", grown > 0 ? "+" : "", grown_text);
  cells[VERDICT] = isnan (d->p)
                       ? g_strdup (np_change_name (d->verdict))
                       : g_strdup_printf ("%s (p %.2g)", np_change_name (d->verdict), d->p);
}

guint
np_diff_shown (const NpDiff *diff)
{
  return diff->top ? MIN (diff->top, diff->differences->len) : diff->differences->len;
}

/* Rows of N_CELLS texts, the heads first.  Transfer full. */
static GPtrArray *
make_rows (const NpDiff *diff)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  char **head = g_new0 (char *, N_CELLS + 1);
  for (guint c = 0; c < N_CELLS; c++)
    head[c] = g_strdup (heads[c]);
  g_ptr_array_add (rows, head);
  for (guint i = 0; i < np_diff_shown (diff); i++) {
    char **cells = g_new0 (char *, N_CELLS + 1);
    fill_cells (cells, &g_array_index (diff->differences, NpDifference, i));
    g_ptr_array_add (rows, cells);
  }
  return rows;
}

static void
print_padded (GString *out, const char *text, glong width, gboolean left)
{
  glong blanks = MAX (width - g_utf8_strlen (text, -1), 0);
  g_string_append_printf (out, "%*s%s%*s", left ? 0 : (int) blanks, "", text,
                          left ? (int) blanks : 0, "");
}

static gboolean
is_left (guint cell)
{
  return cell == OPERATOR || cell == VERDICT;
}

static void
print_plain (GString *out, const GPtrArray *rows)
{
  glong width[N_CELLS] = { 0 };
  for (guint r = 0; r < rows->len; r++)
    for (guint c = 0; c < N_CELLS; c++)
      width[c] = MAX (width[c], g_utf8_strlen (((char **) rows->pdata[r])[c], -1));
  for (guint r = 0; r < rows->len; r++) {
    for (guint c = 0; c < N_CELLS; c++) {
      g_string_append (out, c ? "  " : "");
      print_padded (out, ((char **) rows->pdata[r])[c], c == VERDICT ? 0 : width[c], is_left (c));
    }
    g_string_append_c (out, '\n');
  }
}

static void
print_markdown (GString *out, const GPtrArray *rows)
{
  for (guint r = 0; r < rows->len; r++) {
    for (guint c = 0; c < N_CELLS; c++) {
      g_autofree char *cell = np_markdown_cell (((char **) rows->pdata[r])[c]);
      g_string_append_printf (out, "| %s ", cell);
    }
    g_string_append (out, r ? "|\n" : "|\n|---|---:|---:|---:|---:|---:|---|\n");
  }
}

static void
print_summary (GString *out, const NpDiff *diff)
{
  NpDiffSums sums = np_diff_sum (diff);
  g_autofree char *base = time_text ((double) sums.base), *new = time_text ((double) sums.new);
  g_autofree char *change
      = change_text (sums.base > 0 ? (double) (sums.new - sums.base) / (double) sums.base : NAN);
  g_string_append_printf (out, "\n%s: %s in base, %s in new (%s)\n",
                          diff->device ? "Operators of devices" : "Spans of hosts", base, new,
                          change);
  for (guint v = 0; v < NP_CHANGES; v++)
    g_string_append_printf (out, "%s%u %s", v ? ", " : "", sums.n[v],
                            np_change_name ((NpChange) v));
  guint shown = np_diff_shown (diff);
  if (shown < diff->differences->len)
    g_string_append_printf (out, "; %u of %u are shown (--top 0 shows all)", shown,
                            diff->differences->len);
  g_string_append_c (out, '\n');
  guint64 unclosed = diff->of_base->unclosed + diff->of_new->unclosed;
  if (unclosed)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT " spans without an end are left out\n",
                            unclosed);
  guint64 gaps = diff->of_base->gaps + diff->of_new->gaps;
  if (gaps)
    g_string_append_printf (out, "Events are missing: %" G_GUINT64_FORMAT " gaps in the profiles\n",
                            gaps);
  if (!isnan (diff->limit))
    g_string_append_printf (out,
                            "--fail-over %g%%: %u operator%s slower than that, or not to be told\n",
                            100 * diff->limit, sums.failed, sums.failed == 1 ? "" : "s");
}

/* -- Either ---------------------------------------------------------------------- */

GString *
np_diff_print (const NpDiff *diff, const char *format)
{
  if (g_str_equal (format, "json"))
    return np_diff_json (diff);
  GString *out = g_string_new (NULL);
  g_autoptr (GPtrArray) rows = make_rows (diff);
  if (g_str_equal (format, "markdown"))
    print_markdown (out, rows);
  else
    print_plain (out, rows);
  print_summary (out, diff);
  return out;
}
