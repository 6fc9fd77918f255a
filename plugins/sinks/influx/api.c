/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - makes requests of both interfaces from one table. */
#include "api.h"

#include <string.h>

#define JSON_TYPE "application/json"
#define LINES_TYPE "text/plain; charset=utf-8"
#define FLUX_TYPE "application/vnd.flux"
#define FORM_TYPE "application/x-www-form-urlencoded"
#define CSV_TYPE "application/csv"

/* InfluxDB can hold these times; the end is exclusive. */
#define FIRST_TIME "1677-09-21T00:12:44Z"
#define LAST_TIME "2262-04-11T23:47:16Z"

#define OF_PROFILE " WHERE \"profile\" = '$p'"
#define FLUX_PROFILE                                                                               \
  "from(bucket: \"$b\")\n  |> range(start: " FIRST_TIME ", stop: " LAST_TIME                       \
  ")\n  |> filter(fn: (r) => r.profile == \"$p\")\n"

enum language { URL, INFLUXQL, FLUX, JSON };

/* $b is the bucket, $o the organisation, $i its id, $p the profile, $t the precision, $u that in
 * the words of 1.x, $m a measurement.  1.x takes every precision that it does not know,
 * `us` among them, as ns.  Two organisations are asked for, to know whether there is only one.  A
 * profile is looked for without its values, so that types that differ do not meet. */
static const struct {
  const char *path, *type, *accept;
  enum language language; /* of the body */
  const char *body;
} requests[] = {
  [API_PING] = { "/ping", NULL, NULL, URL, NULL },
  [API_HEALTH] = { "/health", NULL, NULL, URL, NULL },
  [API1_WRITE] = { "/write?db=$b&precision=$u", LINES_TYPE, NULL, URL, NULL },
  [API1_CREATE] = { "/query", FORM_TYPE, JSON_TYPE, INFLUXQL, "CREATE DATABASE \"$b\"" },
  [API1_FIND_PROFILE]
  = { "/query", FORM_TYPE, JSON_TYPE, INFLUXQL, "SHOW SERIES" OF_PROFILE " LIMIT 1" },
  [API1_DROP_PROFILE] = { "/query", FORM_TYPE, JSON_TYPE, INFLUXQL, "DROP SERIES" OF_PROFILE },
  [API1_COUNT]
  = { "/query", FORM_TYPE, JSON_TYPE, INFLUXQL, "SELECT count(*) FROM \"$m\"" OF_PROFILE },
  [API2_WRITE] = { "/api/v2/write?org=$o&bucket=$b&precision=$t", LINES_TYPE, NULL, URL, NULL },
  [API2_FIND_ORGS] = { "/api/v2/orgs?limit=2", NULL, JSON_TYPE, URL, NULL },
  [API2_FIND_ORG] = { "/api/v2/orgs?org=$o", NULL, JSON_TYPE, URL, NULL },
  [API2_FIND_BUCKET] = { "/api/v2/buckets?org=$o&name=$b", NULL, JSON_TYPE, URL, NULL },
  [API2_CREATE] = { "/api/v2/buckets", JSON_TYPE, JSON_TYPE, JSON,
                    "{\"orgID\":\"$i\",\"name\":\"$b\",\"retentionRules\":[]}" },
  [API2_FIND_PROFILE]
  = { "/api/v2/query?org=$o", FLUX_TYPE, CSV_TYPE, FLUX,
      FLUX_PROFILE "  |> limit(n: 1)\n  |> keep(columns: [\"profile\"])\n  |> limit(n: 1)\n" },
  [API2_DROP_PROFILE] = { "/api/v2/delete?org=$o&bucket=$b", JSON_TYPE, JSON_TYPE, JSON,
                          "{\"start\":\"" FIRST_TIME "\",\"stop\":\"" LAST_TIME
                          "\",\"predicate\":\"profile=\\\"$p\\\"\"}" },
  [API2_COUNT] = { "/api/v2/query?org=$o", FLUX_TYPE, CSV_TYPE, FLUX,
                   FLUX_PROFILE "  |> count()\n  |> group(columns: [\"_measurement\", \"_field\"])"
                                "\n  |> sum()\n" },
};

/* Puts what stands between double quotes; Flux would put a value in place of ${...}. */
static void
put_quoted (GString *to, enum language language, const char *text)
{
  for (; *text; text++)
    if (*text == '\n')
      g_string_append (to, "\\n");
    else if (language == JSON && (guchar) *text < 0x20)
      g_string_append_printf (to, "\\u%04x", (guint) *text);
    else {
      if (*text == '"' || *text == '\\' || (language == FLUX && g_str_has_prefix (text, "${")))
        g_string_append_c (to, '\\');
      g_string_append_c (to, *text);
    }
}

static const char *
value_of (const struct api_place *place, char letter, const char *measurement)
{
  static const char *const precisions1[] = { "ns", "u", "ms", "s" };
  static const char *const precisions2[] = { "ns", "us", "ms", "s" };
  const char *value = letter == 'b'   ? place->bucket
                      : letter == 'o' ? place->org
                      : letter == 'i' ? place->org_id
                      : letter == 'p' ? place->profile
                      : letter == 'm' ? measurement
                      : letter == 't' ? precisions2[place->precision]
                                      : precisions1[place->precision];
  return value ? value : "";
}

static GString *
fill (const char *form, enum language language, const struct api_place *place,
      const char *measurement)
{
  GString *to = g_string_new (NULL);
  for (const char *at = form; *at; at++) {
    if (*at != '$')
      g_string_append_c (to, *at);
    else if (language == URL)
      g_string_append_uri_escaped (to, value_of (place, *++at, measurement), NULL, FALSE);
    else
      put_quoted (to, language, value_of (place, *++at, measurement));
  }
  return to;
}

ApiRequest
api_request (const struct api_place *place, enum api_what what, const char *measurement)
{
  const char *form = requests[what].body;
  enum language language = requests[what].language;
  GString *url = fill (requests[what].path, URL, place, NULL);
  GString *body = form ? fill (form, language, place, measurement) : NULL;
  if (language == INFLUXQL) {
    g_autofree char *query = g_string_free (body, FALSE);
    body = fill ("db=$b&epoch=ns&q=", URL, place, NULL);
    g_string_append_uri_escaped (body, query, NULL, FALSE);
  }
  g_string_prepend (url, place->url);
  return (ApiRequest){ .method = requests[what].type ? "POST" : "GET",
                       .type = requests[what].type,
                       .accept = requests[what].accept,
                       .url = g_string_free (url, FALSE),
                       .body = body ? g_string_free (body, FALSE) : NULL };
}

void
api_request_clear (ApiRequest *request)
{
  g_free (request->url);
  g_free (request->body);
  *request = (ApiRequest){ 0 };
}

const char *
api_check_url (const char *url)
{
  gboolean https = g_str_has_prefix (url, "https://");
  if (!https && !g_str_has_prefix (url, "http://"))
    return "expected http://HOST:PORT or https://HOST:PORT";
  const char *host = url + (https ? 8 : 7);
  size_t len = strcspn (host, "/?#");
  if (!len || *host == ':')
    return "the name of the host is missing: http://HOST:PORT";
  if (memchr (host, '@', len))
    return "no user and no password belong there: give user= and INFLUX_PASSWORD or password_file=";
  if (strpbrk (host, "?#"))
    return "no parameters belong there: give org=, bucket=, user= as options, and secrets as "
           "INFLUX_TOKEN or INFLUX_PASSWORD";
  for (const char *at = url; *at; at++)
    if ((guchar) *at <= ' ' || *at == 0x7f)
      return "it holds a space or a control character";
  return NULL;
}
