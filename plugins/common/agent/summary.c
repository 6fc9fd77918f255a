/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - nprof.summary/1 of a stored profile by itself: what tool verdict says of it. */
#include "agent/summary.h"

#include "agent/agent.h"

/* Puts what stands where the tool abstains, as the schema wants it. */
static void
put_unknown (NpCall *call)
{
  static const char *const lists[] = { "parts", "summary", "findings" };
  NpJson *j = &call->data.json;
  g_autofree char *code = g_strconcat ("undetermined.", call->reason, NULL);
  np_json_text (j, "group", "undetermined");
  np_json_text (j, "code", code);
  np_json_integer (j, "steps", 0);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    np_json_array (j, lists[i]);
    np_json_end_array (j);
  }
  np_json_array (j, "unknown");
  np_json_object (j, NULL);
  np_json_text (j, "what", call->what);
  np_json_text (j, "code", call->reason);
  np_json_end_object (j);
  np_json_end_array (j);
}

GString *
np_agent_summary (struct nprof_store *store, GError **error)
{
  NpAgentProfile profile = { .store = store };
  g_autoptr (NpSql) sql = profile.sql = np_agent_sql (&profile, NULL, error);
  if (!sql)
    return NULL;
  const NpTool *tool = np_tool_find ("verdict");
  g_autoptr (NpCall) call = np_call_new (tool, NULL);
  profile.call = call;
  call->profile = &profile;
  call->id = g_strdup (""); /* of calls that would tell more, which stand beside the data */
  call->sql = sql;
  np_sql_begin (sql, 0);
  tool->run (call);
  np_sql_end (sql);
  if (call->reason)
    put_unknown (call);
  np_json_end_object (&call->data.json);
  GString *text = g_string_new_len (call->data.buf.data, (gssize) call->data.buf.len);
  g_string_append_c (text, '\n');
  return text;
}
