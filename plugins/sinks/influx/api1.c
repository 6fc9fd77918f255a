/* SPDX-License-Identifier: Apache-2.0 */
/* api1.c - makes the requests of InfluxDB 1.x: /write and /query. */
#include "api.h"

#include <string.h>

/* These are the precisions of 1.x, which takes every one that it does not know, `us` among them, as
 * ns. */
static const char *const precisions[] = { "ns", "u", "ms", "s" };

static void
append_quoted (GString *to, char quote, const char *text)
{
  g_string_append_c (to, quote);
  for (; *text; text++) {
    if (*text == quote || *text == '\\')
      g_string_append_c (to, '\\');
    if (*text == '\n')
      g_string_append (to, "\\n");
    else
      g_string_append_c (to, *text);
  }
  g_string_append_c (to, quote);
}

static char *
escaped (const char *text)
{
  return g_uri_escape_string (text, NULL, FALSE);
}

char *
api1_write_url (const struct api_place *place)
{
  g_autofree char *db = escaped (place->bucket);
  return g_strdup_printf ("%s/write?db=%s&precision=%s", place->url, db,
                          precisions[place->precision]);
}

ApiRequest
api1_write_nothing (const struct api_place *place)
{
  return (ApiRequest){ .method = "POST", .url = api1_write_url (place), .type = API_LINES };
}

/* Takes the query. */
static ApiRequest
query (const struct api_place *place, GString *q)
{
  g_autofree char *db = escaped (place->bucket);
  g_autofree char *coded = escaped (q->str);
  g_string_free (q, TRUE);
  return (ApiRequest){
    .method = "POST",
    .type = API_FORM,
    .accept = API_JSON,
    .url = g_strdup_printf ("%s/query", place->url),
    .body = g_strdup_printf ("db=%s&epoch=ns&q=%s", db, coded),
  };
}

static void
append_profile (GString *to, const struct api_place *place)
{
  g_string_append (to, " WHERE \"profile\" = ");
  append_quoted (to, '\'', place->profile);
}

ApiRequest
api1_create (const struct api_place *place)
{
  GString *q = g_string_new ("CREATE DATABASE ");
  append_quoted (q, '"', place->bucket);
  return query (place, q);
}

ApiRequest
api1_find_profile (const struct api_place *place)
{
  GString *q = g_string_new ("SHOW SERIES");
  append_profile (q, place);
  g_string_append (q, " LIMIT 1");
  return query (place, q);
}

ApiRequest
api1_drop_profile (const struct api_place *place)
{
  GString *q = g_string_new ("DROP SERIES");
  append_profile (q, place);
  return query (place, q);
}

ApiRequest
api1_count (const struct api_place *place, const char *measurement, const char *const *fields)
{
  GString *q = g_string_new ("SELECT ");
  for (guint k = 0; fields[k]; k++) {
    g_string_append (q, k ? ", count(" : "count(");
    append_quoted (q, '"', fields[k]);
    g_string_append_printf (q, ") AS \"c%u\"", k);
  }
  g_string_append (q, " FROM ");
  append_quoted (q, '"', measurement);
  append_profile (q, place);
  return query (place, q);
}
