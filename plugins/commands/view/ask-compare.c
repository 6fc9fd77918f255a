/* SPDX-License-Identifier: Apache-2.0 */
/* ask-compare.c - route compare: one profile and each of some others, by the rule of nprof diff. */

#include "compare.h"
#include "stored/cells.h"

#include <math.h>
#include <string.h>

/* -- Rows ------------------------------------------------------------------------------------ */

/* Puts a number; unknown is null. */
static void
put_number (NpJson *j, const char *key, double x)
{
  np_json_double_or_null (j, key, isfinite (x) ? x : (double) NAN);
}

void
np_compare_columns (NpJson *j, const NpColumnText *columns, guint n)
{
  np_json_array (j, "columns");
  for (guint i = 0; i < n; i++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", columns[i][0]);
    np_json_text (j, "type", columns[i][1]);
    np_json_text (j, "unit", columns[i][2]);
    np_json_text (j, "role", columns[i][3]);
    np_json_text (j, "help", "see nprof-diff(1)");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_columns (NpJson *j)
{
  static NpColumnText columns[]
      = { { "operator", "text", "", "key" },    { "renamed", "text", "", "value" },
          { "device", "string", "", "key" },    { "class", "string", "", "value" },
          { "calls_a", "double", "", "value" }, { "calls_b", "double", "", "value" },
          { "a_ps", "double", "ps", "value" },  { "b_ps", "double", "ps", "value" },
          { "change", "double", "1", "value" }, { "interval", "double", "1", "value" },
          { "share", "double", "1", "value" },  { "profile", "string", "", "key" },
          { "verdict", "string", "", "value" } };
  np_compare_columns (j, columns, G_N_ELEMENTS (columns));
}

static void
put_line (NpJson *j, const NpDiffLine *line, const char *device, const char *id)
{
  const NpDiffResult *r = &line->result;
  np_json_array (j, NULL);
  np_json_text (j, NULL, line->name);
  np_json_text (j, NULL, line->renamed);
  np_json_text (j, NULL, device);
  np_json_text (j, NULL, np_diff_class_name (line->kind));
  put_number (j, NULL, r->base_calls);
  put_number (j, NULL, r->new_calls);
  put_number (j, NULL, r->base);
  put_number (j, NULL, r->new);
  put_number (j, NULL, r->delta);
  put_number (j, NULL, r->interval);
  put_number (j, NULL, line->share);
  np_json_text (j, NULL, id);
  np_json_text (j, NULL, np_diff_verdict_name (r->verdict));
  np_json_end_array (j);
}

static guint
put_rows (NpJson *j, const NpDiffReport *diff, NpDiffBy by, const char *id)
{
  guint n = 0;
  for (guint i = 0; i < diff->comparisons->len; i++) {
    const NpDiffComparison *c = diff->comparisons->pdata[i];
    g_autoptr (GArray) lines = by == NP_DIFF_BY_KERNELS ? g_array_ref (c->lines)
                                                        : np_diff_regroup (c, by, &diff->limits);
    for (guint k = 0; k < lines->len; k++)
      put_line (j, &g_array_index (lines, NpDiffLine, k), c->base->device, id);
    n += lines->len;
  }
  return n;
}

/* -- Sums ------------------------------------------------------------------------------------ */

/* What changed of a device; where it does not have it, numbers are NAN and there is no verdict. */
typedef struct {
  double base, new, delta, interval;
  const char *verdict;
} Sum;

static Sum
sum_of (gboolean has, const NpDiffResult *r)
{
  const double none = (double) NAN;
  return has ? (Sum){ r->base, r->new, r->delta, r->interval, np_diff_verdict_name (r->verdict) }
             : (Sum){ none, none, none, none, NULL };
}

/* Work whose launch is not in the file is of no step, and is not compared. */
static const char *
why_no_change (const NpDiffComparison *c)
{
  return c->base->unlinked > 0 || c->new->unlinked > 0
             ? "work whose launch is not in the file is of no step and is not compared"
             : "one of the profiles does not have it";
}

/* Puts the change of one sum of a device, a metric that says of what it is. */
static void
put_total (NpJson *j, const NpDiffComparison *c, const char *name, Sum sum, const char *id)
{
  np_json_object (j, NULL);
  put_number (j, "value", sum.delta);
  np_json_text (j, "unit", "1");
  np_json_text (j, "reason", isfinite (sum.delta) ? "" : why_no_change (c));
  np_json_text (j, "source", "nprof diff");
  np_json_text (j, "part", name);
  np_json_text (j, "device", c->base->device);
  np_json_text (j, "profile", id);
  np_json_text (j, "verdict", sum.verdict);
  put_number (j, "a_ps", sum.base);
  put_number (j, "b_ps", sum.new);
  put_number (j, "interval", sum.interval);
  np_json_end_object (j);
}

/* Puts the step of a device; of recordings without steps their periods, else all of each. */
static void
put_step_total (NpJson *j, const NpDiffReport *diff, const NpDiffComparison *c, const char *id)
{
  const Sum step = sum_of (c->has_step, &c->step);
  const NpDiffPeriod *p = np_diff_frames_period (diff->frames, c->base->device);
  if (np_diff_is_of_steps (c))
    put_total (j, c, "step", step, id);
  else if (p)
    put_total (j, c, "period",
               (Sum){ p->base_median, p->new_median, p->delta, p->interval,
                      np_diff_verdict_name (p->verdict) },
               id);
  else
    put_total (j, c, "recording", step, id);
}

/* Puts the step of each device and what it consists of, as metrics of change. */
static void
put_totals (NpJson *j, const NpDiffReport *diff, const char *id)
{
  for (guint i = 0; i < diff->comparisons->len; i++) {
    const NpDiffComparison *c = diff->comparisons->pdata[i];
    put_step_total (j, diff, c, id);
    put_total (j, c, "work", sum_of (c->has_work, &c->work.result), id);
    put_total (j, c, "communication", sum_of (c->has_communication, &c->communication.result), id);
  }
}

/* -- Steps ----------------------------------------------------------------------------------- */

/* Puts the steps; `why` says when there is none to be read. */
static void
put_step_rows (NpJson *j, struct nprof_store *store, struct nprof_query *q, char *why, gsize size)
{
  g_auto (NpCells) steps = { 0 };
  gint64 start, duration;
  if (!np_cells_open (&steps, store, q, "steps"))
    g_strlcpy (why, "needs the analyzer steps", size);
  for (guint64 i = 0; i < steps.rows; i++) {
    g_autofree char *step = np_cells_text (&steps, i, "step");
    if (!np_cells_i64 (&steps, i, "start_ns", &start)
        || !np_cells_i64 (&steps, i, "duration_ns", &duration))
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "step", step ? step : "");
    np_json_i64 (j, "start", start);
    np_json_i64 (j, "duration", duration);
    np_json_end_object (j);
  }
  if (*q->error)
    g_strlcpy (why, q->error, size);
}

static void
put_steps (NpAsk *ask, const char *id)
{
  char why[600];
  NpProfile *p = np_ask_try_hold (ask, id, why, sizeof why);
  struct nprof_query *q = p ? np_profile_query (p) : NULL;
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_text (j, "profile", id);
  np_json_array (j, "steps");
  if (q) {
    put_step_rows (j, p->store, q, why, sizeof why);
    np_profile_give_back (p, q);
  } else if (!*why) {
    g_strlcpy (why, p ? "no memory is left" : "the profile is not there any more", sizeof why);
  }
  np_json_end_array (j);
  if (*why)
    np_json_text (j, "unknown", why);
  np_json_end_object (j);
}

/* -- Verdicts -------------------------------------------------------------------------------- */

static const char *
verdict_of (const NpDiffReport *diff)
{
  NpDiffJudged judged;
  return np_diff_judged (diff, &judged) ? np_diff_verdict_name (judged.verdict)
                                        : "inconclusive: the profiles have no steps in common";
}

static void
put_unmatched (NpJson *j, const NpDiffReport *diff, const char *id)
{
  for (guint i = 0; diff->alone->pdata[i]; i++) {
    np_json_object (j, NULL);
    np_json_text (j, "profile", id);
    np_json_text (j, "track", diff->alone->pdata[i]);
    np_json_end_object (j);
  }
}

static const NpDiffReport *
diff_of (const GPtrArray *diffs, guint i)
{
  return &((const NpCompared *) diffs->pdata[i])->report;
}

/* Returns whether times and calls of all that is compared are of a step. */
static gboolean
are_of_steps (const GPtrArray *diffs)
{
  for (guint i = 0; i < diffs->len; i++) {
    const GPtrArray *comparisons = diff_of (diffs, i)->comparisons;
    for (guint k = 0; k < comparisons->len; k++)
      if (!np_diff_is_of_steps (comparisons->pdata[k]))
        return FALSE;
  }
  return TRUE;
}

/* Returns the verdict that all of them have, or that they differ. */
static const char *
common_verdict (const GPtrArray *diffs)
{
  const char *first = verdict_of (diff_of (diffs, 0));
  for (guint i = 1; i < diffs->len; i++)
    if (strcmp (verdict_of (diff_of (diffs, i)), first))
      return "differs by profile";
  return first;
}

/* Puts both sides as whole ps. */
static void
put_times (NpJson *j, const char *key, double base, double new)
{
  np_json_array (j, key);
  np_json_i64 (j, NULL, (gint64) floor (base + 0.5));
  np_json_i64 (j, NULL, (gint64) floor (new + 0.5));
  np_json_end_array (j);
}

/* Puts the parts of a mean period of both, which add up to it. */
static void
put_parts (NpJson *j, const NpDiffPeriod *p)
{
  put_times (j, "mean", p->base_mean, p->new_mean);
  np_json_array (j, "parts");
  for (guint i = 0; i < p->parts->len; i++) {
    const NpDiffPart *part = &g_array_index (p->parts, NpDiffPart, i);
    np_json_object (j, NULL);
    np_json_text (j, "part", part->name);
    put_times (j, "time", part->base, part->new);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* Puts what the sentence is about: a device of each profile, and the parts of its mean period. */
static void
put_judged (NpJson *j, const NpDiffReport *diff)
{
  NpDiffJudged judged;
  if (!np_diff_judged (diff, &judged))
    return;
  np_json_object (j, "judged");
  np_json_text (j, "device_a", judged.comparison->base->device);
  np_json_text (j, "device_b", judged.comparison->new->device);
  np_json_text (j, "of", judged.of);
  np_json_text (j, "verdict", np_diff_verdict_name (judged.verdict));
  put_number (j, "a_ps", judged.base);
  put_number (j, "b_ps", judged.new);
  put_number (j, "change", judged.delta);
  put_number (j, "interval", judged.interval);
  if (judged.period)
    put_parts (j, judged.period);
  np_json_end_object (j);
}

/* Puts the verdict of one comparison, and whether it meets the limit that CI would hold it to. */
static void
put_verdict (NpJson *j, const NpDiffReport *diff, const char *id)
{
  g_autofree char *sentence = np_diff_sentence (diff);
  g_autofree char *fail_over = g_strdup_printf ("%g%%", 100 * diff->fail_over);
  np_json_object (j, NULL);
  np_json_text (j, "profile", id);
  np_json_text (j, "text", verdict_of (diff));
  np_json_text (j, "sentence", sentence);
  put_judged (j, diff);
  np_json_text (j, "fail_over", fail_over);
  np_json_bool (j, "met", diff->status == 0);
  np_json_text (j, "unjudged", np_diff_unjudged (diff));
  np_json_number (j, "over", diff->over);
  np_json_end_object (j);
}

/* -- The answer ------------------------------------------------------------------------------ */

/* Puts rows as member `rows`, a table: steps, or what list of nprof diff holds. */
static void
put_table (NpJson *j, const GPtrArray *diffs, NpDiffBy by, char **ids)
{
  const gboolean of_steps = by == NP_DIFF_BY_STEPS;
  guint n = 0;
  np_json_object (j, "rows");
  np_json_text (j, "name", of_steps ? "compare_steps" : "compare");
  np_json_text (j, "title", of_steps ? "Steps beside each other" : "What changed");
  np_json_text (j, "note", "of the base and each other profile, as nprof diff says it");
  if (of_steps)
    np_compare_step_columns (j);
  else
    put_columns (j);
  np_json_array (j, "rows");
  for (guint i = 0; i < diffs->len; i++)
    n += of_steps ? np_compare_step_rows (j, diff_of (diffs, i), ids[i + 1])
                  : put_rows (j, diff_of (diffs, i), by, ids[i + 1]);
  np_json_end_array (j);
  np_json_number (j, "total", n);
  np_json_number (j, "offset", 0);
  np_json_end_object (j);
}

/* Puts a list of what `put` says of each comparison. */
static void
put_each (NpJson *j, const char *key, const GPtrArray *diffs, char **ids,
          void (*put) (NpJson *, const NpDiffReport *, const char *))
{
  np_json_array (j, key);
  for (guint i = 0; i < diffs->len; i++)
    put (j, diff_of (diffs, i), ids[i + 1]);
  np_json_end_array (j);
}

/* Puts the comparisons `diffs` of a with each b; `ids` are a, then each b. */
static void
put_comparison (NpAsk *ask, const GPtrArray *diffs, NpDiffBy by, char **ids)
{
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_text (j, "per", are_of_steps (diffs) ? "step" : "recording");
  put_table (j, diffs, by, ids);
  put_each (j, "totals", diffs, ids, put_totals);
  np_json_array (j, "steps");
  for (char **id = ids; *id; id++)
    put_steps (ask, *id);
  np_json_end_array (j);
  if (by == NP_DIFF_BY_STEPS)
    put_each (j, "medians", diffs, ids, np_compare_medians);
  put_each (j, "unmatched", diffs, ids, put_unmatched);
  put_each (j, "verdicts", diffs, ids, put_verdict);
  np_json_text (j, "verdict", common_verdict (diffs));
  np_json_end_object (j);
}

/* Returns the profile a, then each b; NULL: the reply says what is wrong. */
static GStrv
ids_of (NpAsk *ask)
{
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  const char *base = np_request_param (ask->request, "a");
  guint n = 1;
  g_strv_builder_add (ids, base ? base : "");
  for (guint i = 0; i < ask->request->params->len; i++) {
    const NpParam *p = &g_array_index (ask->request->params, NpParam, i);
    if (strcmp (p->name, "b"))
      continue;
    g_strv_builder_add (ids, p->value);
    n++;
  }
  g_auto (GStrv) list = g_strv_builder_end (ids);
  if (n < 2 || n > 8 || !base) {
    np_reply_fail (ask->reply, 400, "", "expected parameter a and one to seven of b");
    return NULL;
  }
  for (char **id = list; *id; id++)
    if (!np_ask_hold (ask, *id))
      return NULL;
  return g_steal_pointer (&list);
}

gboolean
np_ask_compare (NpAsk *ask)
{
  static const NpDiffBy bys[]
      = { NP_DIFF_BY_KERNELS, NP_DIFF_BY_OPS, NP_DIFF_BY_MODULES, NP_DIFF_BY_STEPS };
  guint by;
  if (!np_ask_word (ask, "by", "name|operator|layer|step", &by))
    return FALSE;
  g_auto (GStrv) ids = ids_of (ask);
  if (!ids)
    return FALSE;
  g_autoptr (GPtrArray) diffs = np_compare_diffs (ask, (const char *const *) ids, bys[by]);
  if (!diffs)
    return ask->reply->status == 202;
  put_comparison (ask, diffs, bys[by], ids);
  return TRUE;
}
