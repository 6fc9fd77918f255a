/* SPDX-License-Identifier: Apache-2.0 */
/* test-influx-parts.c - the parts of sink influx that know no nprof and no network: line protocol,
 * bodies, retries, ordinals, requests, answers, times, secrets, the spool. */
#include "answer.h"
#include "api.h"
#include "base/temp-file.h"
#include "body.h"
#include "clock.h"
#include "http.h"
#include "line.h"
#include "secret.h"
#include "seq.h"
#include "verify.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* -- Line protocol --------------------------------------------------------- */

static void
check_text (struct nprof_buf *buf, const char *expected)
{
  g_autofree char *text = g_strndup (buf->data ? buf->data : "", buf->len);
  g_assert_cmpstr (text, ==, expected);
  nprof_buf_clear (buf);
}

static void
test_line_names (void)
{
  static const struct {
    const char *text, *tag, *measurement;
  } cases[] = {
    { "plain", "plain", "plain" },
    { "a b,c=d", "a\\ b\\,c\\=d", "a\\ b\\,c=d" },
    { "quote\"s", "quote\"s", "quote\"s" },
    { "C:\\dir\\file", "C:\\dir\\file", "C:\\dir\\file" },
    { "end\\", "end\\\\ ", "end\\\\ " },
    { "\\,", "\\\\,", "\\\\," },
    { "l1\nl2\r\tx", "l1\\nl2\\r\\tx", "l1\\nl2\\r\\tx" },
    { "\u00fcn\u00efc\u00f6de \U0001f600", "\u00fcn\u00efc\u00f6de\\ \U0001f600",
      "\u00fcn\u00efc\u00f6de\\ \U0001f600" },
    { "#x", "#x", "#x" },
    { "", "", "" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    struct nprof_buf buf = { 0 };
    g_assert_false (line_put_tag (&buf, cases[k].text, strlen (cases[k].text)));
    check_text (&buf, cases[k].tag);
    line_put_measurement (&buf, cases[k].text, strlen (cases[k].text));
    check_text (&buf, cases[k].measurement);
  }
  struct nprof_buf buf = { 0 };
  line_put_tag (&buf, "a\0b", 3);
  check_text (&buf, "a\u2400b");
}

/* Cut between characters, with a hash of all: two that begin alike stay two. */
static void
test_line_long (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  while (text->len < LINE_TAG_MAX - 1)
    g_string_append_c (text, 'x');
  g_string_append (text, "\u00fc...");
  struct nprof_buf a = { 0 }, b = { 0 };
  g_assert_true (line_put_tag (&a, text->str, text->len));
  g_assert_cmpuint (a.len, ==, LINE_TAG_MAX - 1 + 3 + 16);
  g_assert_true (g_utf8_validate (a.data, (gssize) a.len, NULL));
  text->str[text->len - 1] = '!';
  line_put_tag (&b, text->str, text->len);
  g_assert_cmpmem (a.data, LINE_TAG_MAX + 2, b.data, LINE_TAG_MAX + 2);
  g_assert_cmpint (memcmp (a.data, b.data, a.len), !=, 0);
  nprof_buf_clear (&a);
  nprof_buf_clear (&b);
  g_assert_false (line_put_tag (&a, text->str, LINE_TAG_MAX));
  nprof_buf_clear (&a);
}

static void
test_line_fields (void)
{
  struct nprof_buf buf = { 0 };
  line_put_string (&buf, "a \"b\" \\ c,d=e\nf", 15);
  check_text (&buf, "\"a \\\"b\\\" \\\\ c,d=e\nf\"");
  line_put_string (&buf, "", 0);
  check_text (&buf, "\"\"");
  line_put_int (&buf, G_MININT64);
  check_text (&buf, "-9223372036854775808i");
}

/* -- Bodies ---------------------------------------------------------------- */

static char *
inflate_body (const struct body *body, gsize *len)
{
  z_stream zip = { .next_in = body->data, .avail_in = (uInt) body->len };
  GByteArray *out = g_byte_array_new ();
  guint8 chunk[65536];
  int status = Z_OK;
  g_assert_cmpint (inflateInit2 (&zip, 31), ==, Z_OK);
  while (status == Z_OK) {
    zip.next_out = chunk;
    zip.avail_out = sizeof chunk;
    status = inflate (&zip, Z_NO_FLUSH);
    g_byte_array_append (out, chunk, (guint) (sizeof chunk - zip.avail_out));
  }
  g_assert_cmpint (status, ==, Z_STREAM_END);
  inflateEnd (&zip);
  *len = out->len;
  return (char *) g_byte_array_free (out, FALSE);
}

/* All lines come back, in order, whole, in bodies that are small enough. */
static void
check_bodies (gboolean gzip, guint64 max_points, gsize line, guint n, gboolean random)
{
  struct body_maker maker;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (GString) all = g_string_new (NULL), back = g_string_new (NULL);
  guint64 points = 0;
  body_maker_init (&maker, max_points, gzip);
  for (guint i = 0; i <= n; i++) {
    gsize before = maker.lines.len;
    for (gsize k = 0; i < n && k < line; k++)
      nprof_put_char (&maker.lines, (char) (random ? g_rand_int_range (rand, 33, 126) : 'a'));
    if (i < n)
      nprof_put_char (&maker.lines, '\n');
    if (i < n)
      g_string_append_len (all, maker.lines.data + before, (gssize) (maker.lines.len - before));
    struct body *body = i < n ? body_maker_line (&maker) : body_maker_end (&maker);
    g_assert_false (body_maker_failed (&maker));
    if (!body)
      continue;
    gsize len = body->len;
    g_autofree char *text = gzip ? inflate_body (body, &len) : g_memdup2 (body->data, len);
    g_string_append_len (back, text, (gssize) len);
    g_assert_cmpint (back->str[back->len - 1], ==, '\n');
    g_assert_true (body->len <= BODY_WIRE_MAX || body->points == 1);
    g_assert_cmpuint (body->points, <=, max_points);
    points += body->points;
    body_free (body);
  }
  g_assert_cmpuint (points, ==, n);
  g_assert_true (g_string_equal (all, back));
  g_assert_null (body_maker_end (&maker));
  body_maker_clear (&maker);
}

static void
test_body (void)
{
  for (guint gzip = 0; gzip < 2; gzip++) {
    check_bodies (gzip, 1000000, 10, 0, FALSE);
    check_bodies (gzip, 10, 10, 95, FALSE);
    check_bodies (gzip, 1, 10, 5, FALSE);
    check_bodies (gzip, 1000000, 150, 20000, FALSE);
    check_bodies (gzip, 1000000, 150, 20000, TRUE);
    check_bodies (gzip, 1000000, 70000, 40, TRUE);
    check_bodies (gzip, 1000000, 2000000, 3, TRUE);
  }
}

/* -- Retries --------------------------------------------------------------- */

static void
test_retry (void)
{
  static const struct {
    struct http_result result;
    guint attempt;
    gint64 waited, limit;
    gboolean again;
    gint64 wait;
  } cases[] = {
    { { .connected = TRUE, .status = 204 }, 0, 0, 1000, FALSE, 0 },
    { { .connected = TRUE, .status = 200, .retry_after = 9 }, 0, 0, 0, FALSE, 0 },
    { { .connected = TRUE, .status = 400 }, 0, 0, 1000, FALSE, 0 },
    { { .connected = TRUE, .status = 301 }, 0, 0, 1000, FALSE, 0 },
    { { .connected = TRUE, .status = 413 }, 0, 0, 1000, FALSE, 0 },
    { { .connected = TRUE, .status = 500 }, 0, 0, 1000, TRUE, 100 },
    { { .connected = TRUE, .status = 503 }, 3, 0, 1000, TRUE, 800 },
    { { .connected = TRUE, .status = 503 }, 3, 201, 1000, FALSE, 800 },
    { { .connected = TRUE, .status = 500, .final = TRUE }, 0, 0, 1000, FALSE, 0 },
    { { .connected = TRUE, .status = 429, .retry_after = 2 }, 0, 0, 5000, TRUE, 2000 },
    { { .connected = TRUE, .status = 429, .retry_after = 9 }, 0, 0, 5000, FALSE, 9000 },
    { { .connected = TRUE, .status = 429, .retry_after = G_MAXINT64 },
      0,
      0,
      5000,
      FALSE,
      G_MAXINT32 * G_GINT64_CONSTANT (1000) },
    { { .connected = FALSE }, 0, 0, 1000, TRUE, 100 },
    { { .connected = FALSE }, 99, 0, 90000, TRUE, HTTP_LONGEST_WAIT_MS },
    { { .connected = FALSE, .hopeless = TRUE }, 0, 0, 1000, FALSE, 0 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    gint64 wait = 0;
    g_assert_cmpint (http_again (&cases[k].result, cases[k].attempt, cases[k].waited,
                                 cases[k].limit, &wait),
                     ==, cases[k].again);
    g_assert_cmpint (wait, ==, cases[k].wait);
  }
}

/* -- Ordinals -------------------------------------------------------------- */

static void
test_seq (void)
{
  struct seq_counter seq;
  guint round;
  seq_init (&seq);
  g_assert_cmpuint (seq_next (&seq, 1, 5, 10, 0, 0, &round), ==, 0);
  g_assert_cmpuint (seq_next (&seq, 1, 5, 10, 0, 0, &round), ==, 1);
  g_assert_cmpuint (seq_next (&seq, 1, 5, 11, 0, 0, &round), ==, 0);
  g_assert_cmpuint (seq_next (&seq, 1, 5, 10, 7, 0, &round), ==, 0);
  g_assert_cmpuint (seq_next (&seq, 1, 5, 10, 0, 2, &round), ==, 0);
  g_assert_cmpuint (seq_next (&seq, 1, 5, 10, 0, 0, &round), ==, 2);
  g_assert_cmpuint (seq_next (&seq, 1, 6, 10, 0, 0, &round), ==, 0);
  g_assert_cmpuint (seq_next (&seq, 2, 6, 10, 0, 0, &round), ==, 0);
  g_assert_cmpuint (round, ==, 0);
  /* the rows of an analyzer: the same tracks again */
  g_assert_cmpuint (seq_next (&seq, 1, 6, 10, 0, 0, &round), ==, 0);
  g_assert_cmpuint (round, ==, 1);
  g_assert_cmpuint (seq_next (&seq, 1, 2, 10, 0, 0, &round), ==, 0);
  g_assert_cmpuint (round, ==, 2);
  seq_clear (&seq);
}

/* -- Times ----------------------------------------------------------------- */

static void
check_time (gint64 unit, gint64 origin, gint64 ps, gint64 time, gint64 rest)
{
  const struct clock clock = { origin, unit };
  gint64 found, found_rest;
  g_assert_true (clock_time (&clock, ps, &found, &found_rest));
  g_assert_cmpint (found, ==, time);
  g_assert_cmpint (found_rest, ==, rest);
}

static void
test_clock (void)
{
  gint64 ns;
  check_time (1, 0, 1234567, 1234, 567);
  check_time (1, 0, -1, -1, 999);
  check_time (1000, 1500, 1, 1, 500001);
  check_time (1000000000, 0, -1, -1, G_GINT64_CONSTANT (999999999999));
  check_time (1, G_MAXINT64 - 1, 999, G_MAXINT64 - 1, 999);
  const struct clock late = { G_MAXINT64 - 1, 1 }, early = { G_MININT64 + 2, 1 };
  gint64 a, b;
  g_assert_false (clock_time (&late, 1000, &a, &b));
  g_assert_false (clock_time (&early, -1, &a, &b));
  g_assert_true (clock_parse ("1735689600250000000", &ns));
  g_assert_cmpint (ns, ==, G_GINT64_CONSTANT (1735689600250000000));
  g_assert_true (clock_parse ("2025-01-01T00:00:00.25Z", &ns));
  g_assert_cmpint (ns, ==, G_GINT64_CONSTANT (1735689600250000000));
  g_assert_true (clock_parse ("1969-12-31T23:59:59+00:00", &ns));
  g_assert_cmpint (ns, ==, -1000000000);
  const char *const bad[] = { "",
                              "yesterday",
                              "2025-01-01",
                              "2025-01-01T00:00:00",
                              "9999-01-01T00:00:00Z",
                              "99999999999999999999" };
  for (guint k = 0; k < G_N_ELEMENTS (bad); k++)
    g_assert_false (clock_parse (bad[k], &ns));
}

/* -- Requests -------------------------------------------------------------- */

static const struct api_place place = { .url = "http://h:1",
                                        .bucket = "my db",
                                        .org = "a&b",
                                        .org_id = "0a",
                                        .profile = "n_1",
                                        .precision = API_PRECISION_US };

static void
check_request (ApiRequest request, const char *method, const char *url, const char *body)
{
  g_assert_cmpstr (request.method, ==, method);
  g_assert_cmpstr (request.url, ==, url);
  g_assert_cmpstr (request.body, ==, body);
  api_request_clear (&request);
}

static void
test_api1 (void)
{
  check_request (api_request (&place, API1_WRITE, NULL), "POST",
                 "http://h:1/write?db=my%20db&precision=u", NULL); /* `us` would mean ns */
  check_request (api_request (&place, API1_CREATE, NULL), "POST", "http://h:1/query",
                 "db=my%20db&epoch=ns&q=CREATE%20DATABASE%20%22my%20db%22");
  check_request (api_request (&place, API1_FIND_PROFILE, NULL), "POST", "http://h:1/query",
                 "db=my%20db&epoch=ns&q=SHOW%20SERIES%20WHERE%20%22profile%22%20%3D%20%27n_1%27%20"
                 "LIMIT%201");
  check_request (api_request (&place, API1_DROP_PROFILE, NULL), "POST", "http://h:1/query",
                 "db=my%20db&epoch=ns&q=DROP%20SERIES%20WHERE%20%22profile%22%20%3D%20%27n_1%27");
  ApiRequest r = api_request (&place, API1_COUNT, "m\"");
  g_autofree char *q = g_uri_unescape_string (strstr (r.body, "&q=") + 3, NULL);
  g_assert_cmpstr (q, ==, "SELECT count(*) FROM \"m\\\"\" WHERE \"profile\" = 'n_1'");
  api_request_clear (&r);
}

static void
test_api2 (void)
{
  check_request (api_request (&place, API2_WRITE, NULL), "POST",
                 "http://h:1/api/v2/write?org=a%26b&bucket=my%20db&precision=us", NULL);
  check_request (api_request (&place, API2_FIND_ORG, NULL), "GET",
                 "http://h:1/api/v2/orgs?org=a%26b", NULL);
  check_request (api_request (&place, API2_FIND_BUCKET, NULL), "GET",
                 "http://h:1/api/v2/buckets?org=a%26b&name=my%20db", NULL);
  check_request (api_request (&place, API2_CREATE, NULL), "POST", "http://h:1/api/v2/buckets",
                 "{\"orgID\":\"0a\",\"name\":\"my db\",\"retentionRules\":[]}");
  check_request (api_request (&place, API2_DROP_PROFILE, NULL), "POST",
                 "http://h:1/api/v2/delete?org=a%26b&bucket=my%20db",
                 "{\"start\":\"1677-09-21T00:12:44Z\",\"stop\":\"2262-04-11T23:47:16Z\","
                 "\"predicate\":\"profile=\\\"n_1\\\"\"}");
  struct api_place odd = place;
  odd.org = NULL;
  odd.bucket = "a\"b${c}\n";
  check_request (api_request (&odd, API2_FIND_ORGS, NULL), "GET", "http://h:1/api/v2/orgs?limit=2",
                 NULL);
  ApiRequest r = api_request (&odd, API2_COUNT, NULL);
  g_assert_true (g_str_has_prefix (r.body, "from(bucket: \"a\\\"b\\${c}\\n\")\n"));
  api_request_clear (&r);
}

static void
test_url (void)
{
  static const struct {
    const char *url, *wrong;
  } cases[] = {
    { "http://localhost:8086", NULL },
    { "https://influx.example/sub/", NULL },
    { "localhost:8086", "http://HOST:PORT" },
    { "ftp://x", "http://HOST:PORT" },
    { "http://", "name of the host" },
    { "http://:80", "name of the host" },
    { "http://me:hush@host", "INFLUX_PASSWORD" },
    { "http://host?token=x", "INFLUX_TOKEN" },
    { "http://host/a b", "space" },
    { "http://host/a\nb", "control" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    const char *wrong = api_check_url (cases[k].url);
    g_assert_cmpint (wrong != NULL, ==, cases[k].wrong != NULL);
    g_assert_true (!wrong || strstr (wrong, cases[k].wrong));
    g_assert_true (!wrong || !strstr (wrong, "hush"));
  }
}

/* -- Answers --------------------------------------------------------------- */

static void
test_versions (void)
{
  g_assert_cmpint (answer_api ("1.6.7~rc0", NULL), ==, 1);
  g_assert_cmpint (answer_api ("v2.7.1", NULL), ==, 2);
  g_assert_cmpint (answer_api ("3.0", NULL), ==, 2);
  g_assert_cmpint (answer_api (NULL,
                               "{\"name\":\"influxdb\",\"status\":\"pass\",\"version\":\"2.0.4\"}"),
                   ==, 2);
  g_assert_cmpint (answer_api (NULL, "OK"), ==, 0);
  g_assert_cmpint (answer_api ("relay", "{\"version\":7}"), ==, 0);
}

static void
test_errors (void)
{
  static const struct {
    const char *answer, *error, *mend;
  } cases[] = {
    { "{\"error\":\"authorization failed\"}", "authorization failed", NULL },
    { "{\"code\":\"unauthorized\",\"message\":\"unauthorized access\"}", "unauthorized access",
      NULL },
    { "{\"results\":[{\"statement_id\":0,\"error\":\"database not found: zz\"}]}",
      "database not found: zz", NULL },
    { "404 page not found\n", "404 page not found", NULL },
    { "a\x1b[31m\nb", "a [31m b", NULL },
    { "", "", NULL },
    { "{\"error\":", "{\"error\":", NULL },
    { "{\"error\":\"open x: too many open files\"}", "open x: too many open files", "nofile" },
    { "{\"error\":\"write: no space left on device\"}", "write: no space left on device", "room" },
    { "{\"error\":\"partial write: max-series-per-database limit exceeded: (1000000) dropped=3\"}",
      "partial write: max-series-per-database limit exceeded: (1000000) dropped=3", "tsi1" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autofree char *error = answer_error (cases[k].answer);
    const char *mend = answer_mend (error);
    g_assert_cmpstr (error, ==, cases[k].error);
    g_assert_cmpint (mend != NULL, ==, cases[k].mend != NULL);
    g_assert_true (!mend || strstr (mend, cases[k].mend));
  }
}

/* A server echoes the lines that it refuses, whatever their size. */
static void
test_errors_long (void)
{
  g_autoptr (GString) text = g_string_new ("{\"error\":\"");
  for (guint k = 0; k < 100000; k++)
    g_string_append (text, "\u00fc");
  g_string_append (text, "\"}");
  g_autofree char *error = answer_error (text->str);
  g_assert_cmpuint (strlen (error), <, ANSWER_TEXT_MAX + 40);
  g_assert_true (g_utf8_validate (error, -1, NULL));
  g_assert_true (g_str_has_suffix (error, "bytes more)"));
  g_autofree char *deep = g_strnfill (1 << 20, '[');
  g_autofree char *flat = answer_error (deep);
  g_assert_cmpint (*flat, ==, '[');
}

static void
see_count (const char *measurement, const char *field, guint64 count, gpointer user)
{
  g_string_append_printf (user, "%s.%s=%" G_GUINT64_FORMAT " ", measurement, field, count);
}

static void
test_answers1 (void)
{
  g_autoptr (GString) seen = g_string_new (NULL);
  static const char yes[]
      = "{\"results\":[{\"statement_id\":0,\"series\":[{\"name\":\"events\",\"columns\":"
        "[\"time\",\"count_b\",\"count_count_a\",\"count_c\"],"
        "\"values\":[[0,7,9223372036854775807,null]]}]}]}";
  g_assert_true (answer1_any (yes));
  g_assert_true (answer1_counts (yes, see_count, seen));
  g_assert_cmpstr (seen->str, ==, "events.b=7 events.count_a=9223372036854775807 ");
  g_string_truncate (seen, 0);
  static const char none[] = "{\"results\":[{\"statement_id\":0}]}";
  g_assert_false (answer1_any (none));
  g_assert_true (answer1_counts (none, see_count, seen));
  const char *const odd[] = { "", "[]", "{}", "null", "{\"results\":7}" };
  for (guint k = 0; k < G_N_ELEMENTS (odd); k++) {
    g_assert_false (answer1_any (odd[k]));
    g_assert_false (answer1_counts (odd[k], see_count, seen));
    g_assert_null (answer1_query_error (odd[k]));
  }
  const char *const strange[]
      = { "{\"results\":[7]}", "{\"results\":[{\"series\":[[]]}]}",
          ("{\"results\":[{\"series\":[{\"name\":\"m\",\"columns\":[3,\"c9\",\"count_x\"],"
           "\"values\":[[1,1,\"x\"]]}]}]}"),
          ("{\"results\":[{\"series\":[{\"columns\":[\"count_x\"],\"values\":[[1]]}]}]}") };
  for (guint k = 0; k < G_N_ELEMENTS (strange); k++)
    g_assert_true (answer1_counts (strange[k], see_count, seen));
  g_assert_cmpstr (seen->str, ==, "");
}

static void
test_answers2 (void)
{
  g_autofree char *id = NULL, *name = NULL;
  g_assert_cmpint (answer2_only ("{\"orgs\":[{\"id\":\"0a\",\"name\":\"me\"}]}", "orgs", &id,
                                 &name),
                   ==, 1);
  g_assert_cmpstr (id, ==, "0a");
  g_assert_cmpstr (name, ==, "me");
  char *no_id = NULL, *no_name = NULL;
  g_assert_cmpint (answer2_only ("{\"buckets\":[]}", "buckets", &no_id, &no_name), ==, 0);
  g_assert_cmpint (answer2_only ("unsupported path", "buckets", &no_id, &no_name), ==, -1);
  static const char csv[] = "#datatype,string,long\r\n,result,table,_measurement,_field,_value\r\n"
                            ",_result,0,events,duration_ns,12\r\n,_result,1,\"a,\"\"b\",x,3\r\n\r\n"
                            ",result,table,_value,_field,_measurement\r\n,_result,2,5,y,z\r\n\r\n";
  g_autoptr (GString) seen = g_string_new (NULL);
  g_assert_true (answer2_counts (csv, see_count, seen));
  g_assert_cmpstr (seen->str, ==, "events.duration_ns=12 a,\"b.x=3 z.y=5 ");
  g_assert_true (answer2_any (csv));
  g_assert_false (answer2_any ("\r\n"));
  g_assert_false (answer2_any (",result,table,profile\r\n"));
  g_assert_false (answer2_counts ("error,reference\r\nfailed,897\r\n", see_count, seen));
}

/* -- Counts, secrets, spool ------------------------------------------------ */

static void
test_counts (void)
{
  struct counts counts;
  counts_init (&counts);
  guint a = counts_field (&counts, "events", "a"), b = counts_field (&counts, "events", "b");
  g_assert_cmpuint (counts_field (&counts, "events", "a"), ==, a);
  g_assert_cmpuint (counts_field (&counts, "other", "b"), !=, b);
  counts_add (&counts, a);
  counts_add (&counts, b);
  counts_add (&counts, b);
  counts_found ("events", "a", 1, &counts);
  counts_found ("events", "b", 1, &counts);
  counts_found ("events", "else", 9, &counts);
  counts_found ("other", "a", 9, &counts);
  g_autofree char *differ = counts_differ (&counts);
  g_assert_cmpstr (differ, ==, "2 values of events.b were sent, 1 are there");
  counts_found ("events", "b", 2, &counts);
  g_assert_null (counts_differ (&counts));
  counts_clear (&counts);
}

static gboolean
read_secret (const char *content, gssize len, char **secret, char **why)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "nprof-secret-XXXXXX", NULL);
  g_close (g_mkstemp (path), NULL);
  g_assert_true (g_file_set_contents (path, content, len, NULL));
  gboolean ok = secret_read (path, "NPROF_NO_SUCH", secret, why);
  g_unlink (path);
  return ok;
}

static void
test_secret (void)
{
  char *secret, *why = NULL;
  g_assert_true (read_secret ("s3cret\r\n", -1, &secret, &why));
  g_assert_cmpstr (secret, ==, "s3cret");
  char text[] = "s3cret s3crets3cret s3cre";
  secret_cross_out (secret, text);
  g_assert_cmpstr (text, ==, "****** ************ s3cre");
  secret_free (secret);
  const struct {
    const char *content;
    gssize len;
    const char *part;
  } bad[] = { { "", -1, "is empty" },
              { "\n", -1, "is empty" },
              { "hush\nX-Evil: 1", -1, "control" },
              { "hu\0sh", 5, "NUL" } };
  for (guint k = 0; k < G_N_ELEMENTS (bad); k++) {
    g_assert_false (read_secret (bad[k].content, bad[k].len, &secret, &why));
    g_assert_nonnull (strstr (why, bad[k].part));
    g_assert_null (strstr (why, "hu"));
    g_assert_null (secret);
    g_clear_pointer (&why, g_free);
  }
  g_assert_false (secret_read ("/nowhere/token", "X", &secret, &why));
  g_assert_nonnull (strstr (why, "/nowhere/token"));
  g_free (why);
  g_assert_true (secret_read (NULL, "NPROF_NO_SUCH", &secret, &why));
  g_assert_null (secret);
}

static struct body *
make_body (guint number, gsize len)
{
  struct body *body = g_new0 (struct body, 1);
  body->data = malloc (len);
  memset (body->data, (int) number, len);
  body->len = len;
  body->points = number;
  return body;
}

static void
check_pop (struct body_queue *queue, guint number, gsize len)
{
  struct body *body = body_queue_pop (queue);
  g_assert_nonnull (body);
  g_assert_cmpuint (body->points, ==, number);
  g_assert_cmpuint (body->len, ==, len);
  g_assert_cmpuint (body->data[len - 1], ==, number);
  body_free (body);
}

static void
test_spool (void)
{
  struct body_queue queue;
  body_queue_init (&queue, np_temp_new (), 1000);
  g_assert_null (body_queue_pop (&queue));
  g_assert_cmpint (errno, ==, 0);
  for (guint round = 0; round < 3; round++) {
    g_assert_true (body_queue_push (&queue, make_body (1, 400)));
    struct body *large = make_body (2, 900);
    g_assert_false (body_queue_has_room (&queue, large));
    body_free (large);
    g_assert_true (body_queue_push (&queue, make_body (2, 500)));
    check_pop (&queue, 1, 400);
    check_pop (&queue, 2, 500);
    g_assert_cmpuint (queue.to, ==, 0); /* and the file is empty again */
  }
  struct body *alone = make_body (9, 5000);
  g_assert_true (body_queue_has_room (&queue, alone));
  g_assert_true (body_queue_push (&queue, alone));
  check_pop (&queue, 9, 5000);
  body_queue_clear (&queue);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/influx/line/names", test_line_names);
  g_test_add_func ("/influx/line/long", test_line_long);
  g_test_add_func ("/influx/line/fields", test_line_fields);
  g_test_add_func ("/influx/body", test_body);
  g_test_add_func ("/influx/retry", test_retry);
  g_test_add_func ("/influx/seq", test_seq);
  g_test_add_func ("/influx/clock", test_clock);
  g_test_add_func ("/influx/api1", test_api1);
  g_test_add_func ("/influx/api2", test_api2);
  g_test_add_func ("/influx/url", test_url);
  g_test_add_func ("/influx/versions", test_versions);
  g_test_add_func ("/influx/errors", test_errors);
  g_test_add_func ("/influx/errors-long", test_errors_long);
  g_test_add_func ("/influx/answers1", test_answers1);
  g_test_add_func ("/influx/answers2", test_answers2);
  g_test_add_func ("/influx/counts", test_counts);
  g_test_add_func ("/influx/secret", test_secret);
  g_test_add_func ("/influx/spool", test_spool);
  return g_test_run ();
}
