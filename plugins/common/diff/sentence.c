/* SPDX-License-Identifier: Apache-2.0 */
/* sentence.c - the verdict of a comparison in one sentence: whether a step of the device that
 * decides became longer, and what made it so.  The command diff and the page of nprof view print
 * it. */

#include "base/log.h"
#include "diff/report.h"
#include "profile/window-parts.h"
#include "system/short-names.h"

#include <math.h>
#include <nprof/units.h>

/* What makes less than this of the change is not named. */
#define LEAST_SHARE 0.25

/* -- What is judged ---------------------------------------------------------------------------- */

static const NpDiffPeriod *
period_of (const NpDiffReport *report, const NpDiffComparison *c)
{
  return report->frames ? np_diff_frames_period (report->frames, c->base->device) : NULL;
}

/* Returns the comparison of the slowest device of the new profile, else the first. */
static const NpDiffComparison *
deciding (const NpDiffReport *report)
{
  for (guint i = 0; i < report->comparisons->len; i++) {
    const NpDiffComparison *c = report->comparisons->pdata[i];
    const NpDiffPeriod *p = period_of (report, c);
    if (p && p->slowest)
      return c;
  }
  return report->comparisons->len ? report->comparisons->pdata[0] : NULL;
}

gboolean
np_diff_judged (const NpDiffReport *report, NpDiffJudged *j)
{
  const NpDiffComparison *c = deciding (report);
  if (!c)
    return FALSE;
  const NpDiffPeriod *p = period_of (report, c);
  const NpDiffResult *r = c->has_step ? &c->step : c->has_work ? &c->work.result : NULL;
  if (p)
    *j = (NpDiffJudged){ .of = g_str_equal (p->base_of, "period") ? "period" : "step",
                         .base = p->base_median,
                         .new = p->new_median,
                         .delta = p->delta,
                         .interval = p->interval,
                         .verdict = p->verdict,
                         .samples = MIN (p->base_n, p->new_n) };
  else if (r)
    *j = (NpDiffJudged){ .of = r != &c->step             ? "work"
                               : np_diff_is_of_steps (c) ? "step"
                                                         : "recording",
                         .base = r->base,
                         .new = r->new,
                         .delta = r->delta,
                         .interval = r->interval,
                         .verdict = r->verdict,
                         .samples = MIN (c->base->samples, c->new->samples) };
  j->comparison = c;
  j->period = p;
  return p || r;
}

/* -- The part that changed most ---------------------------------------------------------------- */

/* Parts as tables step_breakdown and verdict_parts have them; the first are those of the classes of
 * work, in their order. */
static const char *const step_parts[NP_PARTS]
    = { "compute", "comm", "copy", "control", "host", "launch", "wait", "unlinked", "lost" };

/* Returns the k-th part of a mean period or step and sets by how much it grew, ps; NULL: there are
 * no more. */
static const char *
part_at (const NpDiffJudged *j, guint k, double *more)
{
  const NpDiffComparison *c = j->comparison;
  const NpDiffPart *part = j->period && k < j->period->parts->len
                               ? &g_array_index (j->period->parts, NpDiffPart, k)
                               : NULL;
  if (j->period ? !part : !c->has_step || k >= NP_PARTS)
    return NULL;
  *more = part ? part->new - part->base : c->parts[1][k] - c->parts[0][k];
  return part ? part->name : step_parts[k];
}

/* Returns the part that grew most (sign 1) or shrank most (-1), and sets by how much; NULL: there
 * are no parts. */
static const char *
largest_part (const NpDiffJudged *j, int sign, double *change)
{
  const char *most = NULL, *part;
  double more;
  *change = 0;
  for (guint k = 0; (part = part_at (j, k, &more)); k++)
    if (!most || sign * more > *change) {
      most = part;
      *change = sign * more;
    }
  return most;
}

/* Returns the class of work that a part is of; NP_DIFF_CLASSES: it is none. */
static NpDiffClass
class_of (const char *part)
{
  guint k = 0;
  while (k < NP_DIFF_CLASSES && !g_str_equal (step_parts[k], part))
    k++;
  return (NpDiffClass) k;
}

