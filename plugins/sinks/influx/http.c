/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - sends requests by libcurl. */
#include "http.h"
#include "secret.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_S 10

struct http {
  CURL *curl;
  char *authorization; /* a whole header, or NULL */
  gint64 timeout_s;
  gboolean (*stopped) (gpointer user);
  gpointer user;
};

void
http_answer_clear (HttpAnswer *answer)
{
  g_free (answer->text);
  g_free (answer->version);
  g_free (answer->location);
  g_free (answer->problem);
  *answer = (HttpAnswer){ 0 };
}

static char *
basic (const char *user, const char *password)
{
  char *both = g_strdup_printf ("%s:%s", user, password ? password : "");
  char *coded = g_base64_encode ((const guchar *) both, strlen (both));
  char *header = g_strconcat ("Authorization: Basic ", coded, NULL);
  secret_free (both);
  secret_free (coded);
  return header;
}

struct http *
http_new (gint64 timeout_s)
{
  curl_global_init (CURL_GLOBAL_DEFAULT); /* counted; libcurl does not mind being asked again */
  CURL *curl = curl_easy_init ();
  if (!curl)
    return NULL;
  struct http *http = g_new0 (struct http, 1);
  http->curl = curl;
  http->timeout_s = timeout_s;
  return http;
}

void
http_set_token (struct http *http, const char *token)
{
  secret_free (http->authorization);
  http->authorization = token ? g_strconcat ("Authorization: Token ", token, NULL) : NULL;
}

void
http_set_user (struct http *http, const char *user, const char *password)
{
  secret_free (http->authorization);
  http->authorization = user ? basic (user, password) : NULL;
}

void
http_free (struct http *http)
{
  if (!http)
    return;
  curl_easy_cleanup (http->curl);
  secret_free (http->authorization);
  g_free (http);
}

void
http_set_stop (struct http *http, gboolean (*stopped) (gpointer user), gpointer user)
{
  http->stopped = stopped;
  http->user = user;
}

/* -- What libcurl calls ---------------------------------------------------- */

static size_t
on_text (char *data, size_t size, size_t n, void *user)
{
  GString *text = user;
  size_t room = HTTP_ANSWER_MAX - MIN (text->len, HTTP_ANSWER_MAX);
  g_string_append_len (text, data, (gssize) MIN (size * n, room));
  return size * n;
}

static size_t
on_header (char *data, size_t size, size_t n, void *user)
{
  static const char name[] = "X-Influxdb-Version:";
  HttpAnswer *answer = user;
  size_t len = size * n, skip = sizeof name - 1;
  if (len <= skip || g_ascii_strncasecmp (data, name, skip))
    return len;
  g_free (answer->version);
  answer->version = g_strstrip (g_strndup (data + skip, MIN (len - skip, 100)));
  return len;
}

static int
on_progress (void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
  struct http *http = user;
  (void) a;
  (void) b;
  (void) c;
  (void) d;
  return http->stopped && http->stopped (http->user);
}

/* -- A request ------------------------------------------------------------- */

static struct curl_slist *
add_header (struct curl_slist *list, const char *name, const char *value)
{
  g_autofree char *header = g_strdup_printf ("%s: %s", name, value);
  return curl_slist_append (list, header);
}

/* Returns the headers, without `Expect`: curl would wait a second for a server that does not answer
 * it. */
static struct curl_slist *
headers_of (const struct http *http, const struct http_request *request)
{
  struct curl_slist *list = curl_slist_append (NULL, "Expect:");
  if (http->authorization)
    list = curl_slist_append (list, http->authorization);
  if (request->type)
    list = add_header (list, "Content-Type", request->type);
  if (request->accept)
    list = add_header (list, "Accept", request->accept);
  if (request->gzip)
    list = curl_slist_append (list, "Content-Encoding: gzip");
  return list;
}

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
configure (struct http *http, const struct http_request *request, char *problem)
{
  CURL *curl = http->curl;
  const char *trusted = authorities ();
  curl_easy_reset (curl);
  curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, problem);
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
  curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, (long) MIN (http->timeout_s, CONNECT_S));
  curl_easy_setopt (curl, CURLOPT_TIMEOUT, (long) http->timeout_s);
  curl_easy_setopt (curl, CURLOPT_USERAGENT, "nprof");
  curl_easy_setopt (curl, CURLOPT_URL, request->url);
  curl_easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt (curl, CURLOPT_XFERINFODATA, http);
  curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_text);
  curl_easy_setopt (curl, CURLOPT_HEADERFUNCTION, on_header);
  if (strcmp (request->method, "POST") == 0) {
    curl_easy_setopt (curl, CURLOPT_POST, 1L);
    curl_easy_setopt (curl, CURLOPT_POSTFIELDS, request->body ? request->body : "");
    curl_easy_setopt (curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) request->len);
  }
}

/* Returns whether a request would fail again. */
static gboolean
is_hopeless (CURLcode code)
{
  switch (code) {
  case CURLE_URL_MALFORMAT:
  case CURLE_UNSUPPORTED_PROTOCOL:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_ABORTED_BY_CALLBACK:
  case CURLE_OUT_OF_MEMORY:
    return TRUE;
  default:
    return FALSE;
  }
}

static void
conclude (struct http *http, CURLcode code, const char *problem, HttpAnswer *answer)
{
  long status = 0;
  curl_off_t retry_after = 0;
  const char *location = NULL;
  curl_easy_getinfo (http->curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo (http->curl, CURLINFO_RETRY_AFTER, &retry_after);
  curl_easy_getinfo (http->curl, CURLINFO_REDIRECT_URL, &location);
  /* A server that refuses a body before it has read it closes the connection: its answer counts. */
  gboolean early = code == CURLE_SEND_ERROR && status >= 400;
  answer->result.connected = code == CURLE_OK || early;
  answer->result.status = (int) status;
  answer->result.retry_after = (gint64) retry_after;
  answer->result.hopeless = is_hopeless (code);
  answer->location = g_strdup (location);
  answer->refused = code == CURLE_COULDNT_CONNECT;
  if (!answer->result.connected)
    answer->problem = g_strdup (*problem ? problem : curl_easy_strerror (code));
}

void
http_send (struct http *http, const struct http_request *request, HttpAnswer *answer)
{
  char problem[CURL_ERROR_SIZE] = "";
  GString *text = g_string_new (NULL);
  http_answer_clear (answer);
  configure (http, request, problem);
  struct curl_slist *headers = headers_of (http, request);
  curl_easy_setopt (http->curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt (http->curl, CURLOPT_WRITEDATA, text);
  curl_easy_setopt (http->curl, CURLOPT_HEADERDATA, answer);
  CURLcode code = curl_easy_perform (http->curl);
  conclude (http, code, problem, answer);
  curl_easy_setopt (http->curl, CURLOPT_ERRORBUFFER, NULL);
  curl_slist_free_all (headers);
  answer->len = text->len;
  answer->text = g_string_free (text, FALSE);
}
