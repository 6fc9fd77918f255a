/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - the JSON of answers, written as it is made: members in order, commas where they belong,
 * 64-bit numbers as strings (docs/formats/view-api.md, 1). */
#pragma once

#include <glib.h>
#include <nprof/json.h>

typedef struct {
  struct nprof_buf *buf;
  guint64 begun; /* bit d: something stands at depth d already */
  guint depth;
} NpJson;

/* `key` is NULL within an array and for the root.  Each of these opens, and np_json_end closes the
 * innermost. */
void np_json_object (NpJson *json, const char *key);
void np_json_array (NpJson *json, const char *key);
void np_json_end_object (NpJson *json);
void np_json_end_array (NpJson *json);

void np_json_text (NpJson *json, const char *key, const char *text); /* NULL: null */
void np_json_text_n (NpJson *json, const char *key, const char *text, gsize len);
void np_json_i64 (NpJson *json, const char *key, gint64 value);  /* a string */
void np_json_u64 (NpJson *json, const char *key, guint64 value); /* a string */
void np_json_number (NpJson *json, const char *key, guint64 value);
void np_json_double (NpJson *json, const char *key,
                     double value); /* NaN and infinity are strings */
void np_json_double_or_null (NpJson *json, const char *key,
                             double value); /* NaN is null: unknown */
void np_json_bool (NpJson *json, const char *key, gboolean value);
void np_json_null (NpJson *json, const char *key);
/* The text is JSON already, or is written as a string. */
void np_json_raw (NpJson *json, const char *key, const char *text, gsize len);
/* Puts "LANE.ROW". */
void np_json_row (NpJson *json, const char *key, guint32 lane, guint32 row);

/* These put a metric with a value, and one that is unknown for this reason. */
void np_json_metric (NpJson *json, const char *key, double value, const char *unit,
                     const char *source);
void np_json_metric_time (NpJson *json, const char *key, gint64 ps, const char *source);
void np_json_unknown (NpJson *json, const char *key, const char *unit, const char *reason);