/* How much longer the device is idle in a mean period or step, ps. */
static double
idle_change (const NpDiffJudged *j)
{
  double change = 0, more;
  const char *part;
  for (guint k = 0; (part = part_at (j, k, &more)); k++)
    if (class_of (part) == NP_DIFF_CLASSES && !g_str_equal (part, "control")
        && !g_str_equal (part, "lost"))
      change += more;
  return change;
}

/* "1.74 ms more a period of late launches".  Transfer full. */
static char *
part_text (const NpDiffJudged *j, const char *part, double change, int sign)
{
  const WindowPart *known = window_part_named (part);
  const char *of = g_str_equal (j->of, "recording") ? "" : j->of;
  return g_strdup_printf ("%s %s%s%s of %s", nprof_time (change).text, sign > 0 ? "more" : "less",
                          *of ? " a " : "", of, known ? known->said : part);
}

/* -- The kernel that made it ------------------------------------------------------------------- */

/* Returns whether a line is told to have changed, to longer (sign 1) or to shorter (-1). */
static gboolean
is_told (const NpDiffLine *line, int sign)
{
  const NpDiffVerdict v = line->result.verdict;
  return (sign > 0 ? v == NP_DIFF_SLOWER || v == NP_DIFF_ADDED
                   : v == NP_DIFF_FASTER || v == NP_DIFF_REMOVED);
}

/* Returns ps of a period, or of a step, of a line's time: of recordings without steps a line is the
 * sum of all periods, or the mean of a call. */
static double
in_period (const NpDiffJudged *j, double time, double calls, guint periods)
{
  if (isnan (time))
    return 0;
  if (!j->period || np_diff_is_of_steps (j->comparison))
    return time;
  return time * (!j->comparison->per_call ? 1 : isnan (calls) ? 0 : calls) / periods;
}

static double
change_of (const NpDiffJudged *j, const NpDiffLine *line)
{
  const NpDiffResult *r = &line->result;
  const NpDiffPeriod *p = j->period;
  return in_period (j, r->new, r->new_calls, p ? p->new_n : 1)
         - in_period (j, r->base, r->base_calls, p ? p->base_n : 1);
}

/* Returns the kernel of that class that changed most of those that are told, or all communication
 * where that changed more; NULL: none.  NP_DIFF_CLASSES: of any class. */
