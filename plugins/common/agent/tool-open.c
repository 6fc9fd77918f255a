/* SPDX-License-Identifier: Apache-2.0 */
/* tool-open.c - tool open: what is in a profile, or which profiles there are. */
#include "agent/unknown.h"

static void
put_devices (NpCall *call)
{
  NpJson *j = &call->data.json;
  sqlite3_stmt *stmt
      = np_ask (call, "select device, (select sum(calls) from (select input, device, calls "
                      "from kernels union all select input, device, calls from copies) k where "
                      "k.input = d.input and k.device = d.device), busy_ps from devices d "
                      "order by rowid");
  np_json_array (j, "devices");
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW) {
    NpMark mark = np_call_mark (call);
    np_json_object (j, NULL);
    np_call_name (call, "device", np_column (stmt, 0));
    np_json_integer (j, "rows", sqlite3_column_int64 (stmt, 1));
    np_put_ns (call, "busy_ns", stmt, 2);
    if (!np_call_end_item (call, mark, 500))
      break;
  }
  sqlite3_finalize (stmt);
  np_json_end_array (j);
}

static void
put_ranks (NpCall *call)
{
  sqlite3_stmt *stmt = np_ask (call, "select distinct cast(json_extract(properties, '$.rank') as "
                                     "integer) from inputs where json_extract(properties, "
                                     "'$.rank') is not null order by 1 limit 64");
  np_json_array (&call->data.json, "ranks");
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    np_json_integer (&call->data.json, NULL, sqlite3_column_int64 (stmt, 0));
  sqlite3_finalize (stmt);
  np_json_end_array (&call->data.json);
}

static void
put_inputs (NpCall *call)
{
  NpJson *j = &call->data.json;
  sqlite3_stmt *stmt = np_ask (call, "select min(decoder), sum(rows), "
                                     "max(end_ps) - min(start_ps), "
                                     "min(json_extract(properties, '$.framework')) from inputs");
  if (!stmt)
    return;
  sqlite3_step (stmt);
  np_call_name (call, "format", np_column (stmt, 0));
  np_json_text (j, "sure", "by_content");
  np_call_name (call, "framework", np_column (stmt, 3));
  np_put_ns (call, "span_ns", stmt, 2);
  np_json_integer (j, "rows", sqlite3_column_int64 (stmt, 1));
  sqlite3_finalize (stmt);
  np_json_integer (j, "steps",
                   np_ask_whole (call, 0,
                                 "select max(n) from (select steps n from step_times union all "
                                 "select count(*) from server_steps group by input, device "
                                 "union all "
                                 "select count(*) from steps where not cut and device not in "
                                 "(select device from devices) group by input, device)"));
}

/* Names of tables are ours, or a third party's. */
static void
put_tables (NpCall *call)
{
  struct nprof_store *store = call->profile->store;
  size_t len;
  np_json_array (&call->data.json, "tables");
  for (guint32 i = 0; i < nprof_store_n (store, NPROF_STORE_S_TABLES); i++) {
    const struct nprof_store_table *table = nprof_store_table_at (store, i);
    NpMark mark = np_call_mark (call);
    if (!table || !table->rows)
      continue;
    np_call_name (call, NULL, nprof_store_string (store, table->name, &len));
    if (!np_call_fits (call, mark, 60))
      break;
  }
  np_json_end_array (&call->data.json);
}

static void
describe (NpCall *call)
{
  gint64 devices = np_ask_whole (call, 0, "select count(*) from devices");
  put_inputs (call);
  put_devices (call);
  put_ranks (call);
  np_put_unknown (call);
  np_json_array (&call->data.json, "profiles");
  np_json_end_array (&call->data.json);
  put_tables (call);
  np_call_say (call, "the profile is open: %" G_GINT64_FORMAT " devices", devices);
  gint64 origin = np_ask_whole (call, 0,
                                "select min(origin_unix_ns) + min(start_ps) / 1000 from "
                                "inputs");
  if (origin > 0) /* as text: it does not fit the numbers of JavaScript */
    np_call_say (call, "; its first row is %" G_GINT64_FORMAT " ns after 1970", origin);
  np_call_next (call, "verdict", "what limits it", "id", call->id, NULL);
}

void
np_tool_open (NpCall *call)
{
  if (!call->args.path) {
    np_agent_list (call);
    return;
  }
  gboolean is_id = g_str_has_prefix (call->args.path, "n_") && !strpbrk (call->args.path, "./");
  call->profile
      = is_id ? np_agent_profile (call, call->args.path) : np_agent_open (call, call->args.path);
  if (!call->profile || !np_profile_hold (call->profile, call))
    return;
  describe (call);
  np_profile_let_go (call->profile);
}
