/* SPDX-License-Identifier: Apache-2.0 */
/* part.c - the tables of a step or a window of a profile, made by a process of its own when a
 * call first asks for them. */
#include "agent/agent.h"

#include "agent/cause.h"
#include "base/error.h"
#include "stored/analyze.h"

#define MOST_PARTS 8    /* of a profile                                                    */
#define MOST_SECONDS 45 /* of a part on a busy machine; clients wait for 60 s, some of them */

typedef struct {
  NpTableStore *tables;
  NpSql *sql;
} NpAgentPart;

void
np_agent_part_free (gpointer data)
{
  NpAgentPart *part = data;
  np_sql_close (part->sql);
  np_table_store_free (part->tables);
  g_free (part);
}

/* Returns what tells this part from others; transfer full. */
static char *
key_of (const NpArgs *a)
{
  GString *key = g_string_new (NULL);
  if (a->step.given)
    g_string_append_printf (key, "step %" G_GINT64_FORMAT, a->step.value);
  if (a->from_ns.given)
    g_string_append_printf (key, " from %" G_GINT64_FORMAT, a->from_ns.value);
  if (a->to_ns.given)
    g_string_append_printf (key, " to %" G_GINT64_FORMAT, a->to_ns.value);
  return g_string_free (key, FALSE);
}

/* Returns what to analyze; NULL: the window ends before it begins. */
static NpAnalysis *
analysis_of (NpCall *call)
{
  const NpArgs *a = &call->args;
  NpAgentProfile *p = call->profile;
  gint64 end = np_ask_whole (call, p->first_ps, "select max(end_ps) from inputs");
  gint64 from = p->first_ps + (a->from_ns.given ? a->from_ns.value * 1000 : 0),
         to = a->to_ns.given ? p->first_ps + a->to_ns.value * 1000 : MAX (end, from);
  if (to < from)
    return NULL;
  NpAnalysis *analysis = np_analysis_new (np_agent_modules (call->agent), p->folder);
  analysis->apart = TRUE; /* a crash costs this answer alone */
  g_ptr_array_add (analysis->analyzers, g_strdup ("answers"));
  if (a->from_ns.given || a->to_ns.given)
    np_analysis_clip (analysis, from, to);
  analysis->selection.has_step = a->step.given;
  analysis->selection.step_first = analysis->selection.step_last = a->step.value;
  return analysis;
}

typedef struct {
  const NpCall *call;
  gint64 until;
} Wait;

static gboolean
is_over (gpointer user)
{
  const Wait *wait = user;
  return atomic_load (&wait->call->cancelled) || g_get_monotonic_time () > wait->until;
}

/* Returns the tables; NULL: the call has the error. */
static NpTableStore *
analyze (NpCall *call, NpAnalysis *analysis)
{
  int status;
  g_autofree char *said = NULL;
  Wait wait = { call, g_get_monotonic_time () + (gint64) MOST_SECONDS * G_USEC_PER_SEC };
  NpTableStore *tables = np_analyze (analysis, is_over, &wait, &status, &said);
  if (!tables && status == NP_EXIT_USAGE && call->args.step.given) {
    np_call_abstain (call, "steps", "out_of_scope", NULL);
    np_call_say (call, "the profile has no step %" G_GINT64_FORMAT, call->args.step.value);
    np_call_next (call, "table", "the steps that there are", "id", call->id, "name", "steps", NULL);
  } else if (!tables && g_get_monotonic_time () > wait.until)
    np_call_fail (call, "timeout", "the part takes more than %u s to analyze: narrow it",
                  MOST_SECONDS);
  else if (!tables) {
    g_autofree char *cause = np_cause (said, status);
    np_call_fail (call, status == NP_EXIT_ROOM ? "internal" : "unreadable",
                  "the part cannot be analyzed: %s; nprof report on the file says more",
                  cause ? cause : "the reason has words of the file");
    np_call_next (call, "verdict", "the whole profile, which was read", "id", call->id, NULL);
  }
  return tables;
}

static NpAgentPart *
make_part (NpCall *call)
{
  g_autoptr (NpAnalysis) analysis = analysis_of (call);
  g_autoptr (GError) error = NULL;
  if (!analysis) {
    np_call_fail (call, "bad_argument", "to_ns lies before from_ns");
    np_call_nearest (call, "to_ns");
    return NULL;
  }
  NpTableStore *tables = analyze (call, analysis);
  NpSql *sql = tables ? np_agent_sql (call->profile, tables, &error) : NULL;
  if (tables && !sql)
    np_call_fail (call, "internal", "%s", error->message);
  if (!sql) {
    np_table_store_free (tables);
    return NULL;
  }
  NpAgentPart *part = g_new0 (NpAgentPart, 1);
  *part = (NpAgentPart){ tables, sql };
  return part;
}

gboolean
np_call_narrow (NpCall *call)
{
  GHashTable *parts = call->profile->parts;
  g_autofree char *key = key_of (&call->args);
  NpAgentPart *part = g_hash_table_lookup (parts, key);
  if (!part) {
    if (!(part = make_part (call)))
      return FALSE;
    if (g_hash_table_size (parts) >= MOST_PARTS)
      g_hash_table_remove_all (parts);
    g_hash_table_insert (parts, g_steal_pointer (&key), part);
  }
  call->sql = part->sql;
  np_sql_begin (call->sql, call->tool->seconds);
  return TRUE;
}
