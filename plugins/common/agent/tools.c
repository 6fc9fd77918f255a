/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c - the table of tools. */
#include "agent/call.h"

#include <string.h>

/* clang-format off */ /* tables */
#define AT(member) offsetof (NpArgs, member)
#define ID_ARG { "id", NP_ARG_ID, AT (id), "profile id from open, such as n_2fd60b9c01aa", TRUE }
#define STEP_ARG { "step", NP_ARG_WHOLE, AT (step), "step number" }
#define SCOPE_ARGS                                                                                 \
  { "device", NP_ARG_TEXT, AT (device), "device label as open printed it" },                       \
  STEP_ARG,                                                                                        \
  { "rank", NP_ARG_WHOLE, AT (rank), "rank of a job" },                                            \
  { "from_ns", NP_ARG_WHOLE, AT (from_ns), "start of the window, ns after the first row" },        \
  { "to_ns", NP_ARG_WHOLE, AT (to_ns), "end of the window" }
#define PAGE_ARGS                                                                                  \
  { "limit", NP_ARG_WHOLE, AT (limit), "rows, at most 200", FALSE, 1, 200 },                       \
  { "cursor", NP_ARG_TEXT, AT (cursor), "next_cursor of the last answer" }

static const NpArg open_args[] = {
  { "path", NP_ARG_TEXT, AT (path), "file or folder inside a root, or a stored id" },
  PAGE_ARGS,
  { NULL },
};
static const NpArg verdict_args[] = { ID_ARG, SCOPE_ARGS, { NULL } };
static const NpArg table_args[] = {
  ID_ARG,
  { "name", NP_ARG_TEXT, AT (name), "table", TRUE },
  { "columns", NP_ARG_WORDS, AT (columns), "columns" },
  { "where", NP_ARG_TEXT, AT (where),
    "condition, such as: self > 1 ms and operator ~ gemm*|*conv*" },
  { "sort", NP_ARG_TEXT, AT (sort), "column, or -column for the largest first" },
  SCOPE_ARGS, PAGE_ARGS,
  { NULL },
};
static const char *const explained[] = { "finding", "idle", "step", "event", "operator", NULL };
static const NpArg explain_args[] = {
  ID_ARG,
  { "what", NP_ARG_TEXT, AT (what), "what to explain", TRUE, 0, 0, explained },
  { "row", NP_ARG_WHOLE, AT (row), "row number that an answer named" },
  { "name", NP_ARG_TEXT, AT (name), "or its name" },
  { NULL },
};
static const NpArg window_args[] = {
  ID_ARG,
  { "device", NP_ARG_TEXT, AT (device), "device label as open printed it" },
  STEP_ARG,
  { "rank", NP_ARG_WHOLE, AT (rank), "rank of a job" },
  { "from_ns", NP_ARG_WHOLE, AT (from_ns), "start of the window, ns after the first row", TRUE },
  { "to_ns", NP_ARG_WHOLE, AT (to_ns), "end of the window", TRUE },
  { "buckets", NP_ARG_WHOLE, AT (buckets), "buckets", FALSE, 1, 64 },
  { NULL },
};
static const NpArg diff_args[] = {
  { "base", NP_ARG_ID, AT (base), "profile id of the old run, from open", TRUE },
  { "new", NP_ARG_ID, AT (other), "profile id of the new run, from open", TRUE },
  SCOPE_ARGS,
  { NULL },
};
static const NpArg ranks_args[] = { ID_ARG, STEP_ARG, { NULL } };
static const NpArg sql_args[] = {
  ID_ARG, { "query", NP_ARG_TEXT, AT (query), "one SELECT", TRUE }, PAGE_ARGS, { NULL },
};
static const NpArg schema_args[] = {
  ID_ARG, { "table", NP_ARG_TEXT, AT (table), "table" }, { NULL },
};

const NpTool np_tools[] = {
  { "open", "Open a profile",
    "Start here. With path: reads one profile, or a folder of ranks, and returns its id, devices, "
    "steps and what it cannot tell. With nothing: lists the profiles under the roots.",
    2000, 45, open_args, np_open_fields, np_tool_open },
  { "verdict", "What limits it",
    "What bounds the run, the parts of a step in ns, and findings ordered by time at stake. Ask "
    "this second.",
    4000, 10, verdict_args, np_verdict_fields, np_tool_verdict },
  { "table", "Rows of a table",
    "Rows of one table (devices, steps, operators, kernels, gaps, memory, communication, ...; see "
    "schema), filtered, sorted, 20 rows unless limit says more.",
    8000, 10, table_args, np_rows_fields, np_tool_table },
  { "explain", "Why",
    "The chain of causes of one finding, idle gap, step, event or operator: what was waited for, "
    "by which host call, from which line of source.",
    3000, 10, explain_args, np_explain_fields, np_tool_explain },
  { "window", "Look at a stretch of time",
    "Utilisation of each device in equal buckets, and the longest rows of the window.", 4000, 10,
    window_args, np_window_fields, np_tool_window },
  { "sql", "SQL",
    "One SELECT in SQLite over slice, events, tracks, facts and every table. Times are *_ps. Read "
    "only.",
    8000, 10, sql_args, np_rows_fields, np_tool_sql },
  { "diff", "Compare two profiles",
    "Faster, slower, same or inconclusive for step and kernels; or why the two cannot be compared.",
    4000, 30, diff_args, np_diff_fields, np_tool_diff },
  { "ranks", "Who is late",
    "Which rank others wait for, how long, at which collectives and why. For a folder of ranks.",
    3000, 30, ranks_args, np_ranks_fields, np_tool_ranks },
  { "schema", "Tables and columns",
    "Without table: the tables of this profile with rows. With table: its columns, units and "
    "meaning.",
    4000, 5, schema_args, np_schema_fields, np_tool_schema_of },
  { NULL },
};
/* clang-format on */

const NpTool *
np_tool_find (const char *name)
{
  for (const NpTool *tool = np_tools; tool->name; tool++)
    if (!strcmp (tool->name, name))
      return tool;
  return NULL;
}

const char *const *
np_tool_names (void)
{
  static const char *names[G_N_ELEMENTS (np_tools)]; /* the same whoever writes it */
  for (guint i = 0; np_tools[i].name; i++)
    names[i] = np_tools[i].name;
  return names;
}
