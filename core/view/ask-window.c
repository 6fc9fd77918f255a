/* SPDX-License-Identifier: Apache-2.0 */
/* ask-window.c - route window: what devices did in a part of a profile, as nprof report --clip says it. */

#include "view/ask-jobs.h"
#include "view/device-totals.h"
#include "view/report.h"

static gboolean
put_report (NpAsk *ask, JsonNode *report, gint64 t0, gint64 t1)
{
  g_auto (NpCells) devices = { 0 }, mfu = { 0 };
  NpJson *j = &ask->json;
  np_report_cells (&devices, report, "devices");
  np_report_cells (&mfu, report, "mfu");
  np_json_object (j, NULL);
  np_json_i64 (j, "t0", t0);
  np_json_i64 (j, "t1", t1);
  np_json_object (j, "totals");
  np_json_device_totals (ask, &devices, &mfu, TRUE);
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
