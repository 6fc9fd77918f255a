/* SPDX-License-Identifier: Apache-2.0 */
/* tool-explain.c - tool explain: the chain of causes of a finding, a gap, a step, an event or an
 * operator, each link what the one before it waited for or came of. */
#include "agent/findings.h"
#include "agent/names.h"
#include "agent/unknown.h"

#include <string.h>

#define DEEPEST 12 /* callers that are looked at */

/* Puts a link; ns -1: unknown, row -1: none.  Returns whether there was room. */
static gboolean
put_link (NpCall *call, const char *kind, gint64 ps, const char *name, gint64 row,
          const char *source)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  np_json_object (j, NULL);
  np_call_name (call, "kind", kind && *kind ? kind : "span");
  if (ps >= 0)
    np_json_integer (j, "ns", np_ns_of (ps));
  np_call_name (call, "name", name);
  if (row >= 0)
    np_json_integer (j, "row", row);
  np_call_name (call, "source", source);
  return np_call_end_item (call, mark, 20);
}

/* Puts links of all rows of a statement: kind, ps, name. */
static void
put_links (NpCall *call, sqlite3_stmt *stmt)
{
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    if (!put_link (call, np_column (stmt, 0), sqlite3_column_int64 (stmt, 1), np_column (stmt, 2),
                   -1, NULL))
      break;
  sqlite3_finalize (stmt);
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Returns the column of events, which has those that a row of the profile has. */
static const char *
column_or_null (NpCall *call, const char *column)
{
  return np_has_column (call, "events", column) ? column : "null";
}

/* Puts a row of events; *correlation: its id, 0: none. */
static gboolean
put_event (NpCall *call, gint64 row, gint64 *correlation)
{
  sqlite3_stmt *stmt
      = np_ask (call,
                "select coalesce(category, kind), duration_ps, name, %s, %s from events where "
                "rowid = %lld",
                column_or_null (call, "correlation_id"), column_or_null (call, "source"),
                (long long) row);
  gboolean any = stmt && sqlite3_step (stmt) == SQLITE_ROW;
  if (any) {
    *correlation = sqlite3_column_int64 (stmt, 3);
    any = put_link (call, np_column (stmt, 0), sqlite3_column_int64 (stmt, 1), np_column (stmt, 2),
                    row, np_column (stmt, 4));
  }
  sqlite3_finalize (stmt);
  return any;
}

/* Puts the callers of a row, innermost first. */
static void
put_callers (NpCall *call, gint64 row)
{
  gint64 none;
  for (guint depth = 0; depth < DEEPEST; depth++) {
    row = np_ask_whole (call, -1, "select parent_id from slice where id = %lld", (long long) row);
    if (row < 0 || !put_event (call, row, &none))
      return;
  }
}

static gboolean
has_launches (NpCall *call)
{
  return np_ask_whole (call, 0, "select sum(launches) from launches") > 0;
}

/* Returns the row of another track that a correlation joins with a row, -1: there is none.  A call
 * and its work begin close to each other, and ids are in no order. */
static gint64
joined_row (NpCall *call, gint64 row, gint64 correlation)
{
  gint64 found = -1;
  for (guint i = 0; i < NP_REACHES && found < 0; i++)
    found = np_ask_whole (call, -1,
                          "with this as (select track, start_ps from events where rowid = %lld) "
                          "select e.rowid from this cross join events e where e.start_ps between "
                          "this.start_ps - %lld and this.start_ps + %lld and e.kind = 'span' and "
                          "e.correlation_id = %lld and e.track <> this.track order by e.start_ps",
                          (long long) row, (long long) np_reaches[i], (long long) np_reaches[i],
                          (long long) correlation);
  return found;
}

/* Puts a row, the call that launched it, and who called that. */
static void
put_row_chain (NpCall *call, gint64 row)
{
  gint64 correlation = 0;
  if (!put_event (call, row, &correlation))
    return;
  gint64 launch = correlation ? joined_row (call, row, correlation) : -1;
  if (launch >= 0)
    put_event (call, launch, &correlation);
  put_callers (call, launch >= 0 ? launch : row);
}

/* Returns the longest kernel, else copy or fill; operators of hosts may be called like kernels. */
static gint64
longest_kernel (NpCall *call)
{
  return np_ask_whole (call, -1,
                       "with longest as (select kernel as name, category, max_ps, 0 as memory "
                       "from kernels union all select copy, category, max_ps, 1 from copies "
                       "order by memory, max_ps desc limit 1) "
                       "select e.rowid from longest k cross join events e where e.kind = 'span' "
                       "and e.name = k.name and e.category is k.category and "
                       "e.duration_ps = k.max_ps");
}

/* Returns the longest row of a device that is an operator; formats that know operators alone have
 * no kernels. */
static gint64
longest_operator (NpCall *call)
{
  return np_ask_whole (call, -1,
                       "with held as (select device from devices) select rowid from events where "
                       "kind = 'span' and category is not null and process in held and name in "
                       "(select operator from operators where device in held) order by "
                       "duration_ps desc, rowid limit 1");
}

/* Returns the longest row of the name, -1: none has it. */
static gint64
longest_of (NpCall *call, const char *name)
{
  return np_ask_whole (call, -1,
                       "select rowid from events where kind = 'span' and name = %Q "
                       "order by duration_ps desc",
                       name);
}

/* Returns the longest row of a name as an answer shows it, cleaned and cut; -1: none has it. */
static gint64
longest_shown (NpCall *call, const char *shown)
{
  gint64 row = -1;
  if (!strstr (shown, "\\u{") && !strstr (shown, "\u2026"))
    return -1;
  sqlite3_stmt *stmt = np_ask (call, "select distinct name from events where kind = 'span'");
  while (row < 0 && stmt && sqlite3_step (stmt) == SQLITE_ROW) {
    const char *name = np_column (stmt, 0);
    g_autofree char *clean = name ? np_name_clean (name, -1) : NULL;
    if (!g_strcmp0 (clean, shown))
      row = longest_of (call, name);
  }
  sqlite3_finalize (stmt);
  return row;
}

static void
explain_row (NpCall *call)
{
  const char *name = call->args.name;
  gboolean longest = !name || !strcmp (name, "(longest)");
  if (!has_launches (call) && np_ask_whole (call, 0, "select count(*) from devices")) {
    np_call_abstain (call, "launches", "no_launches", "calls of the host beside the device's rows");
    np_call_say (call, "no call of a host is in the file");
    np_call_next (call, "table", "what the device did", "id", call->id, "name", "kernels", NULL);
    return;
  }
  gint64 row = call->args.row.given ? call->args.row.value
               : longest            ? longest_kernel (call)
                                    : longest_of (call, name);
  if (row < 0)
    row = longest ? longest_operator (call) : longest_shown (call, name);
  put_row_chain (call, row);
  np_call_say (call, "a row, the call that launched it, and who called that");
}

/* -- Findings, gaps and steps ------------------------------------------------------------------ */

static void
put_idle_causes (NpCall *call, const char *cause)
{
  put_links (call, np_ask (call,
                           "select 'idle.' || cause, sum(duration_ps), \"where\" from "
                           "idle_causes where cause = %Q and \"where\" is not null group by "
                           "\"where\" order by 2 desc, 3 limit 5",
                           cause));
}

/* Puts the longest row of that name and its callers, where one is. */
static void
put_named (NpCall *call, const char *name)
{
  gint64 row = name ? longest_of (call, name) : -1;
  if (row >= 0)
    put_row_chain (call, row);
}

static void
explain_finding (NpCall *call)
{
  sqlite3_stmt *stmt = np_findings (call, call->args.row.value);
  if (stmt && sqlite3_step (stmt) == SQLITE_ROW) {
    const char *code = np_column (stmt, NP_FINDING_CODE);
    put_link (call, code, sqlite3_column_int64 (stmt, NP_FINDING_STAKE),
              np_column (stmt, NP_FINDING_NAME), call->args.row.value, NULL);
    put_idle_causes (call, code);
    put_named (call, np_column (stmt, NP_FINDING_NAME));
  }
  sqlite3_finalize (stmt);
  np_call_say (call, "what stands out, the calls meanwhile with most time, and the longest of its "
                     "rows with its callers");
}

static void
explain_idle (NpCall *call)
{
  gint64 row = call->args.row.given
                   ? call->args.row.value
                   : np_ask_whole (call, -1, "select rowid from gaps order by duration_ps desc");
  put_links (call, np_ask (call,
                           "select 'idle.' || cause, duration_ps, ended_by from gaps where "
                           "rowid = %lld",
                           (long long) row));
  gint64 next
      = np_ask_whole (call, -1,
                      "select e.rowid from gaps g join events e on e.start_ps = g.start_ps + "
                      "g.duration_ps and e.name = g.ended_by and e.kind = 'span' where "
                      "g.rowid = %lld",
                      (long long) row);
  if (next >= 0)
    put_row_chain (call, next);
  np_call_say (call, "the gap, what ended it, the call that launched that, and who called it");
}

static void
explain_step (NpCall *call)
{
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, call->args.row.value);
  g_autofree char *is_step = np_step_condition (call->args.name ? call->args.name : number);
  put_links (call,
             np_ask (call, "select 'step', window_ps, step from step_breakdown where %s limit 1",
                     is_step));
  put_links (call, np_ask (call,
                           "select 'idle.' || cause, sum(duration_ps), \"where\" from "
                           "idle_causes where %s group by cause, \"where\" order by 2 desc, 3 "
                           "limit 8",
                           is_step));
  np_call_say (call, "the step, and what its device waited for, most time first");
}

static const struct {
  const char *what;
  void (*explain) (NpCall *call);
} explainers[] = { { "finding", explain_finding },
                   { "idle", explain_idle },
                   { "step", explain_step },
                   { "event", explain_row },
                   { "operator", explain_row } };

void
np_tool_explain (NpCall *call)
{
  np_json_array (&call->data.json, "chain");
  gsize before = call->data.buf.len;
  for (guint i = 0; i < G_N_ELEMENTS (explainers); i++)
    if (!strcmp (explainers[i].what, call->args.what))
      explainers[i].explain (call);
  np_json_end_array (&call->data.json);
  call->certainty = call->reason ? "unknown" : "derived";
  if (call->reason || call->data.buf.len > before + 1)
    return;
  g_string_truncate (call->text, 0);
  np_call_abstain (call, "source", "out_of_scope", NULL);
  np_call_say (call, "the profile has nothing of this number or name");
  np_call_next (call, "verdict", "findings and their rows", "id", call->id, NULL);
}
