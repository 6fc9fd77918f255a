/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - tells what stands out in a profile: the verdicts of table bound and the longest idle
 * gap. */

#include "view/ask.h"
#include "view/cells.h"
#include "view/time-text.h"

#include <string.h>

static void
put_evidence (NpJson *j, gint64 t0, gint64 t1, const char *table)
{
  np_json_object (j, "evidence");
  np_json_i64 (j, "t0", t0);
  np_json_i64 (j, "t1", t1);
  np_json_array (j, "rows");
  np_json_end_array (j);
  np_json_text (j, "table", table);
  np_json_end_object (j);
}

/* Finds the window of a verdict, which is that of its step in table critical. */
static void
find_window (NpAsk *ask, const NpCells *bound, guint64 row, gint64 *t0, gint64 *t1)
{
  static const char *const keys[] = { "input", "step", "process" };
  g_auto (NpCells) critical = { 0 };
  gint64 start, duration;
  *t0 = ask->profile->meta->first;
  *t1 = ask->profile->meta->last;
  np_cells_open (&critical, ask->store, ask->query, "critical");
  for (guint64 i = 0; i < critical.rows; i++) {
    gboolean same = TRUE;
    for (guint k = 0; same && k < G_N_ELEMENTS (keys); k++) {
      g_autofree char *own = np_cells_text (bound, row, keys[k]),
                      *other = np_cells_text (&critical, i, keys[k]);
      same = !g_strcmp0 (own, other);
    }
    if (!same || !np_cells_i64 (&critical, i, "start_ns", &start)
        || !np_cells_i64 (&critical, i, "duration_ns", &duration))
      continue;
    *t0 = start;
    *t1 = start + duration;
    return;
  }
}

/* Steps of one process that the same is said of. */
typedef struct {
  char *text, *process, *first, *last; /* first and last: steps */
  guint steps;
  gboolean shared; /* share is known */
  double share;    /* the greatest */
  gint64 t0, t1;
} Verdict;

static void
verdict_free (gpointer data)
{
  Verdict *v = data;
  g_free (v->text);
  g_free (v->process);
  g_free (v->first);
  g_free (v->last);
  g_free (v);
}

static Verdict *
verdict_of (GPtrArray *all, char *text, char *process)
{
  for (guint i = 0; i < all->len; i++) {
    Verdict *v = all->pdata[i];
    if (!strcmp (v->text, text) && !g_strcmp0 (v->process, process)) {
      g_free (text);
      g_free (process);
      return v;
    }
  }
  Verdict *v = g_new0 (Verdict, 1);
  *v = (Verdict){ .text = text, .process = process, .t0 = G_MAXINT64, .t1 = G_MININT64 };
  g_ptr_array_add (all, v);
  return v;
}

static void
take_verdict (NpAsk *ask, const NpCells *bound, guint64 row, GPtrArray *all)
{
  g_autofree char *verdict = np_cells_text (bound, row, "verdict"),
                  *text = np_cells_text (bound, row, "evidence");
  double share = 0;
  gint64 t0, t1;
  if (!verdict || !strcmp (verdict, "unknown"))
    return;
  Verdict *v = verdict_of (all, text ? g_steal_pointer (&text) : g_steal_pointer (&verdict),
                           np_cells_text (bound, row, "process"));
  find_window (ask, bound, row, &t0, &t1);
  v->shared |= np_cells_double (bound, row, "share", &share);
  v->share = MAX (v->share, share);
  v->t0 = MIN (v->t0, t0);
  v->t1 = MAX (v->t1, t1);
  v->steps++;
  g_free (v->last);
  v->last = np_cells_text (bound, row, "step");
  v->first = v->first ? v->first : g_strdup (v->last);
}

/* "compute 94 %: steps 0 to 3 of host": which steps, and whose where there are several processes. */
static char *
text_of (const Verdict *v, gboolean several)
{
  g_autoptr (GString) text = g_string_new (v->text);
  if (v->first && v->steps == 1)
    g_string_append_printf (text, ": step %s", v->first);
  else if (v->first)
    g_string_append_printf (text, ": %u steps, %s to %s", v->steps, v->first, v->last);
  if (several && v->process)
    g_string_append_printf (text, " of %s", v->process);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
put_verdict (NpJson *j, const Verdict *v, gboolean several)
{
  g_autofree char *text = text_of (v, several);
  np_json_object (j, NULL);
  np_json_text (j, "rule", "bound");
  np_json_text (j, "threshold", "");
  np_json_text (j, "text", text);
  if (v->shared)
    np_json_metric (j, "at_stake", v->share, "1",
                    "share of table bound, the greatest of the steps");
  else
    np_json_unknown (j, "at_stake", "1", "the verdict has no share");
  put_evidence (j, v->t0, v->t1, "bound");
  np_json_text (j, "widget", "verdict");
  np_json_end_object (j);
}

static void
put_bound (NpAsk *ask)
{
  g_auto (NpCells) bound = { 0 };
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (verdict_free);
  gboolean several = FALSE;
  np_cells_open (&bound, ask->store, ask->query, "bound");
  for (guint64 i = 0; i < bound.rows; i++)
    take_verdict (ask, &bound, i, all);
  for (guint i = 1; i < all->len; i++)
    several
        |= g_strcmp0 (((Verdict *) all->pdata[i])->process, ((Verdict *) all->pdata[0])->process)
           != 0;
  for (guint i = 0; i < all->len; i++)
    put_verdict (&ask->json, all->pdata[i], several);
}

/* Puts the longest gap that has a place. */
static void
put_idle (NpAsk *ask)
{
  g_auto (NpCells) gaps = { 0 };
  NpJson *j = &ask->json;
  gint64 start, duration, best = -1, from = 0;
  guint64 row = 0;
  np_cells_open (&gaps, ask->store, ask->query, "gaps");
  for (guint64 i = 0; i < gaps.rows; i++)
    if (np_cells_i64 (&gaps, i, "start_ns", &start)
        && np_cells_i64 (&gaps, i, "duration_ns", &duration) && duration > best) {
      best = duration;
      from = start;
      row = i;
    }
  if (best < 0)
    return;
  g_autofree char *device = np_cells_text (&gaps, row, "device"),
                  *cause = np_cells_text (&gaps, row, "cause"), *length = np_time_text (best),
                  *begin = np_time_text (from);
  g_autofree char *text
      = g_strdup_printf ("%s is idle for %s at %s: %s", device ? device : "the device", length,
                         begin, cause ? cause : "unknown");
  np_json_object (j, NULL);
  np_json_text (j, "rule", "gap");
  np_json_text (j, "threshold", "the longest");
  np_json_text (j, "text", text);
  np_json_metric_time (j, "at_stake", best, "duration_ns of table gaps");
  put_evidence (j, from, from + best, "gaps");
  np_json_text (j, "widget", "gaps");
  np_json_end_object (j);
}

void
np_json_findings (NpAsk *ask)
{
  np_json_array (&ask->json, "findings");
  put_bound (ask);
  put_idle (ask);
  np_json_end_array (&ask->json);
}
