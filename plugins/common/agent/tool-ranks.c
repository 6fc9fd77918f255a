/* SPDX-License-Identifier: Apache-2.0 */
/* tool-ranks.c - tool ranks: whom the other ranks of a job wait for, by table job_collectives. */
#include "agent/unknown.h"

/* Who is at fault, for the cause that weighs most, or who came last where nobody is; of a group,
 * whose network was slow, no rank. Groups may wait at the same time, so of what ranks were held the
 * group with most counts. */
#define LATE                                                                                       \
  "with scoped as (select * from job_collectives where %d or step = %lld), "                       \
  "causes as (select who, cause, row_number() over (partition by who order by sum(late_ps) desc, " \
  "cause) as nth from scoped where who is not null group by who, cause), "                         \
  "here as (select s.*, who as late_one from scoped s join causes using (who, cause) "             \
  "where nth = 1 union all select *, 'rank ' || last from scoped where who is null and "           \
  "'rank ' || last not in (select who from causes)), "                                             \
  "held as (select late_one, max(of_group) as held from (select late_one, sum(late_ps) as "        \
  "of_group from here group by late_one, \"group\") group by late_one) "                           \
  "select case when late_one glob 'rank [0-9]*' then cast(substr(late_one, 6) as integer) end, "   \
  "sum(cost_ps), (select count(*) from scoped l where 'rank ' || l.last = late_one), cause, "      \
  "late_one, held from here join held using (late_one) group by late_one "                         \
  "order by max(who is not null) desc, 2 desc, late_one"

static void
put_late (NpCall *call, sqlite3_stmt *stmt, gint64 of)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  np_json_object (j, NULL);
  if (sqlite3_column_type (stmt, 0) == SQLITE_NULL)
    np_call_name (call, "name", np_column (stmt, 4));
  else
    np_json_integer (j, "rank", sqlite3_column_int64 (stmt, 0));
  np_put_ns (call, "waited_ns", stmt, 1);
  np_put_ns (call, "held_ns", stmt, 5);
  np_json_integer (j, "times", sqlite3_column_int64 (stmt, 2));
  np_json_integer (j, "of", of);
  np_call_name (call, "cause", np_column (stmt, 3));
  np_call_end_item (call, mark, 120);
}

void
np_tool_ranks (NpCall *call)
{
  const NpWhole step = call->args.step;
  gint64 of = np_ask_whole (call, 0, "select count(*) from job_collectives where %d or step = %lld",
                            !step.given, (long long) step.value);
  if (!of) {
    np_abstain_unknown (call, "ranks");
    call->reason = step.given ? "out_of_scope" : call->reason;
    np_call_say (call, "the profile has no collectives of several ranks");
    np_call_next (call, "open", "a folder with one file a rank", NULL);
    return;
  }
  sqlite3_stmt *stmt = np_ask (call, LATE, !step.given, (long long) step.value);
  np_json_array (&call->data.json, "late");
  for (; stmt && sqlite3_step (stmt) == SQLITE_ROW; call->total = MAX (call->total, 0) + 1)
    put_late (call, stmt, of);
  sqlite3_finalize (stmt);
  np_json_end_array (&call->data.json);
  np_put_unknown (call);
  call->certainty = "upper_bound";
  np_call_say (call, "who others wait for at collectives, most first: waited_ns of all that wait "
                     "together, at most, held_ns from the first rank to the last");
  np_call_next (call, "table", "who is at fault, and why", "id", call->id, "name", "stragglers",
                NULL);
}
