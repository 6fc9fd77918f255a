/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - sends requests by libcurl's multi interface. */
#include "http.h"
#include "answer.h"
#include "secret.h"

#include <curl/curl.h>
#include <string.h>

#define CONNECT_MS 10000

G_STATIC_ASSERT (HTTP_PROBLEM_MAX >= CURL_ERROR_SIZE);

/* -- What libcurl calls ---------------------------------------------------- */

static size_t
on_text (char *data, size_t size, size_t n, void *user)
{
  GString *text = ((struct http_call *) user)->answer.text;
  size_t room = HTTP_ANSWER_MAX - MIN (text->len, HTTP_ANSWER_MAX);
  g_string_append_len (text, data, (gssize) MIN (size * n, room));
  return size * n;
}

static size_t
on_header (char *data, size_t size, size_t n, void *user)
{
  static const char name[] = "X-Influxdb-Version:";
  struct http_answer *answer = &((struct http_call *) user)->answer;
  size_t len = size * n, skip = sizeof name - 1;
  if (len <= skip || g_ascii_strncasecmp (data, name, skip))
    return len;
  g_free (answer->version);
  answer->version = g_strstrip (g_strndup (data + skip, MIN (len - skip, 100)));
  return len;
}

/* -- Connections ----------------------------------------------------------- */

/* Returns the file of the authorities that certificates are held against; NULL: libcurl's own
 * place, which is that of the system that it was built for, perhaps not of this one. */
static const char *
authorities (void)
{
  static const char *const places[] = {
    "/etc/ssl/certs/ca-certificates.crt", /* Debian */
    "/etc/pki/tls/certs/ca-bundle.crt",   /* Red Hat */
    "/etc/ssl/ca-bundle.pem",             /* SUSE */
  };
  const char *named = g_getenv ("SSL_CERT_FILE");
  if (named && *named)
    return named;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (g_file_test (places[i], G_FILE_TEST_EXISTS))
      return places[i];
  return NULL;
}

