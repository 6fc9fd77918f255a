/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - tells what stands out in a profile, or in the window that is asked of. */

#include "stored/findings.h"
#include "ask.h"
#include "window-rows.h"

#include <string.h>

#define MOST 4 /* more is not read: widgets have all, and it is said how many are left out */

/* Returns all findings, the first ones first; transfer full. */
static GPtrArray *
find_all (NpAsk *ask)
{
  g_auto (NpCells) rows = { 0 };
  const char *why;
  NpFindingsOf of = { ask->profile,
                      ask->query,
                      &rows,
                      ask->of_part,
                      ask->profile->meta->first,
                      ask->profile->meta->last,
                      np_ask_lost_rows (ask) };
  if (np_asks_for_window (ask))
    np_ask_range (ask, &of.t0, &of.t1);
  if (np_ask_cells (ask, &rows, "findings"))
    np_window_rows (ask, &rows, &why);
  return np_findings_read (&of);
}

/* -- The answer -------------------------------------------------------------------- */

/* Narrows where a finding of table verdict_parts lies to the windows that count, from the first of
 * its device to the last. */
static void
narrow_to_windows (NpFinding *f, const NpCells *windows)
{
  gint64 t0 = G_MAXINT64, t1 = G_MININT64, start, duration;
  for (guint64 row = 0; row < windows->rows; row++) {
    if (!np_cells_is (windows, row, "input", f->input)
        || !np_cells_is (windows, row, "device", f->device)
        || !np_cells_i64 (windows, row, "start_ns", &start)
        || !np_cells_i64 (windows, row, "duration_ns", &duration))
      continue;
    t0 = MIN (t0, start);
    t1 = MAX (t1, start + duration);
  }
  if (t0 > t1)
    return;
  f->t0 = t0;
  f->t1 = t1;
}

static void
put_evidence (NpJson *j, const NpFinding *f)
{
  np_json_object (j, "evidence");
  np_json_i64 (j, "t0", f->t0);
  np_json_i64 (j, "t1", f->t1);
  np_json_bool (j, "exact", f->exact);
  np_json_text (j, "about", f->about);
  np_json_text (j, "table", f->table);
  np_json_text (j, "device", f->device);
  np_json_text (j, "track", f->track);
  np_json_text (j, "place", f->place);
  np_json_end_object (j);
}

/* Returns the row of the device of an input that the finding is about; as many as there are:
 * none. */
static guint64
row_of (const NpCells *verdict, const NpFinding *f)
{
  guint64 row = 0;
  while (row < verdict->rows
         && !(np_cells_is (verdict, row, "input", f->input)
              && np_cells_is (verdict, row, "device", f->device)))
    row++;
  return row;
}

/* Puts a mean step of the device that a gain is of, and what it loses of that.  Null: the finding
 * is of no window that counts. */
static void
put_each (NpJson *j, const NpFinding *f, const NpCells *verdict)
{
  const guint64 row = f->of_window ? row_of (verdict, f) : verdict->rows;
  gint64 windows = 0, length = 0;
  if (row == verdict->rows || f->at_stake < 0 || !np_cells_i64 (verdict, row, "windows", &windows)
      || windows < 1 || !np_cells_i64 (verdict, row, "window_ns", &length)) {
    np_json_null (j, "each");
    return;
  }
  g_autofree char *base = np_cells_text (verdict, row, "base");
  np_json_object (j, "each");
  np_json_i64 (j, "time", (f->at_stake + windows / 2) / windows);
  np_json_i64 (j, "of", (length + windows / 2) / windows);
  np_json_text (j, "base", base);
  np_json_end_object (j);
}

static void
put_devices (NpJson *j, const NpFinding *f)
{
  if (f->of_name)
    np_json_null (j, "devices");
  else
    np_json_number (j, "devices", np_finding_devices (f));
  np_json_text (j, "devices_reason",
                f->of_name ? "it is told of a name once, on whichever devices" : "");
}

static void
put_finding (NpJson *j, const NpFinding *f, const NpCells *verdict)
{
  np_json_object (j, NULL);
  np_json_text (j, "answer", f->answer);
  np_json_text (j, "rule", f->rule);
  np_json_text (j, "threshold", f->threshold);
  np_json_text (j, "text", f->text);
  np_json_text (j, "detail", f->detail ? f->detail : "");
  if (f->at_stake < 0)
    np_json_unknown (j, "at_stake", "ps", f->source);
  else
    np_json_metric_time (j, "at_stake", f->at_stake, f->source);
  put_each (j, f, verdict);
  np_json_text (j, "gain", f->gain);
  np_json_text (j, "advice", f->advice);
  put_evidence (j, f);
  np_json_text (j, "widget", f->widget);
  np_json_number (j, "more", f->more);
  put_devices (j, f);
  np_json_end_object (j);
}

/* Puts what breaks rules and is not among the first findings. */
static void
put_left_out (NpJson *j, const GPtrArray *all)
{
  np_json_array (j, "findings_left_out");
  for (guint i = 0; i < all->len; i++) {
    const NpFinding *f = all->pdata[i];
    guint64 n = f->more + (i >= MOST);
    if (!n)
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "rule", f->rule);
    np_json_number (j, "count", n);
    np_json_text (j, "table", f->table);
    np_json_text (j, "widget", f->widget);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

void
np_json_findings (NpAsk *ask)
{
  g_autoptr (GPtrArray) all = find_all (ask);
  g_auto (NpCells) verdict = { 0 };
  g_auto (NpCells) windows = { 0 };
  if (!ask->of_part) {
    np_ask_cells (ask, &verdict, "verdict");
    np_ask_cells (ask, &windows, "verdict_windows");
  }
  np_json_array (&ask->json, "findings");
  for (guint i = 0; i < MIN (all->len, MOST); i++) {
    NpFinding *f = all->pdata[i];
    if (!f->exact && !strcmp (f->table, "verdict_parts"))
      narrow_to_windows (f, &windows);
    put_finding (&ask->json, f, &verdict);
  }
  np_json_end_array (&ask->json);
  put_left_out (&ask->json, all);
}

gboolean
np_ask_findings (NpAsk *ask)
{
  gint64 t0, t1;
  if (!np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (!np_window_is_known (ask))
    return ask->reply->status == 202;
  ask->of_part = np_asks_for_window (ask);
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  np_json_findings (ask);
  np_json_end_object (&ask->json);
  return TRUE;
}
