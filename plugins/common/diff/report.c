/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - reads the runs of both sides, finds for each device of base the one of new, and says
 * whether what changed meets a limit. */

#include "diff/report.h"
#include "base/error.h"
#include "console/default-analyzers.h"
#include "diff/read.h"

#include <math.h>
#include <string.h>

/* Devices with less work than this, beside the first one's, are judged, but have no part in the
 * chance of a wrong verdict. */
#define LITTLE 0.01

/* Rows of a period differ by less. */
#define LIKE_WORK 1.25

/* What is compared of one profile. */
typedef struct {
  GPtrArray *sides; /* of NpDiffSide */
  NpDiffFrame *frame;
} Run;

/* -- One run ------------------------------------------------------------------------------- */

/* The analyzer of steps comes before the samples, because it says which of them the profile cut. */
GPtrArray *
np_diff_analyzers (NpRegistry *registry, gboolean hosts, NpDiffBy by)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  np_add_makers (names, registry, np_diff_steps_table (hosts));
  for (guint k = 0; np_diff_frame_table (k); k++)
    np_add_makers (names, registry, np_diff_frame_table (k));
  if (!hosts)
    np_add_makers (names, registry, "closed_gaps");
  g_ptr_array_add (names, g_strdup_printf ("samples:of=%s,modules=%s", hosts ? "host" : "device",
                                           by == NP_DIFF_BY_MODULES ? "yes" : "no"));
  return names;
}

/* Returns the tables that are compared, transfer full. */
static GPtrArray *
tables_of (gboolean hosts)
{
  static const char *const always[]
      = { "closed_gaps", "facts", "samples", "kernel_places", "kernel_steps" };
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (names, g_strdup (np_diff_steps_table (hosts)));
  for (guint k = 0; np_diff_frame_table (k); k++)
    g_ptr_array_add (names, g_strdup (np_diff_frame_table (k)));
  for (guint k = 0; k < G_N_ELEMENTS (always); k++)
    g_ptr_array_add (names, g_strdup (always[k]));
  return names;
}

NpAnalysis *
np_diff_analysis (NpRegistry *registry, const char *folder, gboolean hosts, NpDiffBy by)
{
  NpAnalysis *analysis = np_analysis_new (registry, folder);
  g_ptr_array_unref (analysis->analyzers);
  analysis->analyzers = np_diff_analyzers (registry, hosts, by);
  analysis->tables = tables_of (hosts);
  analysis->alone = TRUE;
  return analysis;
}

static void
run_free (gpointer data)
{
  Run *run = data;
  np_diff_frame_free (run->frame);
  g_ptr_array_unref (run->sides);
  g_free (run);
}

GPtrArray *
np_diff_runs_new (void)
{
  return g_ptr_array_new_with_free_func (run_free);
}

void
np_diff_runs_add (GPtrArray *runs, const NpTableStore *tables, gboolean hosts, GHashTable *names)
{
  Run *run = g_new0 (Run, 1);
  run->frame = np_diff_frame_read (tables);
  run->sides = np_diff_read (tables, hosts, names);
  g_ptr_array_add (runs, run);
}

gboolean
np_diff_runs_have_work (const GPtrArray *runs)
{
  for (guint i = 0; i < runs->len; i++)
    if (((const Run *) runs->pdata[i])->sides->len)
      return TRUE;
  return FALSE;
}

static gsize
bytes_of_array (const GArray *array)
{
  return sizeof *array + array->len * (gsize) g_array_get_element_size ((GArray *) array);
}

static gsize
bytes_of_side (const NpDiffSide *side)
{
  gsize bytes = sizeof *side + bytes_of_array (side->steps) + bytes_of_array (side->blocks);
  for (guint i = 0; i < side->series->len; i++) {
    const NpDiffSeries *s = side->series->pdata[i];
    bytes += sizeof *s + (s->kernel ? strlen (s->kernel) : 0) + bytes_of_array (s->places)
             + bytes_of_array (s->sums);
  }
  return bytes;
}

gsize
np_diff_runs_bytes (const GPtrArray *runs)
{
  gsize bytes = 0;
  for (guint i = 0; i < runs->len; i++) {
    const GPtrArray *sides = ((const Run *) runs->pdata[i])->sides;
    for (guint k = 0; k < sides->len; k++)
      bytes += bytes_of_side (sides->pdata[k]);
  }
  return bytes;
}