static const NpDiffLine *
largest_line (const NpDiffJudged *j, NpDiffClass class, int sign)
{
  const NpDiffComparison *c = j->comparison;
  const NpDiffLine *most = NULL;
  for (guint i = 0; i <= c->lines->len; i++) {
    const NpDiffLine *line
        = i < c->lines->len ? &g_array_index (c->lines, NpDiffLine, i) : &c->communication;
    if (line == &c->communication && !c->has_communication)
      continue;
    const NpDiffClass own = line == &c->communication ? NP_DIFF_COMMUNICATION : line->kind;
    if ((class == NP_DIFF_CLASSES || class == own) && is_told (line, sign)
        && (!most || sign * change_of (j, line) > sign * change_of (j, most)))
      most = line;
  }
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

/* Returns whether noise may have made all that work of the class changed by: its steps tell. */
static gboolean
is_noise (const NpDiffComparison *c, NpDiffClass class)
{
  if (!np_diff_is_of_steps (c))
    return FALSE;
  if (class == NP_DIFF_COMMUNICATION && c->has_communication)
    return c->communication.result.verdict == NP_DIFF_NOT_TOLD;
  return class != NP_DIFF_CLASSES && c->has_work && c->work.result.verdict == NP_DIFF_NOT_TOLD;
}

/* Returns what made a step longer or shorter: the kernel that is told to have changed most of the
 * part that changed most, else that part; transfer full, NULL: nothing made much of it. */
static char *
cause_text (const NpDiffJudged *j)
{
  const NpDiffPeriod *p = j->period;
  const int sign = j->new > j->base ? 1 : -1;
  const double least = LEAST_SHARE * fabs (p ? p->new_mean - p->base_mean : j->new - j->base);
  double change;
  const char *part = largest_part (j, sign, &change);
  const NpDiffClass class = part ? class_of (part) : NP_DIFF_CLASSES;
  const NpDiffLine *line = part && class == NP_DIFF_CLASSES ? NULL : largest_line (j, class, sign);
  if (line && sign * change_of (j, line) >= least)
    return line_text (j->comparison, line);
  return part && change >= least && !is_noise (j->comparison, class)
             ? part_text (j, part, change, sign)
             : NULL;
}

/* -- The sentence ------------------------------------------------------------------------------ */

/* Returns " on GPU 0" where there are several devices, else "".  Transfer full. */
static char *
device_text (const NpDiffReport *report, const NpDiffJudged *j)
{
  g_autofree char *device = np_printable (j->comparison->base->device, -1);
  return report->comparisons->len > 1 ? g_strconcat (" on ", device, NULL) : g_strdup ("");
}

static char *
changed_text (const NpDiffReport *report, const NpDiffJudged *j)
{
  g_autofree char *cause = cause_text (j), *on = device_text (report, j);
  return g_strconcat (nprof_share (fabs (j->delta)).text,
                      j->verdict == NP_DIFF_SLOWER ? " slower" : " faster", on, cause ? ": " : NULL,
                      cause, NULL);
}

/* What became slower may fill time in which the device waited before: then a step is no longer. */
static char *
same_text (const NpDiffReport *report, const NpDiffJudged *j)
{
  const NpDiffComparison *c = j->comparison;
  const NpDiffLine *line = largest_line (j, NP_DIFF_CLASSES, 1);
  const double more = line ? change_of (j, line) : 0;
  const gboolean hidden
      = c->has_step && more > j->interval * j->base && -idle_change (j) >= more / 2;
  g_autofree char *what = hidden ? line_text (c, line) : NULL,
                  *device = np_printable (c->base->device, -1), *on = device_text (report, j);
  if (hidden)
    return g_strdup_printf ("No slower yet: %s, and fills time in which %s was idle", what, device);
  return isfinite (j->interval)
             ? g_strdup_printf ("The same within %s%s", nprof_share (j->interval).text, on)
             : g_strconcat ("The same", on, NULL);
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
  return !report->alone->pdata[0];
}

/* Says how a number without a noise changed.  Transfer full. */
static char *
one_run_text (const NpDiffReport *report, const NpDiffJudged *j)
{
  g_autofree char *on = device_text (report, j);
  if (j->base != j->new)
    return g_strdup_printf ("%s %s%s; one run, noise unknown", nprof_share (fabs (j->delta)).text,
                            j->delta > 0 ? "more" : "less", on);
  return all_equal (report) ? g_strdup ("The same: all sums are equal")
                            : g_strdup_printf ("As long as before%s; one run, noise unknown", on);
}

static char *
untold_text (const NpDiffReport *report, const NpDiffJudged *j)
{
  const NpDiffComparison *c = j->comparison;
  const char *word = c->base->runs ? "runs" : "steps";
  const NpDiffUntold u = np_diff_untold (c, &report->limits);
  g_autofree char *on = device_text (report, j);
  if (j->samples < 2 && isfinite (j->delta))
    return one_run_text (report, j);
  if (u.samples > j->samples)
    return g_strdup_printf ("Inconclusive%s: %u %s are too few; record %u", on, j->samples, word,
                            u.samples);
  return g_strdup_printf ("Inconclusive at %g %%%s", 100 * report->limits.threshold, on);
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
  NpDiffJudged j;
  if (report->comparisons->len && report->frames && !report->frames->judged)
    return np_diff_machine_text (report);
  if (!np_diff_judged (report, &j))
    return NULL;
  if (j.samples > 1 && (j.verdict == NP_DIFF_SLOWER || j.verdict == NP_DIFF_FASTER))
    return changed_text (report, &j);
  if (j.verdict == NP_DIFF_SAME)
    return same_text (report, &j);
  return untold_text (report, &j);
}
