/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - what stands out in a profile: the verdicts of table bound and the longest idle gap. */

#include "view/ask.h"
#include "view/cells.h"

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

/* The window of a verdict: that of its step in table critical. */
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

static void
put_bound (NpAsk *ask)
{
  g_auto (NpCells) bound = { 0 };
  NpJson *j = &ask->json;
  np_cells_open (&bound, ask->store, ask->query, "bound");
  for (guint64 i = 0; i < bound.rows; i++) {
    g_autofree char *verdict = np_cells_text (&bound, i, "verdict"),
                    *text = np_cells_text (&bound, i, "evidence");
    double share = 0;
    gint64 t0, t1;
    if (!verdict || !strcmp (verdict, "unknown"))
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "rule", "bound");
    np_json_text (j, "threshold", "");
    np_json_text (j, "text", text ? text : verdict);
    if (np_cells_double (&bound, i, "share", &share))
      np_json_metric (j, "at_stake", share, "1", "share of table bound");
    else
      np_json_unknown (j, "at_stake", "1", "the verdict has no share");
    find_window (ask, &bound, i, &t0, &t1);
    put_evidence (j, t0, t1, "bound");
    np_json_text (j, "widget", "verdict");
    np_json_end_object (j);
  }
}

/* The longest gap that has a place. */
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
                  *cause = np_cells_text (&gaps, row, "cause");
  g_autofree char *text
      = g_strdup_printf ("%s is idle for %.3f us at %.3f us: %s", device ? device : "the device",
                         (double) best / 1e6, (double) from / 1e6, cause ? cause : "unknown");
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
