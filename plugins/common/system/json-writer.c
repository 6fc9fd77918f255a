/* SPDX-License-Identifier: Apache-2.0 */
/* json-writer.c - writes JSON part by part. */

#include "system/json-writer.h"

/* Goes to the line on which the next value or closing bracket stands, which may be this one. */
static void
go_to_line (NpJson *json, gboolean of_its_own)
{
  guint blanks = json->line ? json->line - 1 : 2 * json->depth;
  if (!json->line && !(of_its_own && json->style == NP_JSON_INDENTED))
    return;
  nprof_put_char (json->buf, '\n');
  while (blanks--)
    nprof_put_char (json->buf, ' ');
  json->line = 0;
}

struct nprof_buf *
np_json_value (NpJson *json, const char *key, gsize key_len)
{
  static const char *const colons[] = { ":", ": ", " : " };
  guint64 bit = G_GUINT64_CONSTANT (1) << json->depth;
  if (json->begun & bit)
    nprof_put_text (json->buf, json->style == NP_JSON_SPACED && !json->line ? ", " : ",");
  json->begun |= bit;
  go_to_line (json, json->depth > 0);
  if (key) {
    nprof_put_json_string (json->buf, key, key_len, 0);
    nprof_put_text (json->buf, colons[json->style]);
  }
  return json->buf;
}

static void
begin (NpJson *json, const char *key)
{
  np_json_value (json, key, key ? strlen (key) : 0);
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

static void
up (NpJson *json, char bracket)
{
  gboolean any = (json->begun >> json->depth) & 1;
  json->depth--;
  go_to_line (json, any);
  nprof_put_char (json->buf, bracket);
}

void
np_json_line (NpJson *json, guint blanks)
{
  json->line = blanks + 1;
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
  up (json, '}');
}

void
np_json_end_array (NpJson *json)
{
  up (json, ']');
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
np_json_integer (NpJson *json, const char *key, gint64 value)
{
  begin (json, key);
  nprof_put_i64 (json->buf, value);
}

void
np_json_double (NpJson *json, const char *key, double value)
{
  begin (json, key);
  nprof_put_json_double (json->buf, value);
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
np_json_move (struct nprof_buf *from, GString *to)
{
  if (from->failed)
    g_error ("no memory for more than %zu bytes of JSON", from->len);
  g_string_append_len (to, from->data, (gssize) from->len);
  nprof_buf_clear (from);
}

char *
np_json_take (struct nprof_buf *from)
{
  nprof_put_char (from, 0);
  char *text = from->failed ? NULL : from->data;
  if (!text)
    nprof_buf_clear (from);
  *from = (struct nprof_buf){ 0 };
  return text;
}
