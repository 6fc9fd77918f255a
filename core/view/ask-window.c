/* SPDX-License-Identifier: Apache-2.0 */
/* ask-window.c - route window: what devices did in a part of a profile, as nprof report --clip says it. */

#include "view/ask-jobs.h"
#include "view/report.h"
#include "view/sums.h"
#include "view/use.h"

#include <string.h>

static void
put_time (NpJson *j, const char *member, const char *column, const NpReport *devices)
{
  gint64 sum = 0;
  gboolean known = devices->n > 0;
  for (guint i = 0; i < devices->n && known; i++) {
    JsonNode *cell = np_report_cell (devices, i, column);
    known = cell != NULL;
    sum += cell ? json_node_get_int (cell) : 0;
  }
  if (known)
    np_json_metric_time (j, member, sum, "table devices of the window, all devices together");
  else
    np_json_unknown (j, member, "ps",
                     devices->n ? "the file does not tell it of each of its devices"
                                : "no work of a device is in the window");
}

/* Puts a share of the peak, weighted by the span of each device that has it. */
/* Returns whether the row of table mfu is of all steps together, and of that operator. */
static gboolean
is_total (const NpReport *mfu, guint row, const char *of)
{
  JsonNode *operator= np_report_cell (mfu, row, "operator");
  return operator&& !strcmp (json_node_get_string (operator), of)
         && !np_report_cell (mfu, row, "step");
}

/* As np_use_by_shapes, of the window. */
static gboolean
put_mfu_by_shapes (NpJson *j, const NpReport *mfu)
{
  const char *of = "(total)";
  double sum = 0, times = 0;
  gboolean least = FALSE;
  for (guint i = 0; i < mfu->n; i++)
    of = is_total (mfu, i, "(steps)") ? "(steps)" : of;
  for (guint i = 0; i < mfu->n; i++) {
    JsonNode *share = np_report_cell (mfu, i, "mfu"), *time = np_report_cell (mfu, i, "time_ps"),
             *source = np_report_cell (mfu, i, "flops_source");
    if (!is_total (mfu, i, of) || !share || !time)
      continue;
    sum += json_node_get_double (share) * json_node_get_double (time);
    times += json_node_get_double (time);
    least |= source && strstr (json_node_get_string (source), "at least");
  }
  if (times > 0)
    np_json_metric (j, "mfu", sum / times, "1", np_use_source (least));
  return times > 0;
}

static void
put_share (NpAsk *ask, const char *member, const NpReport *devices, const NpReport *mfu)
{
  double sum = 0, spans = 0;
  for (guint i = 0; i < devices->n; i++) {
    JsonNode *share = np_report_cell (devices, i, member),
             *span = np_report_cell (devices, i, "span_ps");
    if (!share || !span)
      continue;
    sum += json_node_get_double (share) * json_node_get_double (span);
    spans += json_node_get_double (span);
  }
  if (spans > 0) {
    np_json_metric (&ask->json, member, sum / spans, "1",
                    "table devices of the window, weighted by span_ps");
    return;
  }
  if (!strcmp (member, "mfu") && put_mfu_by_shapes (&ask->json, mfu))
    return;
  g_autofree char *why = np_use_reason (ask->store, ask->query, member);
  np_json_unknown (&ask->json, member, "1",
                   why ? why : "no operator in the window states its work");
}

/* Puts the total over all steps of a device, of table mfu. */
static void
put_work (NpJson *j, const char *member, const char *unit, const NpReport *mfu)
{
  double sum = 0;
  gboolean any = FALSE;
  for (guint i = 0; i < mfu->n; i++) {
    JsonNode *work = np_report_cell (mfu, i, member);
    if (!work || !is_total (mfu, i, "(total)"))
      continue;
    any = TRUE;
    sum += json_node_get_double (work);
  }
  if (any)
    np_json_metric (j, member, sum, unit, "table mfu of the window, all devices together");
  else
    np_json_unknown (j, member, unit, "the file states none for its operators");
}

static gboolean
put_report (NpAsk *ask, JsonNode *report, gint64 t0, gint64 t1)
{
  static const char *const times[][2]
      = { { "busy", "busy_ps" },       { "idle", "idle_ps" },
          { "compute", "compute_ps" }, { "communication", "communication_ps" },
          { "memory", "copy_ps" },     { "exposed", "exposed_ps" },
          { "overlap", "overlap_ps" }, { "lost", "lost_ps" } };
  static const char *const shares[] = { "mfu", "hfu", "mbu" };
  NpReport devices = np_report_table (report, "devices"), mfu = np_report_table (report, "mfu");
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_i64 (j, "t0", t0);
  np_json_i64 (j, "t1", t1);
  np_json_object (j, "totals");
  np_json_together (j, devices.n, "device");
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    put_time (j, times[i][0], times[i][1], &devices);
  put_work (j, "flops", "flop", &mfu);
  put_work (j, "bytes", "byte", &mfu);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
    put_share (ask, shares[i], &devices, &mfu);
  np_json_end_object (j);
  np_json_end_object (j);
  return TRUE;
}

gboolean
np_ask_window (NpAsk *ask)
{
  g_autoptr (GStrvBuilder) words = g_strv_builder_new ();
  g_autofree char *input = np_job_input (ask, ask->id);
  gint64 t0, t1;
  if (!np_ask_range (ask, &t0, &t1))
    return FALSE;
  g_strv_builder_add_many (words, "/proc/self/exe", "report", "--format", "json", "--top", "0",
                           "--only", "devices,mfu", "--no-progress", NULL);
  np_job_add_window (ask, words);
  g_strv_builder_add_many (words, "--", input, NULL);
  g_autoptr (NpJob) job = np_job_of (ask, words, np_request_segment (ask->request, 4));
  if (!job)
    return FALSE;
  g_autoptr (JsonNode) report = np_job_json (ask, job, "nprof report");
  if (!report)
    return ask->reply->status == 202;
  return put_report (ask, report, t0, t1);
}
