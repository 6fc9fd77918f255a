/* SPDX-License-Identifier: Apache-2.0 */
/* finding-bound.c - tells the verdict of table bound that most time is at stake of.  Steps of one
 * process with one verdict are one thing. */

#include "view/finding.h"

#include <nprof/units.h>
#include <string.h>

/* Finds the window of a verdict, which is that of its step in table critical.  Both tables have a row
 * for each step, mostly at one place. */
static gboolean
find_window (const NpFindingRow *bound, gint64 *start, gint64 *duration)
{
  static const char *const keys[] = { "step", "process", "input" };
  g_auto (NpCells) critical = { 0 };
  NpFindingRow row = { bound->ask, &critical, 0 };
  np_finding_open (bound->ask, &critical, "critical");
  for (guint64 i = 0; i < critical.rows; i++) {
    gboolean same = TRUE;
    row.row = (bound->row + i) % critical.rows;
    for (guint k = 0; same && k < G_N_ELEMENTS (keys); k++)
      same = np_rows_agree (bound, &row, keys[k]);
    if (same)
      return np_row_i64 (&row, "start_ns", start) && np_row_i64 (&row, "duration_ns", duration);
  }
  return FALSE;
}

/* Steps of one process with one verdict. */
typedef struct {
  char *key; /* verdict, process and input */
  guint64 steps, timed, on_path;
  double share;    /* the greatest; -1: not known */
  double at_stake; /* ps: the shares of those steps that are timed */
  double most;     /* ps: that of the step which is told */
  NpFindingRow told;
  gint64 windows;    /* ps: their sum */
  gint64 t0, t1;     /* ps: of the step that is told */
  gint64 walked, of; /* steps of the process that have a verdict, known or not; all of them */
  double of_all; /* ps: at stake of all of them, as those that were walked stand for the others */
} Verdict;

static void
verdict_free (gpointer data)
{
  Verdict *v = data;
  g_free (v->key);
  g_free (v);
}

static char *
key_of (const NpFindingRow *r)
{
  g_autofree char *verdict = np_row_text (r, "verdict", "unknown"),
                  *process = np_row_text (r, "process", ""), *input = np_row_text (r, "input", "");
  return strcmp (verdict, "unknown") ? g_strjoin ("\n", verdict, process, input, NULL) : NULL;
}

static Verdict *
verdict_of (GPtrArray *all, char *key)
{
  for (guint i = 0; i < all->len; i++) {
    Verdict *v = all->pdata[i];
    if (!strcmp (v->key, key)) {
      g_free (key);
      return v;
    }
  }
  Verdict *v = g_new (Verdict, 1);
  *v = (Verdict){ .key = key, .share = -1, .most = -1 };
  g_ptr_array_add (all, v);
  return v;
}

static void
take_step (GPtrArray *all, const NpFindingRow *r)
{
  char *key = key_of (r);
  double share = -1, at_stake = 0;
  gint64 start, duration;
  if (!key)
    return;
  Verdict *v = verdict_of (all, key);
  v->steps++;
  v->on_path += np_row_says (r, "share_of", "critical path");
  if (!np_row_double (r, "share", &share))
    share = -1;
  v->share = MAX (v->share, share);
  if (share >= 0 && find_window (r, &start, &duration)) {
    v->timed++;
    v->windows += duration;
    at_stake = share * (double) duration;
    v->at_stake += at_stake;
  } else {
    start = r->ask->profile->meta->first;
    duration = r->ask->profile->meta->last - start;
  }
  if (at_stake <= v->most)
    return;
  v->most = at_stake;
  v->told = *r;
  v->t0 = start;
  v->t1 = start + duration;
}

/* Finds out of how many steps those of the verdict are: of many only some are walked. */
static void
count_steps (Verdict *v, const NpCells *bound)
{
  gint64 start, duration, windows = 0, of_windows = 0;
  NpFindingRow row = v->told;
  for (row.row = 0; row.row < bound->rows; row.row++) {
    if (!np_rows_agree (&v->told, &row, "process") || !np_rows_agree (&v->told, &row, "input"))
      continue;
    v->walked++;
    windows += find_window (&row, &start, &duration) ? duration : 0;
  }
  gboolean known
      = np_row_i64 (&v->told, "of_steps", &v->of) && np_row_i64 (&v->told, "of_ns", &of_windows);
  v->of_all = v->at_stake;
  if (known && v->of > v->walked && windows > 0)
    v->of_all *= (double) of_windows / (double) windows;
}

