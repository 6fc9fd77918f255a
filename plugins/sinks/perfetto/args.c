/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - puts what is known of a row beyond its place as typed annotations: integers of 64 bits
 * stay exact, JSON becomes dicts and arrays. */
#include "perfetto.h"

#include "trace-out/strict-json.h"

#define DEPTH 100           /* JSON that is nested deeper stays text */

/* Attributes of the names that this sink puts itself become attr_NAME. */
static gboolean
is_own (struct perfetto_sink *self, nprof_str key)
{
  for (guint k = 0; k < N_OWN; k++)
    if (self->own[k] == key)
      return TRUE;
  return FALSE;
}

static gboolean
is_own_word (struct perfetto_sink *self, const char *word, size_t len)
{
  for (guint k = 0; k < N_OWN; k++) {
    size_t own_len;
    const char *own = self->host->string (self->host, self->own[k], &own_len);
    if (own[0] == word[0] && own_len == len && memcmp (own, word, len) == 0)
      return TRUE;
  }
  return FALSE;
}

size_t
perfetto_begin_own (struct perfetto_sink *self, struct nprof_buf *to, guint own)
{
  size_t from = wire_begin (to, EVENT_ARG);
  perfetto_put_name (self, to, ARG_NAME_IID, ARG_NAME, INTERNED_ARG_NAMES, self->own[own]);
  return from;
}

size_t
perfetto_begin_arg (struct nprof_buf *to, const char *name)
{
  size_t from = wire_begin (to, EVENT_ARG);
  wire_text (to, ARG_NAME, name);
  return from;
}

/* -- JSON ------------------------------------------------------------------ */

static guint
hex_digit (char c)
{
  return (guint) g_ascii_xdigit_value (c);
}

/* Puts a JSON string without its quotes and escapes; returns its end. */
static const char *
put_json_string (struct perfetto_sink *self, struct nprof_buf *result, guint kind, const char *at)
{
  static const char plain[] = "b\bf\fn\nr\rt\t";
  const char *end = strict_json_skip_string (at) - 1;
  struct nprof_buf *to = &self->word;
  to->len = 0;
  for (at++; at < end; at++) {
    const char *run = at;
    while (at < end && *at != '\\')
      at++;
    nprof_put (to, run, (size_t) (at - run));
    if (at == end)
      break;
    at++;
    const char *escaped = *at == 'u' ? NULL : strchr (plain, *at);
    if (*at == 'u') {
      guint c = hex_digit (at[1]) << 12 | hex_digit (at[2]) << 8 | hex_digit (at[3]) << 4
                | hex_digit (at[4]);
      char utf8[6];
      if (c)
        nprof_put (to, utf8, (size_t) g_unichar_to_utf8 (c, utf8));
      else
        nprof_put_text (to, "\xe2\x90\x80");
      at += 4;
    } else {
      nprof_put_char (to, escaped ? escaped[1] : *at);
    }
  }
  nprof_put_char (to, 0);
  result->failed |= to->failed;
  if (!to->failed)
    perfetto_put_word (self, result, kind, to->data, to->len - 1);
  return end + 1;
}

/* Returns the end of the digits at `at`, and their number; NULL: it is none below 10^18. */
static const char *
short_number (const char *at, gint64 *number)
{
  const char *digits = at + (*at == '-'), *end = digits;
  gint64 sum = 0;
  for (; g_ascii_isdigit (*end) && end - digits < 18; end++)
    sum = sum * 10 + (*end - '0');
  *number = *at == '-' ? -sum : sum;
  gboolean whole = *end == ',' || *end == '}' || *end == ']' || *end == 0;
  return whole && end > digits ? end : NULL;
}

static const char *
put_json_number (struct nprof_buf *to, const char *at)
{
  gint64 i;
  guint64 u;
  const char *end = short_number (at, &i);
  if (end && (i || *at != '-')) {
    wire_uint (to, ARG_INT, (guint64) i);
    return end;
  }
  end = strict_json_skip_value (at);
  g_autofree char *text = g_strndup (at, (gsize) (end - at));
  if (strpbrk (text, ".eE") || !strcmp (text, "-0"))
    wire_double (to, ARG_DOUBLE, g_ascii_strtod (text, NULL));
  else if (g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &i, NULL))
    wire_uint (to, ARG_INT, (guint64) i);
  else if (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &u, NULL))
    wire_uint (to, ARG_UINT, u);
  else
    wire_text (to, ARG_STRING, text); /* an integer that no type holds */
  return end;
}

/* Puts the fields of a value; returns its end. */
static const char *
put_json_value (struct perfetto_sink *self, struct nprof_buf *to, const char *at, guint depth)
{
  if (*at == '"')
    return put_json_string (self, to, INTERNED_ARG_STRINGS, at);
  if (*at == 't' || *at == 'f') {
    wire_uint (to, ARG_BOOL, *at == 't');
    return strict_json_skip_value (at);
  }
  if (*at != '{' && *at != '[') {
    if (*at != 'n')
      return put_json_number (to, at);
    wire_text (to, ARG_STRING, "null");
    return strict_json_skip_value (at);
  }
  char close = *at == '{' ? '}' : ']';
  if (at[1] == close || depth == DEPTH) {
    const char *end = strict_json_skip_value (at);
    wire_bytes (to, ARG_STRING, at, (size_t) (end - at));
    return end;
  }
  for (at++; at[-1] != close; at++) {
    size_t from = wire_begin (to, close == '}' ? ARG_MEMBER : ARG_ELEMENT);
    if (close == '}')
      at = put_json_string (self, to, INTERNED_ARG_NAMES, at) + 1;
    at = put_json_value (self, to, at, depth + 1);
    wire_end (to, from);
  }
  return at;
}

