/* SPDX-License-Identifier: Apache-2.0 */
/* sentence.c - the verdict of a comparison in one sentence: whether a step of the first device
 * became longer, and what made it so.  diff-text.c and the page of nprof view print it. */

#include "base/log.h"
#include "print.h"
#include "system/short-names.h"

#include <math.h>
#include <nprof/units.h>

/* What makes less than this of the change is not named. */
#define LEAST_SHARE 0.25

/* What is judged: the median of periods, else the mean of steps, else all work. */
typedef struct {
  double base, new, delta, interval; /* ps; NAN: unknown */
  NpDiffVerdict verdict;
  guint samples; /* of the side that has fewer */
} Judged;

static gboolean
judged_of (const NpDiffReport *report, const NpDiffComparison *c, Judged *j)
{
  const NpDiffPeriod *p
      = report->frames ? np_diff_frames_period (report->frames, c->base->device) : NULL;
  const NpDiffResult *r = c->has_step ? &c->step : c->has_work ? &c->work.result : NULL;
  if (p)
    *j = (Judged){ .base = p->base_median,
                   .new = p->new_median,
                   .delta = p->delta,
                   .interval = p->interval,
                   .verdict = p->verdict,
                   .samples = MIN (p->base_n, p->new_n) };
  else if (r)
    *j = (Judged){ .base = r->base,
                   .new = r->new,
                   .delta = r->delta,
                   .interval = r->interval,
                   .verdict = r->verdict,
                   .samples = MIN (c->base->samples, c->new->samples) };
  return p || r;
}

/* -- What made it ------------------------------------------------------------------------------ */

/* Returns whether a line is told to have changed, to longer (sign 1) or to shorter (-1). */
static gboolean
is_told (const NpDiffLine *line, int sign)
{
  const NpDiffVerdict v = line->result.verdict;
  return (sign > 0 ? v == NP_DIFF_SLOWER || v == NP_DIFF_ADDED
                   : v == NP_DIFF_FASTER || v == NP_DIFF_REMOVED);
}

static double
change_of (const NpDiffLine *line)
{
  const NpDiffResult *r = &line->result;
  return (isnan (r->new) ? 0 : r->new) - (isnan (r->base) ? 0 : r->base);
}

/* Returns the kernel that changed most of those that are told, or all communication where that
 * changed more; NULL: none. */
static const NpDiffLine *
largest (const NpDiffComparison *c, int sign)
{
  const NpDiffLine *most = NULL;
  for (guint i = 0; i < c->lines->len; i++) {
    const NpDiffLine *line = &g_array_index (c->lines, NpDiffLine, i);
    if (is_told (line, sign) && (!most || sign * change_of (line) > sign * change_of (most)))
      most = line;
  }
  const NpDiffLine *all = &c->communication;
  if (c->has_communication && is_told (all, sign)
      && (!most || sign * change_of (all) > sign * change_of (most)))
    return all;
  return most;
}

/* Returns the short name of a line; transfer full. */
static char *
line_name (const NpDiffComparison *c, const NpDiffLine *line)
{
  if (line == &c->communication)
    return g_strdup ("communication");
  if (!line->name)
    return g_strdup ("work without a name");
  g_autoptr (Names) names = names_new ();
  names_add (names, line->name);
  return np_printable (names_short (names, line->name), -1);
}

/* Says what became of a line.  Transfer full. */
static char *
line_text (const NpDiffComparison *c, const NpDiffLine *line)
{
  const NpDiffResult *r = &line->result;
  g_autofree char *name = line_name (c, line);
  const gboolean calls = line->why && r->base_calls > 0 && r->new_calls > 0;
  const double ratio = calls ? r->new_calls / r->base_calls : r->new / r->base;
  if (r->verdict == NP_DIFF_ADDED)
    return g_strdup_printf ("%s is new", name);
  if (r->verdict == NP_DIFF_REMOVED)
    return g_strdup_printf ("%s is gone", name);
  return g_strdup_printf ("%s %s %sx as %s", name, calls ? "is called" : "takes",
                          nprof_figure (ratio, "").number, calls ? "often" : "long");
}

/* How much longer the device is idle in a step, ps. */
static double
idle_change (const NpDiffComparison *c)
{
  double change = 0;
  for (guint p = NP_PART_IDLE_HOST; p < NP_PARTS; p++)
    change += c->parts[1][p] - c->parts[0][p];
  return change;
}

/* "GPU 0 is idle 74.8 ms longer".  Transfer full. */
static char *
idle_text (const NpDiffComparison *c, double idle, int sign)
{
  g_autofree char *device = np_printable (c->base->device, -1);
  return g_strdup_printf ("%s is idle %s %s", device, nprof_time (idle).text,
                          sign > 0 ? "longer" : "less");
}

