/* SPDX-License-Identifier: Apache-2.0 */
/* tool-verdict.c - tool verdict: what limits the run, by tables of its analyzers. */
#include "agent/findings.h"
#include "agent/unknown.h"

#include <nprof/units.h>
#include <string.h>

#define NO_RANK                                                                                    \
  "a verdict is of a device: name it by device=, as table devices lists them; tool ranks says "    \
  "which rank is late"

/* The row of table verdict that is told. */
typedef struct {
  char *input, *device, *code, *group, *word, *base;
  char *late; /* that devices of its file wait for: finding straggler; NULL: none */
  gint64 steps, window_ps, median_ps; /* 0: unknown */
  double share;                       /* -1: unknown */
} Row;

static void
row_clear (Row *row)
{
  char *texts[]
      = { row->input, row->device, row->code, row->group, row->word, row->base, row->late };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Row, row_clear)

/* Reads the row of the device that was asked about, or of the one that the first screen is of: then
 * the code is that of the screen, which knows more than the device alone. */
static gboolean
read_row (NpCall *call, Row *row)
{
  const char *device = call->args.device;
  sqlite3_stmt *stmt
      = np_ask (call,
                "with said as (select input, device, code, ratio, "
                "substr(text, 1, instr(text || ':', ':') - 1) as word from summary "
                "where answer = 'screen_verdict' and %Q is null), "
                "late as (select s.*, (select device from findings where answer = 'straggler' "
                "and input is s.input limit 1) as late from said s where code = 'straggler') "
                "select v.input, v.device, coalesce(s.code, v.code), "
                "iif(l.late is not null, 'straggler', "
                "iif(s.code like 'undetermined.%%', 'undetermined', v.\"group\")), "
                "coalesce(s.word, v.word), "
                "v.base, v.windows, v.window_ps, v.median_ps, coalesce(l.ratio, v.share), l.late "
                "from verdict v "
                "left join said s on s.input is v.input and s.device is v.device "
                "left join late l on l.input is v.input and l.device is v.device "
                "where %Q is null or v.device = %Q "
                "order by v.place is null, v.place, coalesce(v.window_ps, 0) desc, v.rowid",
                device, device, device);
  gboolean any = stmt && sqlite3_step (stmt) == SQLITE_ROW;
  if (any)
    *row = (Row){ .input = g_strdup (np_column (stmt, 0)),
                  .device = g_strdup (np_column (stmt, 1)),
                  .code = g_strdup (np_column (stmt, 2)),
                  .group = g_strdup (np_column (stmt, 3)),
                  .word = g_strdup (np_column (stmt, 4)),
                  .base = g_strdup (np_column (stmt, 5)),
                  .steps = sqlite3_column_int64 (stmt, 6),
                  .window_ps = sqlite3_column_int64 (stmt, 7),
                  .median_ps = sqlite3_column_int64 (stmt, 8),
                  .late = g_strdup (np_column (stmt, 10)),
                  .share = sqlite3_column_type (stmt, 9) == SQLITE_NULL
                               ? -1
                               : sqlite3_column_double (stmt, 9) };
  sqlite3_finalize (stmt);
  return any;
}

/* "step" also of one step alone, and of those that a server annotates. */
static const char *
base_of (const Row *row)
{
  if (!row->base)
    return NULL;
  return g_str_has_prefix (row->base, "step") || g_str_has_prefix (row->base, "phase") ? "step"
                                                                                       : row->base;
}

static void
put_share (NpJson *j, const char *key, double share)
{
  if (share >= 0)
    np_json_double (j, key, (double) (gint64) (share * 1e6 + 0.5) / 1e6);
}

