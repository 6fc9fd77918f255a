/* SPDX-License-Identifier: Apache-2.0 */
/* tool-window.c - tool window: how busy each device was in equal parts of some time, and the
 * longest rows of it. */
#include "agent/agent.h"

#define BUCKETS 16
#define LONGEST 10

typedef struct {
  gint64 from, to, length; /* ps; of a bucket */
  guint n;
} Window;

/* Adds the part of [from, to) to each bucket that it lies in. */
static void
add (const Window *w, gint64 *buckets, gint64 from, gint64 to, int sign)
{
  from = MAX (from, w->from);
  to = MIN (to, w->to);
  while (from < to) {
    guint i = (guint) ((from - w->from) / w->length);
    gint64 end = MIN (to, w->from + (gint64) (i + 1) * w->length);
    if (i < w->n)
      buckets[i] += sign * (end - from);
    from = end;
  }
}

/* Busy is from the first work to the last, without the gaps. */
static void
put_lane (NpCall *call, const Window *w, const char *device, gint64 first, gint64 span)
{
  NpJson *j = &call->data.json;
  NpMark mark = np_call_mark (call);
  g_autofree gint64 *buckets = g_new0 (gint64, w->n);
  add (w, buckets, first, first + span, 1);
  sqlite3_stmt *stmt = np_ask (call,
                               "select start_ps, start_ps + duration_ps from gaps where "
                               "device = %Q and start_ps < %lld and start_ps + duration_ps > "
                               "%lld",
                               device, (long long) w->to, (long long) w->from);
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    add (w, buckets, sqlite3_column_int64 (stmt, 0), sqlite3_column_int64 (stmt, 1), -1);
  sqlite3_finalize (stmt);
  np_json_object (j, NULL);
  np_call_name (call, "device", device);
  np_json_array (j, "busy");
  for (guint i = 0; i < w->n; i++) {
    gint64 end = MIN (w->to, w->from + (gint64) (i + 1) * w->length);
    gint64 length = MAX (1, end - w->from - (gint64) i * w->length);
    np_json_integer (j, NULL, (gint64) ((double) buckets[i] * 1000.0 / (double) length + 0.5));
  }
  np_json_end_array (j);
  np_call_end_item (call, mark, 1200);
}

/* Returns when the first launched work of a device begins, `otherwise` where there is none. */
static gint64
first_work (NpCall *call, const char *device, gint64 otherwise)
{
  const gint64 none = G_MININT64;
  gint64 first = none;
  for (guint i = 0; i < NP_REACHES && first == none; i++)
    first = np_ask_whole (call, none,
                          "with work as (select kernel as name from kernels where device = %Q "
                          "union select copy from copies where device = %Q) "
                          "select min(start_ps) from events e where exists (select 1 from work) "
                          "and e.start_ps <= %lld + %lld and e.kind = 'span' and e.process = %Q "
                          "and +e.name in work",
                          device, device, (long long) call->profile->first_ps,
                          (long long) np_reaches[i], device);
  return first == none ? otherwise : first;
}

static void
put_lanes (NpCall *call, const Window *w)
{
  const char *device = call->args.device;
  sqlite3_stmt *stmt
      = np_ask (call,
                "select device, span_ps, (select min(start_ps) from gaps g where g.device "
                "= d.device) from devices d where span_ps is not null and (%Q is null or "
                "device = %Q) order by rowid",
                device, device);
  np_json_array (&call->data.json, "lanes");
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    put_lane (call, w, np_column (stmt, 0),
              first_work (call, np_column (stmt, 0), sqlite3_column_int64 (stmt, 2)),
              sqlite3_column_int64 (stmt, 1));
  sqlite3_finalize (stmt);
  np_json_end_array (&call->data.json);
}

static void
put_longest (NpCall *call, const Window *w)
{
  NpJson *j = &call->data.json;
  const char *device = call->args.device;
  sqlite3_stmt *stmt
      = np_ask (call,
                "select rowid, process, name, start_ps, duration_ps from events where kind = "
                "'span' and start_ps < %lld and start_ps + duration_ps > %lld and process in "
                "(select device from devices where %Q is null or device = %Q) order by "
                "duration_ps desc, rowid limit %d",
                (long long) w->to, (long long) w->from, device, device, LONGEST);
  np_json_array (j, "longest");
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW) {
    NpMark mark = np_call_mark (call);
    np_json_object (j, NULL);
    np_json_integer (j, "row", sqlite3_column_int64 (stmt, 0));
    np_call_name (call, "device", np_column (stmt, 1));
    np_call_name (call, "name", np_column (stmt, 2) ? np_column (stmt, 2) : "(no name)");
    np_json_integer (j, "start_ns",
                     np_ns_of (sqlite3_column_int64 (stmt, 3) - call->profile->first_ps));
    np_put_ns (call, "ns", stmt, 4);
    if (!np_call_end_item (call, mark, 20))
      break;
  }
  sqlite3_finalize (stmt);
  np_json_end_array (j);
}

void
np_tool_window (NpCall *call)
{
  const NpArgs *a = &call->args;
  const gint64 first = call->profile->first_ps;
  Window w = { .from = first + a->from_ns.value * 1000, .to = first + a->to_ns.value * 1000 };
  w.n = a->buckets.given ? (guint) a->buckets.value : BUCKETS;
  if (w.to <= w.from || a->step.given || a->rank.given) {
    np_call_abstain (call, "device_time", "out_of_scope", NULL);
    np_call_say (call, "the window is empty, or asks for a step or rank beside its times");
    np_call_next (call, "table", "where steps begin", "id", call->id, "name", "steps", NULL);
    return;
  }
  w.length = MAX (1000, ((w.to - w.from) / w.n + 999) / 1000 * 1000);
  np_json_integer (&call->data.json, "bucket_ns", w.length / 1000);
  put_lanes (call, &w);
  put_longest (call, &w);
  call->certainty = "derived";
  np_call_say (call, "how busy each device was, in thousandths of each part of the window");
}