/* Returns what made a step longer or shorter; transfer full, NULL: nothing made much of it. */
static char *
cause_text (const NpDiffComparison *c, const Judged *j)
{
  const int sign = j->new > j->base ? 1 : -1;
  const double least = LEAST_SHARE * fabs (j->new - j->base), idle = sign * idle_change (c);
  const NpDiffLine *line = largest (c, sign);
  const double change = line ? sign * change_of (line) : 0;
  if (c->has_step && idle >= least && idle > change)
    return idle_text (c, idle, sign);
  return change >= least ? line_text (c, line) : NULL;
}

/* -- The sentence ------------------------------------------------------------------------------ */

static char *
changed_text (const NpDiffComparison *c, const Judged *j)
{
  g_autofree char *cause = cause_text (c, j);
  return g_strconcat (nprof_share (fabs (j->delta)).text,
                      j->verdict == NP_DIFF_SLOWER ? " slower" : " faster", cause ? ": " : NULL,
                      cause, NULL);
}

/* What became slower may fill time in which the device waited before: then a step is no longer. */
static char *
same_text (const NpDiffComparison *c, const Judged *j)
{
  const NpDiffLine *line = largest (c, 1);
  const double more = line ? change_of (line) : 0;
  const gboolean hidden
      = c->has_step && more > j->interval * j->base && -idle_change (c) >= more / 2;
  g_autofree char *what = hidden ? line_text (c, line) : NULL,
                  *device = np_printable (c->base->device, -1);
  if (hidden)
    return g_strdup_printf ("No slower yet: %s, and fills time in which %s was idle", what, device);
  return isfinite (j->interval)
             ? g_strdup_printf ("The same within %s", nprof_share (j->interval).text)
             : g_strdup ("The same");
}

static gboolean
is_equal (const NpDiffResult *r)
{
  return r->base == r->new;
}

static gboolean
are_equal (const NpDiffComparison *c)
{
  gboolean equal = (!c->has_step || is_equal (&c->step))
                   && (!c->has_work || is_equal (&c->work.result))
                   && (!c->has_rest || is_equal (&c->rest.result));
  for (guint i = 0; i < c->lines->len && equal; i++)
    equal = is_equal (&g_array_index (c->lines, NpDiffLine, i).result);
  return equal;
}

/* Returns whether all sums of all devices are equal, as of one file twice. */
static gboolean
all_equal (const NpDiffReport *report)
{
  for (guint i = 0; i < report->comparisons->len; i++)
    if (!are_equal (report->comparisons->pdata[i]))
      return FALSE;
  return !report->alone[0];
}

/* Says how a number without a noise changed.  Transfer full. */
static char *
one_run_text (const NpDiffReport *report, const Judged *j)
{
  if (j->base != j->new)
    return g_strdup_printf ("%s %s; one run, noise unknown", nprof_share (fabs (j->delta)).text,
                            j->delta > 0 ? "more" : "less");
  return g_strdup (all_equal (report) ? "The same: all sums are equal"
                                      : "As long as before; one run, noise unknown");
}

static char *
untold_text (const NpDiffReport *report, const NpDiffComparison *c, const Judged *j)
{
  const char *word = c->base->runs ? "runs" : "steps";
  const NpDiffUntold u = np_diff_untold (c, &report->limits);
  if (j->samples < 2 && isfinite (j->delta))
    return one_run_text (report, j);
  if (u.samples > j->samples)
    return g_strdup_printf ("Inconclusive: %u %s are too few; record %u", j->samples, word,
                            u.samples);
  return g_strdup_printf ("Inconclusive at %g %%", 100 * report->limits.threshold);
}

/* Says which facts of the machines differ.  Transfer full. */
static char *
machine_text (const GArray *facts)
{
  g_autoptr (GString) out = g_string_new ("Not the same machine: ");
  for (guint i = 0; i < facts->len; i++) {
    const NpDiffFact *f = &g_array_index (facts, NpDiffFact, i);
    g_autofree char *base = np_printable (f->base, -1), *new = np_printable (f->new, -1);
    g_string_append_printf (out, "%s%s %s -> %s", i ? "; " : "", f->name, base, new);
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

char *
np_diff_machine_text (const NpDiffReport *report)
{
  const GArray *facts = report->frames ? report->frames->facts : NULL;
  if (!facts || !facts->len)
    return NULL;
  g_autofree char *text = machine_text (facts);
  return report->other_machine
             ? g_steal_pointer (&text)
             : g_strconcat (text, ": numbers, and no verdict (--other-machine gives them)", NULL);
}

char *
np_diff_sentence (const NpDiffReport *report)
{
  Judged j;
  if (!report->comparisons->len)
    return NULL;
  const NpDiffComparison *c = g_ptr_array_index (report->comparisons, 0);
  if (report->frames && !report->frames->judged)
    return np_diff_machine_text (report);
  if (!judged_of (report, c, &j))
    return NULL;
  if (j.samples > 1 && (j.verdict == NP_DIFF_SLOWER || j.verdict == NP_DIFF_FASTER))
    return changed_text (c, &j);
  if (j.verdict == NP_DIFF_SAME)
    return same_text (c, &j);
  return untold_text (report, c, &j);
}
