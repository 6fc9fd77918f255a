/* SPDX-License-Identifier: Apache-2.0 */
/* json-writer.h - JSON written part by part as it is made, by the core and by plugins: members in
 * order, commas and line breaks where they belong.  It needs no json-glib, which takes longer to
 * load than a small run takes. */
#pragma once

#include <glib.h>
#include <nprof/json.h>

typedef enum {
  NP_JSON_DENSE,   /* {"a":1,"b":[2,3]}                              */
  NP_JSON_SPACED,  /* {"a": 1, "b": [2, 3]}                          */
  NP_JSON_INDENTED /* a member a line, two blanks a level: "a" : 1   */
} NpJsonStyle;

/* Only these two are set by who writes, the rest is 0. */
typedef struct {
  struct nprof_buf *buf;
  NpJsonStyle style;
  guint64 begun; /* bit d: something stands at depth d already */
  guint depth;
  guint line; /* the next value or bracket begins a line, after one blank fewer; 0: it does not */
} NpJson;

/* `key` is NULL within an array and for the root.  Each of these opens, and np_json_end_* closes
 * the innermost. */
void np_json_object (NpJson *json, const char *key);
void np_json_array (NpJson *json, const char *key);
void np_json_end_object (NpJson *json);
void np_json_end_array (NpJson *json);

/* Puts what comes next on a line of its own, behind so many blanks. */
void np_json_line (NpJson *json, guint blanks);

void np_json_text (NpJson *json, const char *key, const char *text); /* NULL: null */
void np_json_text_n (NpJson *json, const char *key, const char *text, gsize len);
/* Whole numbers as strings, for readers who keep numbers in doubles. */
void np_json_i64 (NpJson *json, const char *key, gint64 value);
void np_json_u64 (NpJson *json, const char *key, guint64 value);
/* Whole numbers as numbers. */
void np_json_number (NpJson *json, const char *key, guint64 value);
void np_json_integer (NpJson *json, const char *key, gint64 value);
/* NaN and infinity are strings; in the second NaN is null: unknown. */
void np_json_double (NpJson *json, const char *key, double value);
void np_json_double_or_null (NpJson *json, const char *key, double value);
void np_json_bool (NpJson *json, const char *key, gboolean value);
void np_json_null (NpJson *json, const char *key);
/* The text is JSON already, or is written as a string. */
void np_json_raw (NpJson *json, const char *key, const char *text, gsize len);
/* Puts the key, which may hold any bytes, and returns where the caller puts its value itself. */
struct nprof_buf *np_json_value (NpJson *json, const char *key, gsize key_len);

/* Moves what was written to the end of another text.  Ends the program where memory was out, as
 * GLib does with all texts. */
void np_json_move (struct nprof_buf *from, GString *to);

/* Returns what was written, for g_free, and leaves an empty buffer; NULL: memory was out. */
char *np_json_take (struct nprof_buf *from);