/* Returns who bounds steps, as the beginning of a sentence. */
static const char *
subject_of (const NpFindingRow *r)
{
  static const char *const subjects[][2] = {
    { "compute", "Computing bounds" },
    { "memory-bandwidth", "The bandwidth of memory bounds" },
    { "communication", "Communication bounds" },
    { "copy", "Copying bounds" },
    { "host", "The host bounds" },
    { "launch", "Launching short work bounds" },
    { "queue", "Waiting in queues bounds" },
    { "input", "Loading input bounds" },
    { "mixed", "No single part bounds" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++)
    if (np_row_says (r, "verdict", subjects[i][0]))
      return subjects[i][1];
  return NULL;
}

static char *
steps_text (const Verdict *v)
{
  g_autofree char *place = np_row_place (&v->told, "process"),
                  *step = np_row_text (&v->told, "step", NULL);
  if (v->of > v->walked)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GINT64_FORMAT
                            " walked steps (of %" G_GINT64_FORMAT ") of %s",
                            v->steps, v->walked, v->of, place);
  if (v->steps > 1)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " steps of %s", v->steps, place);
  return step ? g_strdup_printf ("step %s of %s", step, place)
              : g_strdup_printf ("the recording of %s", place);
}

/* Returns what the percent is of, "their critical paths": windows of steps, which a path fills. */
static const char *
whole_of (const Verdict *v)
{
  gboolean path = v->on_path == v->steps;
  if (v->steps > 1 || v->of > v->walked)
    return path ? "their critical paths" : "their time";
  return path ? "its critical path" : "its time";
}

/* " for 93.8 % of their time (23.3 ms)". */
static char *
time_text (const Verdict *v)
{
  const char *part = np_row_says (&v->told, "verdict", "mixed") ? ", the largest for" : " for";
  const char *whole = whole_of (v);
  if (v->timed < v->steps)
    return v->share < 0 ? g_strdup ("")
                        : g_strdup_printf ("%s up to %s of %s", part, nprof_share (v->share).text,
                                           whole);
  g_autofree char *all = v->of > v->walked ? g_strdup_printf ("; %s, if all are like these",
                                                              nprof_time ((double) v->of_all).text)
                                           : g_strdup ("");
  double share = v->windows ? v->at_stake / (double) v->windows : 0;
  return g_strdup_printf ("%s %s of %s (%s%s)", part, nprof_share (share).text, whole,
                          nprof_time ((double) v->at_stake).text, all);
}

/* "step 2: compute 94 %; its path is compute to 94 %: 1.6 ms in fusion.15". */
static char *
detail_of (const Verdict *v)
{
  g_autofree char *step = np_row_text (&v->told, "step", NULL),
                  *evidence = np_row_text (&v->told, "evidence", NULL);
  if (!evidence || !step || v->steps == 1)
    return g_steal_pointer (&evidence);
  return g_strdup_printf ("step %s: %s", step, evidence);
}

static NpFinding *
make_finding (const Verdict *v, guint64 more)
{
  g_autofree char *steps = steps_text (v), *time = time_text (v);
  g_autofree char *verdict = np_row_text (&v->told, "verdict", "");
  g_autofree char *other = g_strdup_printf ("%s bounds", verdict);
  const char *subject = subject_of (&v->told);
  gboolean timed = v->timed == v->steps;
  NpFinding *f = g_new (NpFinding, 1);
  *f = (NpFinding){ .rule = "bound",
                    .threshold = "half of a step, else mixed",
                    .table = "bound",
                    .widget = "verdict",
                    .source = !timed ? "the window of a step is not known"
                              : v->of > v->walked
                                  ? "share of table bound in the steps that were walked, of the "
                                    "windows of all steps"
                                  : "share of table bound, of the window of each step",
                    .text = g_strdup_printf ("%s %s%s", subject ? subject : other, steps, time),
                    .detail = detail_of (v),
                    .at_stake = timed ? (gint64) v->of_all : -1,
                    .t0 = v->t0,
                    .t1 = v->t1,
                    .more = more };
  return f;
}

NpFinding *
np_find_bound (NpAsk *ask)
{
  g_auto (NpCells) bound = { 0 };
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (verdict_free);
  const Verdict *best = NULL;
  NpFindingRow row = { ask, &bound, 0 };
  np_finding_open (ask, &bound, "bound");
  for (; row.row < bound.rows; row.row++)
    take_step (all, &row);
  for (guint i = 0; i < all->len; i++) {
    Verdict *v = all->pdata[i];
    count_steps (v, &bound);
    if (!best || v->of_all > best->of_all)
      best = v;
  }
  return best ? make_finding (best, all->len - 1) : NULL;
}
