/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - reads what servers answer: JSON of both versions, and words. flux.c reads Flux's
 * CSV. */
#include "answer.h"
#include "system/json-guard.h"

#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

/* -- JSON ------------------------------------------------------------------ */

#define DEPTH_MAX 64

static JsonParser *
parse (const char *text)
{
  JsonParser *parser = json_parser_new ();
  if (text && !json_guard (text, strlen (text), DEPTH_MAX, NULL)
      && json_parser_load_from_data (parser, text, -1, NULL))
    return parser;
  g_object_unref (parser);
  return NULL;
}

static JsonObject *
object_of (JsonNode *node)
{
  return node && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static JsonObject *
root_of (JsonParser *parser)
{
  return parser ? object_of (json_parser_get_root (parser)) : NULL;
}

static JsonArray *
array_in (JsonObject *object, const char *key)
{
  JsonNode *node = object ? json_object_get_member (object, key) : NULL;
  return node && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

static JsonObject *
first_in (JsonArray *array)
{
  return array && json_array_get_length (array) ? object_of (json_array_get_element (array, 0))
                                                : NULL;
}

static const char *
text_in (JsonObject *object, const char *key)
{
  JsonNode *node = object ? json_object_get_member (object, key) : NULL;
  return node && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node)
                                                                  : NULL;
}

/* -- Which server ---------------------------------------------------------- */

static int
major_of (const char *version)
{
  if (!version)
    return 0;
  int major = atoi (version + (*version == 'v'));
  return major >= 2 ? 2 : major == 1 ? 1 : 0; /* what follows 2.x kept its interface */
}

int
answer_api (const char *version, const char *health)
{
  int api = major_of (version);
  if (api)
    return api;
  g_autoptr (JsonParser) parser = parse (health);
  return major_of (text_in (root_of (parser), "version"));
}

/* -- Errors ---------------------------------------------------------------- */

static char *
one_line (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  for (char *at = valid; *at; at++)
    if ((guchar) *at < 0x20 || *at == 0x7f)
      *at = ' ';
  g_strstrip (valid);
  if (strlen (valid) <= ANSWER_TEXT_MAX)
    return g_steal_pointer (&valid);
  const char *end = g_utf8_find_prev_char (valid, valid + ANSWER_TEXT_MAX);
  return g_strdup_printf ("%.*s ... (%zu bytes more)", (int) (end - valid), valid, strlen (end));
}

static const char *
error_in (JsonObject *root)
{
  const char *error = text_in (root, "error");
  if (!error)
    error = text_in (root, "message");
  return error ? error : text_in (first_in (array_in (root, "results")), "error");
}

char *
answer_error (const char *text)
{
  g_autoptr (JsonParser) parser = parse (text);
  const char *error = error_in (root_of (parser));
  return one_line (error ? error : text ? text : "");
}

gboolean
answer_is_influx (const char *text)
{
  g_autoptr (JsonParser) parser = parse (text);
  JsonObject *root = root_of (parser);
  return text_in (root, "error") || (text_in (root, "code") && text_in (root, "message"));
}

static const struct {
  const char *part, *mend;
} known[] = {
  { "too many open files",
    "the server has run out of file descriptors: delete databases or buckets that nobody needs, or "
    "raise its limit (nofile in /etc/security/limits.conf, LimitNOFILE of its service)" },
  { "no space left on device", "the server's disk is full: make room there" },
  { "max-series-per-database",
    "raise max-series-per-database in the server's influxdb.conf, with index-version = \"tsi1\"" },
  { "max-values-per-tag", "raise max-values-per-tag in the server's influxdb.conf" },
  { "field type",
    "something else has written this field there with another type: use another db= or bucket=" },
  { "points beyond retention policy",
    "the database keeps nothing that old: use one without an end, or give epoch= to a profile "
    "without absolute times" },
  { "outside retention policy",
    "the bucket keeps nothing that old: use one without an end, or give epoch= to a profile "
    "without "
    "absolute times" },
  { "retention policy not found", "the database has no default retention policy: ALTER RETENTION "
                                  "POLICY ... DEFAULT" },
};

const char *
answer_mend (const char *error)
{
  for (guint k = 0; k < G_N_ELEMENTS (known); k++)
    if (strstr (error, known[k].part))
      return known[k].mend;
  return NULL;
}

gboolean
answer_partial (int status, const char *error)
{
  return (status == 400 && strstr (error, "partial write")) || status == 422;
}

/* -- 1.x ------------------------------------------------------------------- */

char *
answer1_query_error (const char *text)
{
  g_autoptr (JsonParser) parser = parse (text);
  const char *error = error_in (root_of (parser));
  return error ? one_line (error) : NULL;
}

static JsonObject *
first_series (JsonParser *parser)
{
  return first_in (array_in (first_in (array_in (root_of (parser), "results")), "series"));
}

gboolean
answer1_any (const char *text)
{
  g_autoptr (JsonParser) parser = parse (text);
  JsonArray *values = array_in (first_series (parser), "values");
  return values && json_array_get_length (values);
}

/* A column of counts is called after its field. */
static void
count_series (JsonObject *series, AnswerCount fn, gpointer user)
{
  const char *measurement = text_in (series, "name");
  JsonArray *columns = array_in (series, "columns"), *rows = array_in (series, "values");
  JsonNode *row = rows && json_array_get_length (rows) ? json_array_get_element (rows, 0) : NULL;
  JsonArray *values = row && JSON_NODE_HOLDS_ARRAY (row) ? json_node_get_array (row) : NULL;
  guint n = measurement && columns && values
                ? MIN (json_array_get_length (columns), json_array_get_length (values))
                : 0;
  for (guint i = 0; i < n; i++) {
    JsonNode *name = json_array_get_element (columns, i);
    JsonNode *value = json_array_get_element (values, i);
    const char *column
        = json_node_get_value_type (name) == G_TYPE_STRING ? json_node_get_string (name) : "";
    if (g_str_has_prefix (column, "count_") && json_node_get_value_type (value) == G_TYPE_INT64)
      fn (measurement, column + strlen ("count_"), (guint64) MAX (json_node_get_int (value), 0),
          user);
  }
}

gboolean
answer1_counts (const char *text, AnswerCount fn, gpointer user)
{
  g_autoptr (JsonParser) parser = parse (text);
  JsonObject *series = first_series (parser);
  if (series)
    count_series (series, fn, user);
  return array_in (root_of (parser), "results") != NULL;
}

/* -- 2.x ------------------------------------------------------------------- */

int
answer2_only (const char *text, const char *what, char **id, char **name)
{
  g_autoptr (JsonParser) parser = parse (text);
  JsonArray *list = array_in (root_of (parser), what);
  if (!list)
    return -1;
  JsonObject *first = first_in (list);
  *id = g_strdup (text_in (first, "id"));
  *name = g_strdup (text_in (first, "name"));
  return (int) json_array_get_length (list);
}
