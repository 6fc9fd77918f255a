/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - writes the JSON of answers. */

#include "view/json.h"

static void
begin (NpJson *json, const char *key)
{
  guint64 bit = G_GUINT64_CONSTANT (1) << json->depth;
  if (json->begun & bit)
    nprof_put_char (json->buf, ',');
  json->begun |= bit;
  if (!key)
    return;
  nprof_put_json_string (json->buf, key, strlen (key), 0);
  nprof_put_char (json->buf, ':');
}

static void
down (NpJson *json, const char *key, char bracket)
{
  begin (json, key);
  nprof_put_char (json->buf, bracket);
  json->depth++;
  g_assert (json->depth < 64);
  json->begun &= ~(G_GUINT64_CONSTANT (1) << json->depth);
}

void
np_json_object (NpJson *json, const char *key)
{
  down (json, key, '{');
}

void
np_json_array (NpJson *json, const char *key)
{
  down (json, key, '[');
}

void
np_json_end_object (NpJson *json)
{
  json->depth--;
  nprof_put_char (json->buf, '}');
}

void
np_json_end_array (NpJson *json)
{
  json->depth--;
  nprof_put_char (json->buf, ']');
}

void
np_json_text_n (NpJson *json, const char *key, const char *text, gsize len)
{
  begin (json, key);
  nprof_put_json_string (json->buf, text, len, 0);
}

void
np_json_text (NpJson *json, const char *key, const char *text)
{
  if (text)
    np_json_text_n (json, key, text, strlen (text));
  else
    np_json_null (json, key);
}

void
np_json_i64 (NpJson *json, const char *key, gint64 value)
{
  begin (json, key);
  nprof_put_char (json->buf, '"');
  nprof_put_i64 (json->buf, value);
  nprof_put_char (json->buf, '"');
}

void
np_json_u64 (NpJson *json, const char *key, guint64 value)
{
  begin (json, key);
  nprof_put_char (json->buf, '"');
  nprof_put_u64 (json->buf, value);
  nprof_put_char (json->buf, '"');
}

void
np_json_number (NpJson *json, const char *key, guint64 value)
{
  begin (json, key);
  nprof_put_u64 (json->buf, value);
}

void
np_json_double (NpJson *json, const char *key, double value)
{
  begin (json, key);
  if (isfinite (value))
    nprof_put_double (json->buf, value);
  else
    nprof_put_text (json->buf, isnan (value) ? "\"NaN\""
                               : value > 0   ? "\"Infinity\""
                                             : "\"-Infinity\"");
}

void
np_json_double_or_null (NpJson *json, const char *key, double value)
{
  if (isnan (value))
    np_json_null (json, key);
  else
    np_json_double (json, key, value);
}

void
np_json_bool (NpJson *json, const char *key, gboolean value)
{
  begin (json, key);
  nprof_put_text (json->buf, value ? "true" : "false");
}

void
np_json_null (NpJson *json, const char *key)
{
  begin (json, key);
  nprof_put_text (json->buf, "null");
}

void
np_json_raw (NpJson *json, const char *key, const char *text, gsize len)
{
  begin (json, key);
  nprof_put_json (json->buf, text, len, 0);
}

void
np_json_row (NpJson *json, const char *key, guint32 lane, guint32 row)
{
  begin (json, key);
  nprof_put_char (json->buf, '"');
  nprof_put_u64 (json->buf, lane);
  nprof_put_char (json->buf, '.');
  nprof_put_u64 (json->buf, row);
  nprof_put_char (json->buf, '"');
}

static void
end_metric (NpJson *json, const char *unit, const char *reason, const char *source)
{
  np_json_text (json, "unit", unit);
  np_json_text (json, "reason", reason);
  np_json_text (json, "source", source);
  np_json_end_object (json);
}

void
np_json_metric (NpJson *json, const char *key, double value, const char *unit, const char *source)
{
  np_json_object (json, key);
  np_json_double (json, "value", value);
  end_metric (json, unit, "", source);
}

void
np_json_metric_time (NpJson *json, const char *key, gint64 ps, const char *source)
{
  np_json_object (json, key);
  np_json_i64 (json, "value", ps);
  end_metric (json, "ps", "", source);
}

void
np_json_unknown (NpJson *json, const char *key, const char *unit, const char *reason)
{
  np_json_object (json, key);
  np_json_null (json, "value");
  end_metric (json, unit, reason, "");
}