/* -- Values ---------------------------------------------------------------- */

static const char *
strict_json (struct perfetto_sink *self, const struct nprof_field *field)
{
  struct nprof_buf *json = &self->scratch;
  json->len = 0;
  nprof_put_json (json, field->bytes + field->value.bytes.at, field->value.bytes.len, 0);
  nprof_put_char (json, 0);
  return json->failed ? NULL : json->data;
}

static void
put_string (struct perfetto_sink *self, struct nprof_buf *to, nprof_str text)
{
  perfetto_put_name (self, to, ARG_STRING_IID, ARG_STRING, INTERNED_ARG_STRINGS, text);
}

static void
put_text (struct perfetto_sink *self, struct nprof_buf *to, const char *text, size_t len)
{
  self->scratch.len = 0;
  perfetto_make_text (NULL, &self->scratch, text, len);
  to->failed |= self->scratch.failed;
  if (self->scratch.len)
    wire_bytes (to, ARG_STRING, self->scratch.data, self->scratch.len);
  else
    wire_bytes (to, ARG_STRING, text, len);
}

void
perfetto_put_value (struct perfetto_sink *self, struct nprof_buf *to,
                    const struct nprof_field *field)
{
  const nprof_value *v = &field->value;
  const char *json;
  switch (field->type) {
  case NPROF_INT64:
    wire_uint (to, ARG_INT, (guint64) v->i);
    break;
  case NPROF_UINT64:
    wire_uint (to, ARG_UINT, v->u);
    break;
  case NPROF_DOUBLE:
    wire_double (to, ARG_DOUBLE, v->f);
    break;
  case NPROF_BOOL:
    wire_uint (to, ARG_BOOL, v->u);
    break;
  case NPROF_STRING:
    put_string (self, to, v->s);
    break;
  case NPROF_TEXT:
    put_text (self, to, field->bytes + v->bytes.at, v->bytes.len);
    break;
  case NPROF_JSON:
    json = strict_json (self, field);
    to->failed |= !json;
    if (json)
      put_json_value (self, to, json, 0);
    break;
  case NPROF_ID128: {
    struct nprof_buf *id = &self->scratch;
    id->len = 0;
    nprof_put_id128 (id, field->bytes + v->bytes.at);
    wire_bytes (to, ARG_STRING, id->data, id->len);
    to->failed |= id->failed;
    break;
  }
  default:
    break;
  }
}

/* -- Attributes ------------------------------------------------------------ */

/* Returns whether the row has an attribute of this key, a JSON string with its quotes. */
static gboolean
is_attribute (struct perfetto_sink *self, const char *key, size_t len)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    struct nprof_cached_string made
        = nprof_string_cache_get (&self->texts, self->row_columns.unmapped[k].key);
    if (made.len + 2 == len && memcmp (made.text, key + 1, made.len) == 0)
      return TRUE;
  }
  return FALSE;
}

/* Puts the members of the attribute `args`, the source's own object, beside the others; those that
 * were decoded are not said twice. */
static void
put_members (struct perfetto_sink *self, struct nprof_buf *to, const char *object)
{
  for (const char *at = object + 1; *at != '}'; at += *at == ',') {
    const char *key = at, *value = strict_json_skip_string (at) + 1;
    size_t len = (size_t) (value - 1 - key);
    if (is_attribute (self, key, len)) {
      at = strict_json_skip_value (value);
      continue;
    }
    size_t from = wire_begin (to, EVENT_ARG);
    if (len > 2 && is_own_word (self, key + 1, len - 2)) {
      g_autofree char *name = g_strdup_printf ("attr_%.*s", (int) (len - 2), key + 1);
      wire_text (to, ARG_NAME, name);
    } else {
      put_json_string (self, to, INTERNED_ARG_NAMES, key);
    }
    at = put_json_value (self, to, value, 1);
    wire_end (to, from);
  }
}

static void
put_attribute (struct perfetto_sink *self, struct nprof_buf *to, const struct nprof_field *field)
{
  size_t from = wire_begin (to, EVENT_ARG);
  if (is_own (self, field->key)) {
    g_autofree char *name = g_strdup_printf ("attr_%s", nprof_text (self->host, field->key));
    wire_text (to, ARG_NAME, name);
  } else {
    perfetto_put_name (self, to, ARG_NAME_IID, ARG_NAME, INTERNED_ARG_NAMES, field->key);
  }
  perfetto_put_value (self, to, field);
  wire_end (to, from);
}

void
perfetto_put_attributes (struct perfetto_sink *self, struct nprof_buf *to)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    const struct nprof_field *field = self->row_columns.unmapped + k;
    if (field->type == NPROF_NULL || field->key == self->phase_key)
      continue;
    const char *json = field->key == self->args_key && field->type == NPROF_JSON
                           ? strict_json (self, field)
                           : NULL;
    if (json && *json == '{')
      put_members (self, to, json);
    else
      put_attribute (self, to, field);
  }
}
