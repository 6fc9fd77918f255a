/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - the tools by which programs ask a profile, declared once: server, command line, help,
 * schemas, manual and Python are made of this. */
#pragma once

#include <glib.h>

typedef enum { NP_ARG_TEXT, NP_ARG_ID, NP_ARG_WHOLE, NP_ARG_WORDS } NpArgType;

typedef struct {
  gint64 value;
  gboolean given;
} NpWhole;

/* What a call was given; NULL and not given: nothing. */
typedef struct {
  char *path, *id, *device, *name, *where, *sort, *cursor, *what, *query, *base, *other, *table;
  char **columns;
  NpWhole step, rank, from_ns, to_ns, limit, row, buckets;
} NpArgs;

typedef struct {
  const char *name; /* NULL: behind the last */
  NpArgType type;
  gsize at; /* where NpArgs has it   */
  const char *about;
  gboolean required;
  gint64 least, most;       /* of a whole number; most 0: any */
  const char *const *codes; /* the words that it may be       */
} NpArg;

typedef enum {
  NP_FIELD_TEXT,
  NP_FIELD_WHOLE,
  NP_FIELD_NUMBER,
  NP_FIELD_YES_NO,
  NP_FIELD_OBJECT, /* the fields are `of`             */
  NP_FIELD_LIST,   /* of objects, or of `items`       */
  NP_FIELD_ROWS    /* of lists of cells               */
} NpFieldType;

/* A member of an answer. */
typedef struct _NpField {
  const char *name; /* NULL: behind the last */
  NpFieldType type;
  gboolean required;
  const char *about;
  const char *const *codes;  /* the words that a text may be */
  const struct _NpField *of; /* members of an object, or of each of a list */
  NpFieldType items;         /* of a list without them */
  gint64 most;               /* of a list; 0: any */
  const char *pattern;
} NpField;

typedef struct _NpCall NpCall;

typedef struct {
  const char *name, *title, *about;
  gsize bytes;   /* of an answer, at most */
  guint seconds; /* of a call, at most    */
  const NpArg *args;
  const NpField *data;
  void (*run) (NpCall *call);
} NpTool;

/* All of them, in their order, up to one without a name. */
extern const NpTool np_tools[];
const NpTool *np_tool_find (const char *name);
/* Returns the names, up to NULL; static. */
const char *const *np_tool_names (void);

/* fields.c: the envelope that all answers have, without `data`, and how sure an answer is. */
extern const NpField np_envelope_fields[];
extern const NpField np_open_fields[], np_verdict_fields[], np_rows_fields[], np_explain_fields[],
    np_window_fields[], np_diff_fields[], np_ranks_fields[], np_schema_fields[];

/* schema.c: JSON.  Transfer full. */
char *np_tools_list (void);
char *np_tool_schema (const NpTool *tool);
char *np_summary_schema (void);
/* The same table for people, as Markdown. */
char *np_tools_markdown (void);

/* fields.c: returns the word of the codes of what is unknown, or of why; NULL: it is none. */
const char *np_subject_of (const char *word);
const char *np_reason_of (const char *word);

/* args.c: checks what a call was given and keeps it.  Returns NULL, or what is wrong, transfer
 * full; *nearest: NULL, or the names that are there, transfer container. */
char *np_args_set_text (const NpTool *tool, NpArgs *args, const char *name, const char *value,
                        GPtrArray **nearest);
char *np_args_set_whole (const NpTool *tool, NpArgs *args, const char *name, gint64 value,
                         GPtrArray **nearest);
char *np_args_set_words (const NpTool *tool, NpArgs *args, const char *name, char **words,
                         GPtrArray **nearest);
/* Takes the value of a command line, whatever its type. */
char *np_args_set_word (const NpTool *tool, NpArgs *args, const char *name, const char *value,
                        GPtrArray **nearest);
/* Says that the argument has a type that no argument has. */
char *np_args_wrong (const NpTool *tool, const char *name, GPtrArray **nearest);
char *np_args_missing (const NpTool *tool, const NpArgs *args, GPtrArray **nearest);
void np_args_clear (NpArgs *args);

static inline gpointer
np_arg_at (const NpArgs *args, const NpArg *arg)
{
  return (guint8 *) args + arg->at;
}
