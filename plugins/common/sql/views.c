/* SPDX-License-Identifier: Apache-2.0 */
/* views.c - the tables of Perfetto's trace processor and of Nsight Systems' exports as views, so
 * that queries that people have run as they are. A view gives way to a table of its name; {column}
 * is NULL where rows have none. source: perfetto.dev/docs/analysis/sql-tables; exports of Nsight
 * Systems, schemas 3.1 to 3.25 */
#include "sql/profile.h"

#include <string.h>

#define KERNELS "category IN ('kernel', 'Kernel')"
#define DEVICE                                                                                     \
  "row_ns(start_ps) AS start, row_ns(start_ps + duration_ps) AS \"end\", {device} AS deviceId, "   \
  "extract_arg(rowid, 'contextId') AS contextId, {stream} AS streamId, {correlation_id} & "        \
  "4294967295 AS correlationId, "                                                                  \
  "(1 << 48) + (row_pid(track) << 24) AS globalPid"
#define HOST                                                                                       \
  "row_ns(start_ps) AS start, row_ns(start_ps + duration_ps) AS \"end\", "                         \
  "(1 << 48) + (row_pid(track) << 24) + row_tid(track) AS globalTid"
#define LAUNCH                                                                                     \
  "row_part({kernel_details}, 'regs:', 0) AS registersPerThread, "                                 \
  "row_part({kernel_details}, 'grid:', 0) AS gridX, row_part({kernel_details}, 'grid:', 1) AS "    \
  "gridY, "                                                                                        \
  "row_part({kernel_details}, 'grid:', 2) AS gridZ, row_part({kernel_details}, 'block:', 0) AS "   \
  "blockX, "                                                                                       \
  "row_part({kernel_details}, 'block:', 1) AS blockY, row_part({kernel_details}, 'block:', 2) AS " \
  "blockZ, "                                                                                       \
  "row_part({kernel_details}, 'static_shared:', 0) AS staticSharedMemory, "                        \
  "row_part({kernel_details}, 'dynamic_shared:', 0) AS dynamicSharedMemory"
#define FACT(key) "max(CASE WHEN f.key = '" key "' THEN f.value END)"