static void
put_head (NpCall *call, const Row *row)
{
  NpJson *j = &call->data.json;
  np_call_name (call, "group", row->group);
  np_call_name (call, "code", row->code);
  np_call_name (call, "device", row->device);
  if (row->window_ps)
    np_json_integer (j, "base_ns", np_ns_of (row->window_ps));
  if (base_of (row))
    np_json_text (j, "base", base_of (row));
  put_share (j, "share", row->share);
  np_call_name (call, "name", row->late);
  sqlite3_stmt *stmt
      = np_ask (call,
                "with p as (select * from verdict_parts where input = %Q and device = %Q and "
                "part = %Q) select place from p where place is not null group by place "
                "having 2 * sum(place_time_ps) > (select sum(duration_ps) from p)",
                row->input, row->device, row->group);
  if (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    np_call_name (call, "name", np_column (stmt, 0));
  sqlite3_finalize (stmt);
  np_json_integer (j, "steps", row->steps);
}

static void
put_parts (NpCall *call, const GArray *parts)
{
  NpJson *j = &call->data.json;
  np_json_array (j, "parts");
  for (guint i = 0; i < parts->len; i++) {
    const NpPart *part = &g_array_index (parts, NpPart, i);
    np_json_object (j, NULL);
    np_json_text (j, "part", part->part);
    np_json_integer (j, "ns", part->ns);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* -- Lines of the first screen ----------------------------------------------------------------- */

static void
put_share_line (NpCall *call, const char *label, double share, const char *name)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  np_json_object (j, NULL);
  np_json_text (j, "label", label);
  put_share (j, "value", share);
  np_json_text (j, "unit", "1");
  np_call_name (call, "name", name);
  np_call_end_item (call, mark, 600);
}

static void
put_time_line (NpCall *call, const char *label, gint64 ns)
{
  NpJson *j = &call->data.json;
  np_json_object (j, NULL);
  np_json_text (j, "label", label);
  np_json_integer (j, "value", ns);
  np_json_text (j, "unit", "ns");
  np_json_end_object (j);
}

/* Puts a line of the first row of a statement: a share, and whose. */
static void
put_first (NpCall *call, const char *label, sqlite3_stmt *stmt)
{
  if (stmt && sqlite3_step (stmt) == SQLITE_ROW && sqlite3_column_type (stmt, 0) != SQLITE_NULL)
    put_share_line (call, label, sqlite3_column_double (stmt, 0), np_column (stmt, 1));
  sqlite3_finalize (stmt);
}

static void
put_summary (NpCall *call, const Row *row, const GArray *parts)
{
  gint64 idle = 0, base = np_ns_of (row->window_ps), steps = MAX (row->steps, 1);
  for (guint i = 0; i < parts->len; i++) {
    const NpPart *part = &g_array_index (parts, NpPart, i);
    idle += np_part_is_idle (part) ? part->ns : 0;
  }
  np_json_array (&call->data.json, "summary");
  if (row->median_ps && strcmp (row->base, "span"))
    put_time_line (call, "step", np_ns_of (row->median_ps));
  if (base && row->steps > 1 && base / row->steps > row->median_ps / 1000 * 11 / 10)
    put_time_line (call, "step_mean", (base + row->steps / 2) / row->steps);
  if (base) {
    put_share_line (call, "idle", (double) idle / (double) base, NULL);
    put_time_line (call, "without_idle", (base - idle + steps / 2) / steps);
  }
  put_first (call, "top_operator",
             np_ask (call, /* of the compiler where the framework's name less than half */
                     "with mine as (select rowid as at, level, operator, share, self_ps from "
                     "operators where device = %Q and operator <> '' and operator not like '(%%'), "
                     "named as (select coalesce(sum(share), 0) >= 0.5 as half from mine where "
                     "level = 'framework') "
                     "select share, operator from mine, named where level = case when half or not "
                     "exists (select 1 from mine where level = 'hlo') then 'framework' else 'hlo' "
                     "end order by self_ps desc, at",
                     row->device));
  put_first (call, "top_kernel",
             np_ask (call,
                     "select share, kernel from kernels where device = "
                     "%Q order by total_ps desc, rowid",
                     row->device));
  put_first (call, "mfu",
             np_ask (call, /* as the first screen: of the steps that count, else of the span */
                     "select mfu, case operator when '(steps)' then 'steps' else 'span' end from "
                     "mfu where device = %Q and step is null and operator in ('(steps)', "
                     "'(total)') and mfu is not null order by operator = '(total)'",
                     row->device));
  np_json_end_array (&call->data.json);
}

/* -- Findings ---------------------------------------------------------------------------------- */

static gboolean
put_finding (NpCall *call, sqlite3_stmt *stmt, gint64 row)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  gboolean gain = sqlite3_column_type (stmt, NP_FINDING_GAIN) != SQLITE_NULL;
  np_json_object (j, NULL);
  np_json_integer (j, "row", row);
  np_call_name (call, "code", np_column (stmt, NP_FINDING_CODE));
  np_put_ns (call, "stake_ns", stmt, NP_FINDING_STAKE);
  if (gain) {
    double times = sqlite3_column_double (stmt, NP_FINDING_GAIN);
    np_json_double (j, "gain", (double) (gint64) (times * 100 + 0.5) / 100);
  }
  np_call_name (call, "cause", np_column (stmt, NP_FINDING_CAUSE));
  np_json_text (j, "action", np_action (np_column (stmt, NP_FINDING_ACTION)));
  np_call_name (call, "name", np_column (stmt, NP_FINDING_NAME));
  np_call_name (call, "other", np_column (stmt, NP_FINDING_OTHER));
  np_call_name (call, "certainty", gain ? np_column (stmt, NP_FINDING_CERTAINTY) : "measured");
  return np_call_end_item (call, mark, 320);
}

static void
put_findings (NpCall *call)
{
  sqlite3_stmt *stmt = np_findings (call, 0);
  gint64 n = 0;
  np_json_array (&call->data.json, "findings");
  for (gboolean room = TRUE; stmt && sqlite3_step (stmt) == SQLITE_ROW; n++)
    room = room && put_finding (call, stmt, n);
  sqlite3_finalize (stmt);
  np_json_end_array (&call->data.json);
  call->total = n;
  if (n && call->sql == call->profile->sql) /* rows of a part are not those that explain counts */
    np_call_next (call, "explain", "what the first finding comes of", "id", call->id, "what",
                  "finding", "row", "#0", NULL);
}

/* -- The tool ---------------------------------------------------------------------------------- */

static void
say (NpCall *call, const Row *row)
{
  const char *base = base_of (row);
  np_call_say (call, "%s", row->word ? row->word : "UNDETERMINED");
  if (row->late)
    np_call_say (call, ": the devices wait %.1f %% of their spans for {name}", row->share * 100);
  else if (row->share >= 0 && base)
    np_call_say (call,
                 ": %.1f %% of %" G_GINT64_FORMAT " %s%s, %s in all, go to what leads on "
                 "{device}",
                 row->share * 100, row->steps, base, row->steps == 1 ? "" : "s",
                 nprof_time ((double) row->window_ps).text);
}

static gboolean
is_of_part (const NpArgs *args)
{
  return args->step.given || args->from_ns.given || args->to_ns.given;
}

void
np_tool_verdict (NpCall *call)
{
  g_auto (Row) row = { .share = -1 };
  const NpArgs *args = &call->args;
  if (!args->rank.given && is_of_part (args) && !np_call_narrow (call))
    return;
  if (args->rank.given || !read_row (call, &row)) {
    gboolean narrowed = args->rank.given || is_of_part (args) || args->device;
    np_call_abstain (call, "verdict", narrowed ? "out_of_scope" : "not_recorded", NULL);
    np_call_say (call, args->rank.given ? NO_RANK
                       : args->device   ? "no device of this name has work in this step or window"
                       : narrowed       ? "no device has work in this step or window"
                                        : "no row of this file is of a device or its host");
    if (narrowed)
      np_call_next (call, "verdict", "of all steps", "id", call->id, NULL);
    np_call_next (call, "table", "steps one by one", "id", call->id, "name", "step_breakdown",
                  NULL);
    return;
  }
  g_autoptr (GArray) parts = np_parts (call, row.input, row.device, np_ns_of (row.window_ps));
  np_put_notes (call);
  put_head (call, &row);
  put_parts (call, parts);
  np_put_unknown (call);
  put_summary (call, &row, parts);
  put_findings (call);
  say (call, &row);
  if (g_str_has_prefix (row.code, "undetermined"))
    call->certainty = "unknown";
}
