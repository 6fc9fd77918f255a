/* SPDX-License-Identifier: Apache-2.0 */
/* api2.c - makes the requests of InfluxDB 2.x: /api/v2/... */
#include "api.h"

#include <nprof/json.h>
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

static void
append_json (GString *to, const char *text)
{
  struct nprof_buf json = { 0 };
  nprof_put_json_string (&json, text, strlen (text), 0);
  g_string_append_len (to, json.data, (gssize) json.len);
  nprof_buf_clear (&json);
}

ApiRequest
api2_create (const struct api_place *place)
{
  GString *body = g_string_new ("{\"orgID\":");
  append_json (body, place->org_id ? place->org_id : "");
  g_string_append (body, ",\"name\":");
  append_json (body, place->bucket);
  g_string_append (body, ",\"retentionRules\":[]}");
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