/* -- Devices --------------------------------------------------------------------------------- */

/* Returns the device with that label, else the one that stands there; NULL: neither. */
static NpDiffSide *
device_like (const GPtrArray *sides, const NpDiffSide *like, guint number)
{
  for (guint i = 0; i < sides->len; i++) {
    NpDiffSide *side = g_ptr_array_index (sides, i);
    if (g_str_equal (side->device, like->device))
      return side;
  }
  return number < sides->len ? g_ptr_array_index (sides, number) : NULL;
}

/* Returns the devices of one side, several runs joined to one.  Transfer full. */
static GPtrArray *
join_runs (const GPtrArray *runs, gboolean several)
{
  GPtrArray *first = ((Run *) runs->pdata[0])->sides;
  if (!several)
    return g_ptr_array_ref (first);
  GPtrArray *joined = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_side_free);
  for (guint i = 0; i < first->len; i++) {
    g_autoptr (GPtrArray) of_runs = g_ptr_array_new ();
    for (guint r = 0; r < runs->len; r++) {
      NpDiffSide *side = device_like (((Run *) runs->pdata[r])->sides, first->pdata[i], i);
      if (side)
        g_ptr_array_add (of_runs, side);
    }
    g_ptr_array_add (joined,
                     np_diff_side_of_runs ((NpDiffSide *const *) of_runs->pdata, of_runs->len));
  }
  return joined;
}

static void
note_alone (GPtrArray *alone, const char *side, const char *device)
{
  g_ptr_array_add (alone, g_strdup_printf ("%s, only in the %s profile", device, side));
}

/* Finds for each device of base the one of new, by label, then by order.  The array holds
 * NpDiffSide or NULL, by base. */
static GPtrArray *
match_devices (const GPtrArray *base, const GPtrArray *new, GPtrArray *alone)
{
  GPtrArray *matched = g_ptr_array_new ();
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  g_ptr_array_set_size (matched, (int) base->len);
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < base->len; i++) {
      const NpDiffSide *side = g_ptr_array_index (base, i);
      for (guint n = 0; n < new->len && !matched->pdata[i]; n++) {
        NpDiffSide *other = g_ptr_array_index (new, n);
        if (!g_hash_table_contains (used, other)
            && (pass || g_str_equal (side->device, other->device))) {
          matched->pdata[i] = other;
          g_hash_table_add (used, other);
        }
      }
    }
  for (guint i = 0; i < base->len; i++)
    if (!matched->pdata[i])
      note_alone (alone, "base", ((NpDiffSide *) g_ptr_array_index (base, i))->device);
  for (guint n = 0; n < new->len; n++)
    if (!g_hash_table_contains (used, g_ptr_array_index (new, n)))
      note_alone (alone, "new", ((NpDiffSide *) g_ptr_array_index (new, n))->device);
  return matched;
}

static guint
count_large (const GPtrArray *base)
{
  guint n = 0;
  for (guint i = 0; i < base->len; i++)
    n += ((NpDiffSide *) base->pdata[i])->work >= LITTLE * ((NpDiffSide *) base->pdata[0])->work;
  return MAX (n, 1);
}

static GPtrArray *
compare_devices (const GPtrArray *base, const GPtrArray *new, NpDiffLimits *limits,
                 GPtrArray *alone)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) np_diff_comparison_free);
  g_autoptr (GPtrArray) matched = match_devices (base, new, alone);
  limits->parts = count_large (base);
  for (guint i = 0; i < base->len; i++)
    if (matched->pdata[i])
      g_ptr_array_add (all,
                       np_diff_compare (g_ptr_array_index (base, i), matched->pdata[i], limits));
  g_ptr_array_add (alone, NULL);
  return all;
}

/* -- Both sides ------------------------------------------------------------------------------ */

const char *
np_diff_unjudged (const NpDiffReport *report)
{
  if (!report->comparisons->len)
    return "nothing was compared";
  return report->frames && !report->frames->judged ? "nothing is judged, as the machines differ"
                                                   : NULL;
}

