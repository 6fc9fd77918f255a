/* SPDX-License-Identifier: Apache-2.0 */
/* tool-diff.c - tool diff: what changed between two profiles, by the rule that knows the noise. */
#include "agent/agent.h"

#include "diff/report.h"
#include "stored/cells.h"
#include "system/by-text.h"

#include <math.h>
#include <string.h>

#define MOST_CHANGES 12

static gboolean
is_unwanted (gpointer user)
{
  NpCall *call = user;
  return atomic_load (&call->cancelled) || g_get_monotonic_time () > call->until;
}

/* What is added or removed is inconclusive too: there is no ratio. */
static const char *
our_verdict (NpDiffVerdict verdict)
{
  return verdict == NP_DIFF_SAME || verdict == NP_DIFF_SLOWER || verdict == NP_DIFF_FASTER
             ? np_diff_verdict_name (verdict)
             : "inconclusive";
}

/* Sums are means of steps: whole ps. */
static void
put_ns (NpCall *call, const char *key, double ps)
{
  if (isfinite (ps))
    np_json_integer (&call->data.json, key, np_ns_of ((gint64) ps));
}

static void
put_changes (NpCall *call, const GArray *lines, gboolean apart)
{
  NpJson *j = &call->data.json;
  np_json_array (j, "changes");
  for (guint i = 0; i < MIN (lines->len, MOST_CHANGES); i++) {
    const NpDiffLine *line = &g_array_index (lines, NpDiffLine, i);
    NpMark mark = np_call_mark (call);
    np_json_object (j, NULL);
    np_json_text (j, "what", "kernel");
    np_call_name (call, "name", line->name);
    put_ns (call, "base_ns", line->result.base);
    put_ns (call, "new_ns", line->result.new);
    np_json_text (j, "verdict", apart ? "inconclusive" : our_verdict (line->result.verdict));
    np_call_name (call, "why", line->why);
    if (!np_call_end_item (call, mark, 40))
      break;
  }
  np_json_end_array (j);
}

/* A step, or a recording, of which there is one alone is told by all work of the device. */
static const char *
verdict_of (const NpDiffComparison *c)
{
  const char *verdict = our_verdict (c->step.verdict);
  return !strcmp (verdict, "inconclusive") && c->has_work ? our_verdict (c->work.result.verdict)
                                                          : verdict;
}

/* Adds the kinds of devices.  Of a GPU the maker may be a guess: `nprof diff` compares what files
 * state of it. */
static void
add_platforms (GPtrArray *platforms, const NpCells *abilities)
{
  static const char *const gpus[] = { "cuda", "hip", "intel", NULL };
  for (guint64 i = 0; i < abilities->rows; i++) {
    g_autofree char *code = np_cells_text (abilities, i, "code");
    if (!code || !np_cells_is (abilities, i, "question", "platform") || g_str_equal (code, "other"))
      continue;
    const char *kind = g_strv_contains (gpus, code) ? "gpu" : code;
    if (!g_ptr_array_find_with_equal_func (platforms, kind, g_str_equal, NULL))
      g_ptr_array_add (platforms, g_strdup (kind));
  }
}

/* Returns what its devices are, by ability platform of its inputs, "gpu, tpu"; "": unknown;
 * transfer full. */
static char *
platforms_of (const NpAgentProfile *profile)
{
  struct nprof_query query;
  NpCells abilities = { 0 };
  g_autoptr (GPtrArray) platforms = g_ptr_array_new_with_free_func (g_free);
  if (nprof_query_init (&query, profile->store)
      && np_cells_open (&abilities, profile->store, &query, "abilities"))
    add_platforms (platforms, &abilities);
  np_cells_clear (&abilities);
  nprof_query_clear (&query);
  g_ptr_array_sort (platforms, np_by_text);
  g_ptr_array_add (platforms, NULL);
  return g_strjoinv (", ", (char **) platforms->pdata);
}

/* Says why neither can be faster, where that is so: then times are told, and none is judged. */
static gboolean
say_apart (NpCall *call, const NpDiffReport *report, const NpAgentProfile *other)
{
  g_autofree char *base = platforms_of (call->profile), *new = platforms_of (other);
  const gboolean platforms = *base && *new && strcmp (base, new) != 0;
  if (platforms)
    np_call_say (call, "the platforms differ, %s and %s: no time is judged", base, new);
  else if (report->frames && !report->frames->judged)
    np_call_say (call, "the machines differ: no time is judged");
  return platforms || (report->frames && !report->frames->judged);
}

