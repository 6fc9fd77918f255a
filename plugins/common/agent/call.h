/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - a call of a tool while it runs, and the answer that it builds: nprof.answer/1. */
#pragma once

#include "agent/tool.h"

#include <stdatomic.h>
#include <system/json-writer.h>

typedef struct _NpAgent NpAgent;
typedef struct _NpAgentProfile NpAgentProfile;

/* One list or object of an answer while it is written. */
typedef struct {
  struct nprof_buf buf;
  NpJson json;
} NpPiece;

struct _NpCall {
  const NpTool *tool;
  NpArgs args;
  NpAgent *agent;
  NpAgentProfile *profile; /* that `id` or `base` names; NULL: none */
  struct _NpSql *sql;      /* which statements go to                */
  atomic_int cancelled;
  /* Called as work goes on, `done` growing; NULL: nobody asked. */
  void (*progress) (NpCall *call, guint done);
  gpointer user;
  GDestroyNotify user_free;
  gint64 until; /* monotonic us, where the tool counts them itself */

  /* The answer. */
  const char *certainty;     /* "measured" unless it is set           */
  const char *what, *reason; /* reason not NULL: it abstains          */
  char *record;              /* what to switch on; NULL: nothing      */
  GString *text;             /* our words alone                       */
  gboolean truncated;
  gint64 total; /* rows in all; -1: it is no list        */
  char *cursor; /* of the next page                      */
  char *id;     /* of the profile                        */
  char *second; /* the other file of diff, alike             */
  char *shown;  /* the file as a command line names it   */
  NpPiece data, notes, next;
  guint n_next;
  gsize rest; /* bytes that what stands beside data is thought to take */
  struct {
    const char *code; /* NULL: none */
    char *text;
    gint64 at;          /* -1: no place */
    GPtrArray *nearest; /* of char *, owned */
  } error;
};

NpCall *np_call_new (const NpTool *tool, NpAgent *agent);
void np_call_free (NpCall *call);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpCall, np_call_free)

/* agent.c: runs it, whatever comes; the answer is in the call. */
void np_call_run (NpCall *call);
/* Returns the answer as JSON on one line, within the tool's bytes; transfer full. */
char *np_call_take (NpCall *call);

/* Sets what is wrong; the first stays. */
void np_call_fail (NpCall *call, const char *code, const char *format, ...) G_GNUC_PRINTF (3, 4);
void np_call_nearest (NpCall *call, const char *name);
/* Sets that an argument is wrong, and lists the names that are there; problem NULL: none is. */
void np_call_fail_argument (NpCall *call, const char *problem, const GPtrArray *nearest);
/* Says that it is unknown; record: NULL, or what to switch on. */
void np_call_abstain (NpCall *call, const char *what, const char *reason, const char *record);
void np_call_say (NpCall *call, const char *format, ...) G_GNUC_PRINTF (2, 3);
void np_call_note (NpCall *call, const char *code, gint64 count, const char *text);
/* Adds a call that would tell more: pairs of name and value, up to NULL; a value that begins with #
 * is a number. */
void np_call_next (NpCall *call, const char *tool, const char *why, ...) G_GNUC_NULL_TERMINATED;

/* Puts a word of the profile, cleaned; NULL or "" is left out. */
void np_call_name (NpCall *call, const char *key, const char *text);
/* Where data stood, so that what has no room can be taken back. */
typedef struct {
  gsize len;
  NpJson json;
} NpMark;
NpMark np_call_mark (const NpCall *call);
/* Returns whether what was written since fits, with `spare` more bytes; else takes it back and
 * marks the answer truncated. */
gboolean np_call_fits (NpCall *call, NpMark mark, gsize spare);
/* Ends an object within a list of data that began at the mark. */
gboolean np_call_end_item (NpCall *call, NpMark mark, gsize spare);

/* The tools. */
void np_tool_open (NpCall *call);
void np_tool_verdict (NpCall *call);
void np_tool_table (NpCall *call);
void np_tool_explain (NpCall *call);
void np_tool_window (NpCall *call);
void np_tool_sql (NpCall *call);
void np_tool_diff (NpCall *call);
void np_tool_ranks (NpCall *call);
void np_tool_schema_of (NpCall *call);
