/* SPDX-License-Identifier: Apache-2.0 */
/* unknown.c - says what a profile cannot tell, by its tables. */
#include "agent/unknown.h"

#include <string.h>

/* Returns the reason of a verdict `undetermined.REASON` of some device; transfer full, or NULL. */
static char *
undetermined (NpCall *call)
{
  char *reason = NULL;
  sqlite3_stmt *stmt = np_ask (call, "select substr(code, 14) from verdict "
                                     "where code like 'undetermined.%%' order by rowid");
  if (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    reason = g_strdup (np_column (stmt, 0));
  sqlite3_finalize (stmt);
  return reason;
}

static gboolean
is_of (NpCall *call, const char *decoder)
{
  return np_ask_whole (call, 0, "select count(*) from inputs where decoder = %Q", decoder) > 0;
}

static const char *
why_no_mfu (NpCall *call, const char **record)
{
  if (!np_ask_whole (call, 0, "select count(*) from mfu where peak_flops is not null"))
    return "no_peak";
  *record = is_of (call, "chrome") ? "record_shapes=True" : NULL;
  return np_ask_whole (call, 0, "select count(*) from operator_shapes") ? "no_formula"
                                                                        : "no_shapes";
}

static const char *
why_no_memory (NpCall *call, const char **record)
{
  *record = is_of (call, "chrome") ? "profile_memory=True" : NULL;
  return "no_memory_events";
}

static const char *
why_no_ranks (NpCall *call, const char **record)
{
  gint64 inputs = np_ask_whole (call, 0, "select count(*) from inputs");
  *record = inputs > 1 ? NULL : "open the folder that holds one file a rank";
  return "not_recorded";
}

static const char *
why_no_steps (NpCall *call, const char **record)
{
  *record = is_of (call, "chrome") ? "schedule of torch.profiler and prof.step ()" : NULL;
  return "no_steps";
}

static const char *
why_no_device_time (NpCall *call, const char **record)
{
  *record = NULL;
  return np_ask_whole (call, 0, "select count(*) from devices") ? "not_in_format" : "not_recorded";
}

static const struct {
  const char *table, *what;
} tellers[] = {
  { "steps", "steps" },
  { "step_times", "steps" },
  { "step_breakdown", "steps" },
  { "mfu", "mfu" },
  { "operator_flops", "mfu" },
  { "memory", "memory" },
  { "memory_holders", "memory" },
  { "communication", "communication" },
  { "collectives", "communication" },
  { "ranks", "ranks" },
  { "job", "ranks" },
  { "requests", "requests" },
  { "phases", "tpot" },
  { "launches", "launches" },
  { "idle_causes", "idle_causes" },
  { "verdict", "verdict" },
  { "operators", "operators" },
  { "kernels", "device_time" },
  { "devices", "device_time" },
  { "source", "source" },
};

const char *
np_told_by (const char *table)
{
  for (guint i = 0; i < G_N_ELEMENTS (tellers); i++)
    if (!strcmp (tellers[i].table, table))
      return tellers[i].what;
  return NULL;
}

const char *
np_why_unknown (NpCall *call, const char *what, const char **record)
{
  static const struct {
    const char *what;
    const char *(*why) (NpCall *call, const char **record);
  } reasons[] = { { "device_time", why_no_device_time },
                  { "mfu", why_no_mfu },
                  { "memory", why_no_memory },
                  { "ranks", why_no_ranks },
                  { "steps", why_no_steps } };
  *record = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (!strcmp (reasons[i].what, what))
      return reasons[i].why (call, record);
  return !strcmp (what, "requests")   ? "no_requests"
         : !strcmp (what, "launches") ? "no_launches"
                                      : "not_recorded";
}

static void
put (NpCall *call, const char *what, const char *code, const char *record)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  np_json_object (j, NULL);
  np_json_text (j, "what", what);
  np_json_text (j, "code", code);
  if (record)
    np_json_text (j, "record", record);
  np_call_end_item (call, mark, 40);
}

static void
put_missing (NpCall *call, const char *what, const char *format)
{
  const char *record;
  if (np_ask_whole (call, 0, format))
    return;
  const char *why = np_why_unknown (call, what, &record);
  put (call, what, why, record);
}

void
np_put_unknown (NpCall *call)
{
  g_autofree char *reason = undetermined (call);
  gint64 devices = np_ask_whole (call, 0, "select count(*) from devices");
  np_json_array (&call->data.json, "unknown");
  if (reason)
    put (call, !strcmp (reason, "no_launches") ? "idle_causes" : "device_time", reason,
         !strcmp (reason, "graphs_opaque") ? "graph trace by node" : NULL);
  if (np_ask_whole (call, 0, "select count(*) from sanity where rule = 'merged_ranks'"))
    put (call, "ranks", "merged_ranks", NULL);
  if (!is_of (call, "torch-memory")) {
    /* What a server says of its phases makes steps as annotations do, without table step_times. */
    if (!np_ask_whole (call, 0,
                       "select count(*) from verdict where base glob 'step*' or base glob "
                       "'phase*'"))
      put_missing (call, "steps", "select count(*) from step_times");
    if (devices) {
      put_missing (call, "launches", "select count(*) from launches");
      put_missing (call, "mfu", "select count(*) from devices where mfu is not null");
    }
  }
  put_missing (call, "memory", "select count(*) from memory");
  np_json_end_array (&call->data.json);
}

/* Our words for what table sanity has; its own sentences may name what the profile holds. */
static const struct {
  const char *rule, *text;
} notes[] = {
  { "duplicates", "rows are in the file twice: counted once" },
  { "other_clock", "rows begin long before their own launch: of another clock, left out" },
  { "before_launch", "rows begin just before their launch: no launch edge" },
  { "clocks_differ", "clocks of host and device differ: causes are unknown" },
  { "runs_over", "rows run over the next ones of their stream: cut there" },
  { "stream_overlap", "rows overlap the next of their stream: it is no order" },
  { "correlation_twice", "correlation ids have two launches: which is which is open" },
  { "correlation_shared", "rows share the id of one launch" },
  { "no_kernels", "launches, and no row of a device" },
  { "lost_kernels", "launches have no kernel: busy time is a lower bound" },
  { "graphs_opaque", "launches of graphs have no row" },
  { "merged_ranks", "the file holds several ranks: parted by rank" },
  { "frames_outlive", "frames of Python outlive their parent: cut at its end" },
  { "row_limit", "the writer's limit was met: later rows may be missing" },
};

void
np_put_notes (NpCall *call)
{
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++) {
    gint64 rows
        = np_ask_whole (call, -1, "select sum(coalesce(rows, 0)) from sanity where rule = %Q",
                        notes[i].rule);
    if (rows >= 0)
      np_call_note (call, notes[i].rule, rows, notes[i].text);
  }
  gint64 left = np_ask_whole (call, 0, "select sum(left_out) from verdict");
  if (left)
    np_call_note (call, "left_out", left, "periods longer than three times the median: left out");
  gint64 skipped = np_ask_whole (call, 0, "select count(*) from skipped");
  if (skipped)
    np_call_note (call, "skipped", skipped, "kinds of records that were skipped");
}