static void
configure (struct http_call *call)
{
  CURL *curl = call->curl;
  const char *trusted = authorities ();
  curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt (curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt (curl, CURLOPT_PROTOCOLS, (long) (CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  curl_easy_setopt (curl, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
  curl_easy_setopt (curl, CURLOPT_PROXY, "");
  curl_easy_setopt (curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt (curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt (curl, CURLOPT_NETRC, (long) CURL_NETRC_IGNORED);
  curl_easy_setopt (curl, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt (curl, CURLOPT_SSL_VERIFYHOST, 2L);
  if (trusted)
    curl_easy_setopt (curl, CURLOPT_CAINFO, trusted);
  curl_easy_setopt (curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT_MS,
                    (long) MIN (call->http->timeout_ms, CONNECT_MS));
  curl_easy_setopt (curl, CURLOPT_USERAGENT, "nprof");
  curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, call->problem);
  curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_text);
  curl_easy_setopt (curl, CURLOPT_WRITEDATA, call);
  curl_easy_setopt (curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt (curl, CURLOPT_HEADERDATA, call);
  curl_easy_setopt (curl, CURLOPT_PRIVATE, call);
}

gboolean
http_open (struct http *http, guint n_calls)
{
  curl_global_init (CURL_GLOBAL_DEFAULT); /* counted; libcurl does not mind being asked again */
  http->multi = curl_multi_init ();
  http->calls = g_new0 (struct http_call, n_calls);
  for (; http->multi && http->n_calls < n_calls; http->n_calls++) {
    struct http_call *call = &http->calls[http->n_calls];
    call->http = http;
    call->curl = curl_easy_init ();
    if (!call->curl)
      return FALSE;
    configure (call);
  }
  return http->multi != NULL;
}

static void
clear_answer (struct http_answer *answer)
{
  if (answer->text)
    g_string_free (answer->text, TRUE);
  g_free (answer->version);
  g_free (answer->location);
  g_free (answer->problem);
  *answer = (struct http_answer){ 0 };
}

void
http_close (struct http *http)
{
  if (!http->calls)
    return;
  http_stop (http);
  for (guint k = 0; k < http->n_calls; k++) {
    curl_easy_cleanup (http->calls[k].curl);
    clear_answer (&http->calls[k].answer);
    body_free (http->calls[k].body);
  }
  curl_multi_cleanup (http->multi);
  g_clear_pointer (&http->authorization, secret_free);
  g_clear_pointer (&http->calls, g_free);
  http->n_calls = 0;
}

void
http_sign_token (struct http *http)
{
  if (http->token)
    http->authorization = g_strconcat ("Authorization: Token ", http->token, NULL);
}

void
http_sign_user (struct http *http, const char *user)
{
  if (!user)
    return;
  char *both = g_strdup_printf ("%s:%s", user, http->password ? http->password : "");
  char *coded = g_base64_encode ((const guchar *) both, strlen (both));
  http->authorization = g_strconcat ("Authorization: Basic ", coded, NULL);
  secret_free (both);
  secret_free (coded);
}

/* -- When a request is sent again ------------------------------------------ */

gboolean
http_again (const struct http_result *result, guint attempt, gint64 waited_ms, gint64 limit_ms,
            gint64 *wait_ms)
{
  gboolean answered = result->connected;
  if (answered ? result->final || (result->status != 429 && result->status < 500)
               : result->hopeless)
    return FALSE;
  *wait_ms = MIN ((gint64) HTTP_FIRST_WAIT_MS << MIN (attempt, 16), HTTP_LONGEST_WAIT_MS);
  if (answered && result->retry_after > 0)
    *wait_ms = MAX (*wait_ms, MIN (result->retry_after, G_MAXINT32) * 1000);
  return waited_ms + *wait_ms <= limit_ms;
}

static void
say_waiting (const struct http_call *call, gint64 wait_ms)
{
  const struct http *http = call->http;
  const struct http_answer *answer = &call->answer;
  double seconds = (double) wait_ms / 1000;
  g_autofree char *error = answer_error (answer->text->str);
  if (answer->problem)
    nprof_log (http->host, NPROF_INFO, "%s does not answer (%s): trying again in %.1f s", http->url,
               answer->problem, seconds);
  else
    nprof_log (http->host, NPROF_INFO, "%s answers %d (%s): trying again in %.1f s", http->url,
               answer->result.status, error, seconds);
}

/* -- The end of a try ------------------------------------------------------ */

/* Returns whether a request would fail again. */
static gboolean
is_hopeless (CURLcode code)
{
  static const CURLcode hopeless[]
      = { CURLE_URL_MALFORMAT,     CURLE_UNSUPPORTED_PROTOCOL, CURLE_PEER_FAILED_VERIFICATION,
          CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,   CURLE_ABORTED_BY_CALLBACK,
          CURLE_OUT_OF_MEMORY };
  for (guint k = 0; k < G_N_ELEMENTS (hopeless); k++)
    if (code == hopeless[k])
      return TRUE;
  return FALSE;
}

static void
read_answer (struct http_call *call, CURLcode code)
{
  const struct http *http = call->http;
  struct http_answer *answer = &call->answer;
  long status = 0;
  curl_off_t retry_after = 0;
  const char *location = NULL;
  curl_easy_getinfo (call->curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo (call->curl, CURLINFO_RETRY_AFTER, &retry_after);
  curl_easy_getinfo (call->curl, CURLINFO_REDIRECT_URL, &location);
  /* A server that refuses a body before it has read it closes the connection: its answer counts. */
  gboolean early = code == CURLE_SEND_ERROR && status >= 400;
  answer->result = (struct http_result){ .connected = code == CURLE_OK || early,
                                         .hopeless = is_hopeless (code),
                                         .status = (int) status,
                                         .retry_after = (gint64) retry_after };
  answer->refused = code == CURLE_COULDNT_CONNECT;
  answer->location = g_strdup (location);
  if (!answer->result.connected)
    answer->problem = g_strdup (*call->problem ? call->problem : curl_easy_strerror (code));
  secret_cross_out (http->token, answer->text->str);
  secret_cross_out (http->password, answer->text->str);
  secret_cross_out (http->token, answer->location);
  secret_cross_out (http->password, answer->location);
  g_autofree char *error = answer_error (answer->text->str);
  answer->result.final = answer->result.connected && answer_mend (error);
}

/* Ends a try: the request is done, or waits for another. */
static void
settle (struct http_call *call, CURLcode code)
{
  gint64 now = g_get_monotonic_time (), wait_ms;
  curl_multi_remove_handle (call->http->multi, call->curl);
  read_answer (call, code);
  curl_slist_free_all (call->headers);
  call->headers = NULL;
  call->state = HTTP_DONE;
  call->patient |= call->answer.result.connected;
  if (!call->failures)
    call->failed_us = now;
  if (!http_again (&call->answer.result, call->failures, (now - call->failed_us) / 1000,
                   call->http->timeout_ms, &wait_ms)
      || !call->patient)
    return;
  call->failures++;
  call->again_us = now + wait_ms * 1000;
  call->state = HTTP_WAITING;
  say_waiting (call, wait_ms);
}

/* -- A try ----------------------------------------------------------------- */

static struct curl_slist *
add_header (struct curl_slist *list, const char *name, const char *value)
{
  g_autofree char *header = g_strconcat (name, ": ", value, NULL);
  return value ? curl_slist_append (list, header) : list;
}

/* Returns the headers, without `Expect`: curl would wait a second for a server that does not answer
 * it. */
static struct curl_slist *
headers_of (const struct http_call *call)
{
  struct curl_slist *list = curl_slist_append (NULL, "Expect:");
  if (call->http->authorization)
    list = curl_slist_append (list, call->http->authorization);
  list = add_header (list, "Content-Type", call->request->type);
  list = add_header (list, "Accept", call->request->accept);
  return add_header (list, "Content-Encoding", call->body && call->body->gzip ? "gzip" : NULL);
}

static void
fly (struct http_call *call)
{
  const ApiRequest *request = call->request;
  const char *text = request->body ? request->body : "";
  CURL *curl = call->curl;
  clear_answer (&call->answer);
  call->answer.text = g_string_new (NULL);
  *call->problem = '\0';
  call->headers = headers_of (call);
  curl_easy_setopt (curl, CURLOPT_URL, request->url);
  curl_easy_setopt (curl, CURLOPT_HTTPHEADER, call->headers);
  curl_easy_setopt (curl, CURLOPT_HTTPGET, 1L);
  if (strcmp (request->method, "POST") == 0) {
    size_t len = call->body ? call->body->len : strlen (text);
    curl_easy_setopt (curl, CURLOPT_POST, 1L);
    curl_easy_setopt (curl, CURLOPT_POSTFIELDS, call->body ? (char *) call->body->data : text);
    curl_easy_setopt (curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) len);
  }
  call->state = HTTP_FLYING;
  call->end_us = g_get_monotonic_time () + call->http->timeout_ms * 1000;
  if (curl_multi_add_handle (call->http->multi, curl))
    settle (call, CURLE_OUT_OF_MEMORY);
}

void
http_begin (struct http_call *call, const ApiRequest *request, struct body *body, gboolean patient)
{
  call->request = request;
  call->body = body;
  call->patient = patient;
  call->failures = 0;
  fly (call);
}

/* A try's time is over only when what has arrived meanwhile is read. */
static void
settle_all (struct http *http)
{
  int left;
  for (CURLMsg *m; (m = curl_multi_info_read (http->multi, &left));) {
    struct http_call *call = NULL;
    CURLcode code = m->data.result;
    curl_easy_getinfo (m->easy_handle, CURLINFO_PRIVATE, &call);
    settle (call, code);
  }
  for (guint k = 0; k < http->n_calls; k++)
    if (http->calls[k].state == HTTP_FLYING && http->calls[k].end_us <= g_get_monotonic_time ())
      settle (&http->calls[k], CURLE_OPERATION_TIMEDOUT);
}

gboolean
http_go (struct http *http, int ms)
{
  int running;
  if (ms)
    curl_multi_poll (http->multi, NULL, 0, ms, NULL);
  for (guint k = 0; k < http->n_calls; k++)
    if (http->calls[k].state == HTTP_WAITING && http->calls[k].again_us <= g_get_monotonic_time ())
      fly (&http->calls[k]);
  curl_multi_perform (http->multi, &running);
  settle_all (http);
  return !http->host->cancelled (http->host);
}

void
http_stop (struct http *http)
{
  for (guint k = 0; k < http->n_calls; k++) {
    if (http->calls[k].state == HTTP_FLYING)
      settle (&http->calls[k], CURLE_ABORTED_BY_CALLBACK);
    http->calls[k].state = HTTP_DONE;
  }
}

gboolean
http_ok (const struct http_call *call)
{
  const struct http_result *result = &call->answer.result;
  return result->connected && result->status >= 200 && result->status < 300;
}

gboolean
http_ask (struct http *http, const ApiRequest *request, gboolean patient)
{
  struct http_call *call = http->calls;
  http_begin (call, request, NULL, patient);
  while (call->state != HTTP_DONE)
    if (!http_go (http, HTTP_LOOK_MS))
      http_stop (http);
  return http_ok (call);
}