static const struct {
  const char *name, *select;
} views[] = {
  /* -- Perfetto */
  { "slice", "SELECT rowid AS id, rowid AS slice_id, row_ns(start_ps) AS ts, CASE kind WHEN "
             "'instant' THEN 0 ELSE "
             "coalesce(row_ns(start_ps + duration_ps) - row_ns(start_ps), -1) END AS dur, track AS "
             "track_id, category, "
             "category AS cat, name, row_depth AS depth, row_parent AS parent_id, rowid AS "
             "arg_set_id, 'internal_slice' AS type "
             "FROM events WHERE row_is_slice = 1" },
  { "slices", "SELECT * FROM slice" },
  { "thread", "SELECT track AS utid, track AS id, row_tid(track) AS tid, coalesce(label, key) AS "
              "name, row_process(track) AS upid, "
              "row_tid(track) = row_pid(track) AS is_main_thread FROM tracks WHERE rows > 0 OR "
              "kind NOT IN ('input', 'host', "
              "'process', 'device')" },
  { "process", "SELECT track AS upid, track AS id, CASE kind WHEN 'process' THEN row_pid(track) "
               "ELSE row_tid(track) END AS pid, "
               "coalesce(label, key) AS name FROM tracks WHERE kind IN ('process', 'device')" },
  { "thread_track", "SELECT utid AS id, utid, name, upid, 'thread_track' AS type FROM thread" },
  { "process_track", "SELECT upid AS id, upid, name, 'process_track' AS type FROM process" },
  { "track", "SELECT track AS id, coalesce(label, key) AS name, kind AS type, parent AS parent_id "
             "FROM tracks UNION ALL SELECT id, "
             "name, type, parent_id FROM counter_track" },
  { "counter_track", "SELECT 4294967296 + row_lane AS id, name, 'counter_track' AS type, track AS "
                     "parent_id, row_process(track) AS upid "
                     "FROM events WHERE kind = 'counter' GROUP BY row_lane" },
  { "process_counter_track",
    "SELECT id, name, type, parent_id, upid FROM counter_track WHERE upid IS NOT NULL" },
  { "counter", "SELECT rowid AS id, row_ns(start_ps) AS ts, 4294967296 + row_lane AS track_id, "
               "value, rowid AS arg_set_id FROM events "
               "WHERE kind = 'counter'" },
  { "flow", "SELECT id, slice_out, slice_in, cat FROM (SELECT rowid AS id, phase, lag(slice) OVER "
            "w AS slice_out, lag(phase) OVER w "
            "AS before, slice AS slice_in, category AS cat FROM (SELECT rowid, input, category, "
            "flow, start_ps, {flow_phase} AS "
            "phase, row_slice AS slice FROM events WHERE kind = 'flow') WINDOW w AS (PARTITION BY "
            "input, category, flow ORDER BY "
            "start_ps, phase <> 'begin', phase = 'end', rowid)) WHERE phase <> 'begin' AND before "
            "IN ('begin', 'step') AND "
            "slice_out IS NOT NULL AND slice_in IS NOT NULL" },
  { "args",
    "SELECT arg_set_id AS id, arg_set_id, key AS flat_key, key, CASE WHEN type IN ('int', 'uint', "
    "'bool') THEN value END "
    "AS int_value, CASE type WHEN 'string' THEN value END AS string_value, CASE type WHEN 'real' "
    "THEN value END AS "
    "real_value, type AS value_type, CAST(value AS TEXT) AS display_value FROM row_args WHERE type "
    "<> 'json' UNION ALL "
    "SELECT a.arg_set_id, a.arg_set_id, a.key || substr(replace(j.fullkey, '\"', ''), 2), a.key || "
    "substr(replace(j.fullkey, '\"', ''), 2), CASE WHEN j.type IN ('integer', 'true', 'false') "
    "THEN j.atom END, CASE "
    "j.type WHEN 'text' THEN j.atom END, CASE j.type WHEN 'real' THEN j.atom END, CASE j.type WHEN "
    "'integer' THEN 'int' "
    "WHEN 'text' THEN 'string' WHEN 'real' THEN 'real' ELSE 'bool' END, CAST(j.atom AS TEXT) FROM "
    "row_args a, "
    "json_tree(a.value) j WHERE a.type = 'json' AND json_valid(a.value) AND j.atom IS NOT NULL" },
  /* -- Nsight Systems */
  { "StringIds", "SELECT id, value FROM row_strings" },
  { "CUPTI_ACTIVITY_KIND_KERNEL",
    "SELECT " DEVICE
    ", row_name AS demangledName, row_name AS shortName, row_name AS mangledName, " LAUNCH ", "
    "extract_arg(rowid, 'graphNodeId') AS graphNodeId FROM events WHERE kind = 'span' "
    "AND " KERNELS },
  { "CUPTI_ACTIVITY_KIND_MEMCPY",
    "SELECT " DEVICE ", {bytes} AS bytes, CASE substr(name, 1, 11) WHEN 'Memcpy HtoD' THEN 1 WHEN "
    "'Memcpy DtoH' THEN 2 WHEN "
    "'Memcpy DtoD' THEN 8 WHEN 'Memcpy HtoH' THEN 9 WHEN 'Memcpy PtoP' THEN 10 ELSE 0 END AS "
    "copyKind, row_name AS nameId FROM "
    "events WHERE kind = 'span' AND category IN ('gpu_memcpy', 'Memcpy')" },
  { "CUPTI_ACTIVITY_KIND_MEMSET",
    "SELECT " DEVICE ", {bytes} AS bytes, row_name AS nameId FROM events WHERE kind = 'span' AND "
    "category IN ('gpu_memset', 'Memset')" },
  { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "SELECT " DEVICE ", CASE name WHEN 'Event Sync' THEN 1 WHEN 'Stream Wait Event' THEN 2 WHEN "
    "'Stream Sync' THEN 3 WHEN "
    "'Context Sync' THEN 4 ELSE 0 END AS syncType FROM events WHERE kind = 'span' AND category = "
    "'cuda_sync'" },
  { "CUPTI_ACTIVITY_KIND_RUNTIME",
    "SELECT " HOST ", {correlation_id} & 4294967295 AS correlationId, row_name AS nameId, category "
    "= 'cuda_driver' AS "
    "eventClass, extract_arg(rowid, 'returnValue') AS returnValue FROM events WHERE kind = 'span' "
    "AND category IN "
    "('cuda_runtime', 'cuda_driver', 'hip_runtime', 'Runtime')" },
  { "OSRT_API",
    "SELECT " HOST
    ", row_name AS nameId FROM events WHERE kind = 'span' AND category = 'os_runtime'" },
  { "NVTX_EVENTS", "SELECT " HOST ", CASE WHEN kind = 'instant' THEN 34 WHEN thread = 'NVTX "
                   "start/end ranges' THEN 60 ELSE 59 END AS eventType, "
                   "coalesce({text}, name) AS text, NULL AS "
                   "textId, 0 AS domainId, NULL AS color FROM events WHERE row_is_slice = 1 AND "
                   "category IN ('nvtx', 'roctx', 'cpu_op', "
                   "'user_annotation')" },
  { "PROCESSES", "SELECT (1 << 48) + (pid << 24) AS globalPid, pid, name FROM process" },
  { "ThreadNames", "SELECT (1 << 48) + (row_pid(utid) << 24) + tid AS globalTid, NULL AS nameId, "
                   "name FROM thread" },
  { "TARGET_INFO_GPU",
    "SELECT CAST(t.key AS INTEGER) AS id, CAST(t.key AS INTEGER) AS cuDevice, " FACT ("device_type") " AS name, CAST(" FACT ("memory_size") " AS INTEGER) AS totalMemory, CAST(" FACT (
        "peak_bandwidth") " AS INTEGER) AS memoryBandwidth, CAST(" FACT ("clock_rate") " AS "
                                                                                       "INTEGER) "
                                                                                       "AS "
                                                                                       "clockRate, "
                                                                                       "CAST"
                                                                                       "(" FACT (
                                                                                           "c"
                                                                                           "o"
                                                                                           "r"
                                                                                           "e"
                                                                                           "_"
                                                                                           "c"
                                                                                           "o"
                                                                                           "u"
                                                                                           "n"
                                                                                           "t") " A"
                                                                                                "S "
                                                                                                "IN"
                                                                                                "TE"
                                                                                                "GE"
                                                                                                "R)"
                                                                                                " A"
                                                                                                "S "
                                                                                                "sm"
                                                                                                "Co"
                                                                                                "un"
                                                                                                "t "
                                                                                                "FR"
                                                                                                "OM"
                                                                                                " t"
                                                                                                "ra"
                                                                                                "ck"
                                                                                                "s "
                                                                                                "t "
                                                                                                "JO"
                                                                                                "IN"
                                                                                                " f"
                                                                                                "ac"
                                                                                                "ts"
                                                                                                " f"
                                                                                                " "
                                                                                                "US"
                                                                                                "IN"
                                                                                                "G "
                                                                                                "(t"
                                                                                                "ra"
                                                                                                "ck"
                                                                                                ") "
                                                                                                "WH"
                                                                                                "ER"
                                                                                                "E "
                                                                                                "t."
                                                                                                "ki"
                                                                                                "nd"
                                                                                                " ="
                                                                                                " '"
                                                                                                "de"
                                                                                                "vi"
                                                                                                "ce"
                                                                                                "' "
                                                                                                "GR"
                                                                                                "OU"
                                                                                                "P "
                                                                                                "BY"
                                                                                                " t"
                                                                                                ".t"
                                                                                                "ra"
                                                                                                "c"
                                                                                                "k" },
  { "ENUM_CUDA_MEMCPY_OPER",
    "SELECT column1 AS id, column2 AS name, column3 AS label FROM (VALUES (0, "
    "'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'), (1, "
    "'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), "
    "(8, 'CUDA_MEMCPY_KIND_DTOD', "
    "'Device-to-Device'), (9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host'), (10, "
    "'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer'))" },
};