static void
put_unknown (NpJson *j, gboolean apart)
{
  np_json_array (j, "unknown");
  if (apart) {
    np_json_object (j, NULL);
    np_json_text (j, "what", "comparison");
    np_json_text (j, "code", "other_machine");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_device (NpCall *call, const NpDiffReport *report, const NpAgentProfile *other)
{
  NpJson *j = &call->data.json;
  const NpDiffComparison *c = report->comparisons->pdata[0];
  const gboolean apart = say_apart (call, report, other);
  const char *verdict = apart ? "inconclusive" : verdict_of (c);
  const double base = trunc (c->step.base), new = trunc (c->step.new);
  np_json_bool (j, "comparable", !apart);
  np_json_text (j, "verdict", verdict);
  put_ns (call, "step_base_ns", base);
  put_ns (call, "step_new_ns", new);
  if (base > 0 && isfinite (new))
    np_json_double (j, "ratio", floor (new * 1e6 / base + 0.5) / 1e6);
  put_changes (call, c->lines, apart);
  put_unknown (j, apart);
  call->certainty = strcmp (verdict, "inconclusive") ? "measured" : "inconclusive";
  if (!apart)
    np_call_say (call, "the new run is %s", strcmp (verdict, "same") ? verdict : "the same");
}

static void
put_report (NpCall *call, const NpDiffReport *report, const NpAgentProfile *other)
{
  const NpDiffComparison *c = report->comparisons->len ? report->comparisons->pdata[0] : NULL;
  if (c && c->has_step) {
    put_device (call, report, other);
    return;
  }
  np_call_abstain (call, "comparison", "not_comparable", NULL);
  np_call_say (call, "the two have no device in common");
  np_call_next (call, "open", "what is in a profile", NULL);
}

/* Reads what is compared of a profile.  NULL: the call has the error. */
static GPtrArray *
read_run (NpCall *call, const NpAgentProfile *profile, gboolean hosts, GHashTable *names)
{
  int status;
  g_autofree char *said = NULL;
  g_autoptr (NpAnalysis) analysis = np_diff_analysis (np_agent_modules (call->agent),
                                                      profile->folder, hosts, NP_DIFF_BY_KERNELS);
  analysis->apart = TRUE; /* a crash costs this answer alone */
  g_autoptr (NpTableStore) tables = np_analyze (analysis, is_unwanted, call, &status, &said);
  if (!tables && g_get_monotonic_time () > call->until)
    np_call_fail (call, "timeout", "the comparison took more than %u s", call->tool->seconds);
  else if (!tables)
    np_call_fail (call, "unreadable", "the two cannot be compared: nprof diff says why");
  if (!tables)
    return NULL;
  GPtrArray *runs = np_diff_runs_new ();
  np_diff_runs_add (runs, tables, hosts, names);
  return runs;
}

/* Compares devices, or hosts where neither has work of a device. */
static void
compare (NpCall *call, const NpAgentProfile *base, const NpAgentProfile *new)
{
  g_autoptr (GHashTable) names = np_diff_names_new ();
  for (guint hosts = 0; hosts < 2; hosts++) {
    g_autoptr (GPtrArray) ours = read_run (call, base, hosts != 0, names);
    g_autoptr (GPtrArray) theirs = ours ? read_run (call, new, hosts != 0, names) : NULL;
    if (!theirs)
      return;
    if (!hosts && !np_diff_runs_have_work (ours) && !np_diff_runs_have_work (theirs))
      continue;
    g_auto (NpDiffReport) report = { .hosts = hosts != 0, .fail_over = (double) NAN };
    np_diff_report_fill (&report, ours, theirs);
    put_report (call, &report, new);
    return;
  }
}

void
np_tool_diff (NpCall *call)
{
  const NpArgs *a = &call->args;
  if (a->device || a->step.given || a->rank.given || a->from_ns.given || a->to_ns.given) {
    np_call_abstain (call, "comparison", "out_of_scope", NULL);
    np_call_say (call, "two profiles are compared as a whole");
    np_call_next (call, "diff", "as a whole", "base", a->base, "new", a->other, NULL);
    return;
  }
  NpAgentProfile *base = call->profile, *new = np_agent_profile (call, a->other);
  if (!new)
    return;
  call->second = g_strdup (new->shown);
  call->until = g_get_monotonic_time () + (gint64) call->tool->seconds * G_USEC_PER_SEC;
  compare (call, base, new);
}
