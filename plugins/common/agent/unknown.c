/* SPDX-License-Identifier: Apache-2.0 */
/* unknown.c - says what a profile cannot tell, by its table abilities. */
#include "agent/unknown.h"

#include "agent/names.h"

/* A name in a list of names with blanks between them. */
#define IN_TABLES "instr(' ' || tables || ' ', ' ' || %Q || ' ')"
/* What to switch on, in place of the words for people. */
#define OPTION "iif(record glob 'record with *', substr(record, 13), record)"

/* Files of other makers may hold any text: a question and a code are those of the schema, or
 * NULL. */
const char *
np_told_by (NpCall *call, const char *table)
{
  sqlite3_stmt *stmt
      = np_ask (call, "select question from abilities where " IN_TABLES " order by rowid", table);
  const char *question
      = stmt && sqlite3_step (stmt) == SQLITE_ROW ? np_subject_of (np_column (stmt, 0)) : NULL;
  sqlite3_finalize (stmt);
  return question;
}

/* Of a question that has an answer the table may be without rows. */
#define CODE                                                                                       \
  "iif(question = 'device_time' and able <> 'no', 'not_in_format', coalesce(code, "                \
  "'not_recorded'))"

void
np_abstain_unknown (NpCall *call, const char *question)
{
  sqlite3_stmt *stmt
      = np_ask (call, "select " CODE ", " OPTION " from abilities where question = %Q", question);
  const gboolean told = stmt && sqlite3_step (stmt) == SQLITE_ROW;
  const char *code = told ? np_reason_of (np_column (stmt, 0)) : NULL;
  g_autofree char *record
      = told && np_column (stmt, 1) ? np_name_clean (np_column (stmt, 1), -1) : NULL;
  np_call_abstain (call, question, code ? code : "not_recorded", record);
  sqlite3_finalize (stmt);
}

static void
put_one (NpCall *call, sqlite3_stmt *stmt)
{
  const char *what = np_subject_of (np_column (stmt, 0)),
             *code = np_reason_of (np_column (stmt, 1));
  NpMark mark = np_call_mark (call);
  if (!what || !code)
    return;
  np_json_object (&call->data.json, NULL);
  np_json_text (&call->data.json, "what", what);
  np_json_text (&call->data.json, "code", code);
  np_call_name (call, "record", np_column (stmt, 2));
  np_call_end_item (call, mark, 40);
}

void
np_put_unknown (NpCall *call)
{
  sqlite3_stmt *stmt = np_ask (call, "select question, code, " OPTION
                                     " from abilities where missed order by rowid");
  np_json_array (&call->data.json, "unknown");
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW)
    put_one (call, stmt);
  sqlite3_finalize (stmt);
  if (np_ask_whole (call, 0, "select count(*) from summary where code = 'wrong_answer'")) {
    np_json_object (&call->data.json, NULL);
    np_json_text (&call->data.json, "what", "answers");
    np_json_text (&call->data.json, "code", "wrong_answer");
    np_json_end_object (&call->data.json);
  }
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