/* -- Making them ------------------------------------------------------------------------------- */

static bool
has_column (const NpSqlProfile *p, const char *name, gsize len)
{
  for (guint k = 0; k < p->columns->len; k++) {
    const char *column = g_array_index (p->columns, NpSqlColumn, k).name;
    if (strlen (column) == len && !memcmp (column, name, len))
      return true;
  }
  return false;
}

/* Replaces {column} by the column, or NULL. */
static void
fill_in (const NpSqlProfile *p, const char *select, GString *sql)
{
  const char *open;
  while ((open = strchr (select, '{'))) {
    gsize len = strcspn (open + 1, "}");
    g_string_append_len (sql, select, open - select);
    if (has_column (p, open + 1, len))
      g_string_append_len (sql, open + 1, (gssize) len);
    else
      g_string_append (sql, "NULL");
    select = open + len + 2;
  }
  g_string_append (sql, select);
}

static bool
is_there (sqlite3 *db, const char *name)
{
  sqlite3_stmt *stmt;
  bool found = false;
  if (sqlite3_prepare_v2 (db, "SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE", -1,
                          &stmt, NULL)
      == SQLITE_OK) {
    sqlite3_bind_text (stmt, 1, name, -1, SQLITE_STATIC);
    found = sqlite3_step (stmt) == SQLITE_ROW;
  }
  sqlite3_finalize (stmt);
  return found;
}

int
np_sql_views (sqlite3 *db, NpSqlProfile *p)
{
  int rc = SQLITE_OK;
  for (gsize k = 0; k < G_N_ELEMENTS (views) && !rc; k++) {
    if (is_there (db, views[k].name)) {
      g_autofree char *text
          = g_strdup_printf ("\"%s\" is a table of this profile, not the view of that name",
                             views[k].name);
      if (p->say)
        p->say (p->user, text);
      continue;
    }
    g_autoptr (GString) sql = g_string_new (NULL);
    g_string_append_printf (sql, "CREATE VIEW \"%s\" AS ", views[k].name);
    fill_in (p, views[k].select, sql);
    rc = sqlite3_exec (db, sql->str, NULL, NULL, NULL);
  }
  return rc;
}