/* Fails when a change is told and over the limit, and when nothing was compared, as of a profile
 * that was recorded in vain, or nothing can be judged, as of two machines; with --strict also when
 * something cannot be told. */
static NpExit
status_of (const NpDiffReport *report)
{
  gboolean untold = report->gaps > 0 || report->alone->pdata[0];
  if (isnan (report->fail_over))
    return NP_EXIT_OK;
  if (np_diff_unjudged (report))
    return NP_EXIT_GATE;
  for (guint i = 0; i < report->comparisons->len && !untold; i++)
    untold = np_diff_is_untold (report->comparisons->pdata[i], &report->limits);
  return report->over || (report->strict && untold) ? NP_EXIT_GATE : NP_EXIT_OK;
}

static guint
count_over (const NpDiffReport *report, const NpDiffComparison *c)
{
  const NpDiffPeriod *p = np_diff_period_of (report, c);
  return np_diff_count_over (c, &report->limits)
         + (p && p->verdict == NP_DIFF_SLOWER && p->delta > report->limits.threshold);
}

/* Periods that repeat other work are none that could be compared: then counts of rows differ. */
static void
keep_periods_of_like_work (const NpDiffFrames *frames, const GPtrArray *comparisons)
{
  for (guint i = 0; frames && i < frames->periods->len; i++) {
    NpDiffPeriod *p = &g_array_index (frames->periods, NpDiffPeriod, i);
    for (guint k = 0; k < comparisons->len && g_str_equal (p->base_of, "period"); k++) {
      const NpDiffComparison *c = g_ptr_array_index (comparisons, k);
      const double base = (double) c->base->rows / p->base_n,
                   new = (double) c->new->rows / p->new_n;
      if (g_str_equal (c->base->device, p->device)
          && (base > LIKE_WORK * new || new > LIKE_WORK *base))
        p->verdict = NP_DIFF_NOT_TOLD;
    }
  }
}

void
np_diff_report_fill (NpDiffReport *report, const GPtrArray *base, const GPtrArray *new)
{
  const gboolean several = base->len > 1 || new->len > 1;
  NpDiffLimits *limits = &report->limits;
  limits->threshold = isnan (report->fail_over) ? NP_DIFF_THRESHOLD : report->fail_over;
  limits->floor = fmin (NP_DIFF_FLOOR, limits->threshold);
  report->sides[0] = join_runs (base, several);
  report->sides[1] = join_runs (new, several);
  report->alone = g_ptr_array_new_with_free_func (g_free);
  report->comparisons = compare_devices (report->sides[0], report->sides[1], limits, report->alone);
  if (!several)
    report->frames
        = np_diff_frames_new (((Run *) base->pdata[0])->frame, ((Run *) new->pdata[0])->frame,
                              report->comparisons, limits, report->other_machine);
  for (guint i = 0; report->frames && !report->frames->judged && i < report->comparisons->len; i++)
    np_diff_forget_verdicts (report->comparisons->pdata[i]);
  keep_periods_of_like_work (report->frames, report->comparisons);
  for (guint i = 0; i < report->comparisons->len; i++)
    report->over += count_over (report, report->comparisons->pdata[i]);
  report->status = (int) status_of (report);
}

gsize
np_diff_report_bytes (const NpDiffReport *report)
{
  gsize bytes = sizeof *report;
  for (guint i = 0; i < report->comparisons->len; i++) {
    const NpDiffComparison *c = report->comparisons->pdata[i];
    bytes += sizeof *c + bytes_of_array (c->pairs) + bytes_of_array (c->lines)
             + bytes_of_array (c->renamed);
  }
  return bytes;
}

void
np_diff_report_clear (NpDiffReport *report)
{
  np_diff_frames_free (report->frames);
  g_clear_pointer (&report->comparisons, g_ptr_array_unref);
  g_clear_pointer (&report->alone, g_ptr_array_unref);
  for (guint side = 0; side < G_N_ELEMENTS (report->sides); side++)
    g_clear_pointer (&report->sides[side], g_ptr_array_unref);
}

const NpDiffPeriod *
np_diff_period_of (const NpDiffReport *report, const NpDiffComparison *c)
{
  return g_str_equal (c->base->by, "recording")
             ? np_diff_frames_period (report->frames, c->base->device)
             : NULL;
}
