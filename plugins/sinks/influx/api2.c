/* SPDX-License-Identifier: Apache-2.0 */
/* api2.c - makes the requests of InfluxDB 2.x: /api/v2/... */
#include "api.h"

#include "system/json-writer.h"
#include <string.h>

/* InfluxDB can hold these times; the end is exclusive. */
#define FIRST_TIME "1677-09-21T00:12:44Z"
#define LAST_TIME "2262-04-11T23:47:16Z"

static const char *const precisions[] = { "ns", "us", "ms", "s" };

static char *
escaped (const char *text)
{
  return g_uri_escape_string (text ? text : "", NULL, FALSE);
}

static char *
at_bucket (const struct api_place *place, const char *path, const char *more)
{
  g_autofree char *org = escaped (place->org);
  g_autofree char *bucket = escaped (place->bucket);
  return g_strdup_printf ("%s%s?org=%s&bucket=%s%s", place->url, path, org, bucket, more);
}

char *
api2_write_url (const struct api_place *place)
{
  g_autofree char *more = g_strconcat ("&precision=", precisions[place->precision], NULL);
  return at_bucket (place, "/api/v2/write", more);
}

/* Asks for two, to know whether there is only one: one that several share is of no use. */
ApiRequest
api2_find_orgs (const struct api_place *place)
{
  g_autofree char *org = escaped (place->org);
  return (ApiRequest){ .method = "GET",
                       .accept = API_JSON,
                       .url = g_strdup_printf ("%s/api/v2/orgs?%s%s", place->url,
                                               place->org ? "org=" : "limit=2", org) };
}

ApiRequest
api2_find_bucket (const struct api_place *place)
{
  g_autofree char *org = escaped (place->org);
  g_autofree char *bucket = escaped (place->bucket);
  return (ApiRequest){
    .method = "GET",
    .accept = API_JSON,
    .url = g_strdup_printf ("%s/api/v2/buckets?org=%s&name=%s", place->url, org, bucket),
  };
}

static void
append_quoted (GString *to, const char *text)
{
  g_string_append_c (to, '"');
  for (; *text; text++)
    switch (*text) {
    case '"':
    case '\\':
      g_string_append_c (to, '\\');
      g_string_append_c (to, *text);
      break;
    case '\n':
      g_string_append (to, "\\n");
      break;
    default:
      if (text[0] == '$' && text[1] == '{') /* Flux would put a value in its place */
        g_string_append_c (to, '\\');
      g_string_append_c (to, *text);
    }
  g_string_append_c (to, '"');
}

ApiRequest
api2_create (const struct api_place *place)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf };
  np_json_object (&json, NULL);
  np_json_text (&json, "orgID", place->org_id ? place->org_id : "");
  np_json_text (&json, "name", place->bucket);
  np_json_array (&json, "retentionRules");
  np_json_end_array (&json);
  np_json_end_object (&json);
  GString *body = g_string_new (NULL);
  np_json_move (&buf, body);
  return (ApiRequest){ .method = "POST",
                       .type = API_JSON,
                       .accept = API_JSON,
                       .url = g_strdup_printf ("%s/api/v2/buckets", place->url),
                       .body = g_string_free (body, FALSE) };
}

ApiRequest
api2_drop_profile (const struct api_place *place)
{
  return (ApiRequest){ .method = "POST",
                       .type = API_JSON,
                       .accept = API_JSON,
                       .url = at_bucket (place, "/api/v2/delete", ""),
                       .body
                       = g_strdup_printf ("{\"start\":\"" FIRST_TIME "\",\"stop\":\"" LAST_TIME
                                          "\",\"predicate\":\"profile=\\\"%s\\\"\"}",
                                          place->profile) };
}

static ApiRequest
flux (const struct api_place *place, const char *rest)
{
  g_autofree char *org = escaped (place->org);
  GString *q = g_string_new ("from(bucket: ");
  append_quoted (q, place->bucket);
  g_string_append (q, ")\n  |> range(start: " FIRST_TIME ", stop: " LAST_TIME
                      ")\n  |> filter(fn: (r) => r.profile == ");
  append_quoted (q, place->profile);
  g_string_append_printf (q, ")\n%s", rest);
  return (ApiRequest){ .method = "POST",
                       .type = API_FLUX,
                       .accept = API_CSV,
                       .url = g_strdup_printf ("%s/api/v2/query?org=%s", place->url, org),
                       .body = g_string_free (q, FALSE) };
}

/* Asks without the values, so that types that differ do not meet. */
ApiRequest
api2_find_profile (const struct api_place *place)
{
  return flux (place, "  |> limit(n: 1)\n  |> keep(columns: [\"profile\"])\n  |> limit(n: 1)\n");
}

ApiRequest
api2_count (const struct api_place *place)
{
  return flux (place, "  |> count()\n  |> group(columns: [\"_measurement\", \"_field\"])\n"
                      "  |> sum()\n");
}
