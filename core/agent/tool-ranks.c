/* SPDX-License-Identifier: Apache-2.0 */
/* tool-ranks.c - tool ranks: whom the other ranks of a job wait for, by table job_collectives. */
#include "agent/unknown.h"

static void
put_late (NpCall *call, sqlite3_stmt *stmt, gint64 of)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  np_json_object (j, NULL);
  np_json_integer (j, "rank", sqlite3_column_int64 (stmt, 0));
  np_put_ns (call, "waited_ns", stmt, 1);
  np_json_integer (j, "times", sqlite3_column_int64 (stmt, 2));
  np_json_integer (j, "of", of);
  np_call_name (call, "cause", np_column (stmt, 3));
  np_call_end_item (call, mark, 120);
}

void
np_tool_ranks (NpCall *call)
{
  const NpWhole step = call->args.step;
  const char *record;
  gint64 of = np_ask_whole (call, 0, "select count(*) from job_collectives where %d or step = %lld",
                            !step.given, (long long) step.value);
  if (!of) {
    const char *why = np_why_unknown (call, "ranks", &record);
    np_call_abstain (call, "ranks", step.given ? "out_of_scope" : why, record);
    np_call_say (call, "the profile has no collectives of several ranks");
    np_call_next (call, "open", "a folder with one file a rank", NULL);
    return;
  }
  sqlite3_stmt *stmt
      = np_ask (call,
                "select last, sum(cost_ps), count(*), min(cause) from job_collectives where "
                "last is not null and (%d or step = %lld) group by last order by 2 desc, 1",
                !step.given, (long long) step.value);
  np_json_array (&call->data.json, "late");
  for (; stmt && sqlite3_step (stmt) == SQLITE_ROW; call->total = MAX (call->total, 0) + 1)
    put_late (call, stmt, of);
  sqlite3_finalize (stmt);
  np_json_end_array (&call->data.json);
  np_put_unknown (call);
  call->certainty = "upper_bound";
  np_call_say (call,
               "time that the other ranks wait at collectives, at most, by the rank that came "
               "last");
  np_call_next (call, "table", "who is at fault, and why", "id", call->id, "name", "stragglers",
                NULL);
}
