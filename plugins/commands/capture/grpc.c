/* SPDX-License-Identifier: Apache-2.0 */
/* grpc.c - a call by libcurl: HTTP/2 from the first byte, the answer into a file without a name,
 * the status from the trailers. */

#include "grpc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/temp-file.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_S 10

typedef struct {
  const NpGrpcCall *call;
  NpGrpcAnswer *answer;
  int fd;
  guint64 bytes;
  int err; /* errno of writing the answer, or 0 */
} Transfer;

void
np_grpc_answer_clear (NpGrpcAnswer *answer)
{
  g_free (answer->message);
  g_clear_pointer (&answer->body, g_mapped_file_unref);
  *answer = (NpGrpcAnswer){ .status = -1 };
}

/* -- What libcurl calls ------------------------------------------------------------------- */

static size_t
on_body (char *data, size_t size, size_t n, void *user)
{
  Transfer *t = user;
  t->err = np_write_all (t->fd, data, size * n);
  t->bytes += size * n;
  return t->err ? 0 : size * n;
}

/* The value of a header of this name, or NULL; transfer full. */
static char *
header_value (const char *line, gsize len, const char *name)
{
  gsize skip = strlen (name);
  if (len <= skip || g_ascii_strncasecmp (line, name, skip) || line[skip] != ':')
    return NULL;
  return g_strstrip (g_strndup (line + skip + 1, len - skip - 1));
}

/* A message is percent-encoded UTF-8. */
static char *
decode_message (const char *coded)
{
  g_autofree char *text = g_uri_unescape_string (coded, NULL);
  return np_printable (text ? text : coded, -1);
}

/* Trailers come here as headers do. */
static size_t
on_header (char *data, size_t size, size_t n, void *user)
{
  NpGrpcAnswer *answer = ((Transfer *) user)->answer;
  g_autofree char *status = header_value (data, size * n, "grpc-status");
  g_autofree char *message = header_value (data, size * n, "grpc-message");
  if (status && g_ascii_isdigit (*status))
    answer->status = atoi (status);
  if (message) {
    g_free (answer->message);
    answer->message = decode_message (message);
  }
  return size * n;
}

static int
on_progress (void *user, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
  const NpGrpcCall *call = ((Transfer *) user)->call;
  (void) a, (void) b, (void) c, (void) d;
  return call->stopped (call->user);
}

/* -- The request ----------------------------------------------------------------------------- */

static GByteArray *
frame (const GByteArray *message)
{
  guint len = message->len;
  const guint8 head[]
      = { 0, (guint8) (len >> 24), (guint8) (len >> 16), (guint8) (len >> 8), (guint8) len };
  GByteArray *body = g_byte_array_append (g_byte_array_new (), head, sizeof head);
  return g_byte_array_append (body, message->data, len);
}

static struct curl_slist *
headers_of (const NpGrpcCall *call)
{
  g_autofree char *limit = g_strdup_printf ("grpc-timeout: %um", call->timeout_ms);
  const char *const lines[]
      = { "content-type: application/grpc", "te: trailers", "Expect:", "Accept:", limit };
  struct curl_slist *list = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    list = curl_slist_append (list, lines[i]);
  return list;
}

static void
configure (CURL *curl, Transfer *t, const GByteArray *body, char *problem)
{
  g_autofree char *url = g_strdup_printf ("http://%s%s", t->call->address, t->call->path);
  curl_easy_setopt (curl, CURLOPT_URL, url);
  curl_easy_setopt (curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt (curl, CURLOPT_ERRORBUFFER, problem);
  curl_easy_setopt (curl, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
  curl_easy_setopt (curl, CURLOPT_PROXY, "");
  curl_easy_setopt (curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt (curl, CURLOPT_NETRC, (long) CURL_NETRC_IGNORED);
  curl_easy_setopt (curl, CURLOPT_USERAGENT, "nprof/" NPROF_VERSION);
  curl_easy_setopt (curl, CURLOPT_CONNECTTIMEOUT, (long) CONNECT_S);
  curl_easy_setopt (curl, CURLOPT_TIMEOUT_MS, (long) t->call->timeout_ms);
  curl_easy_setopt (curl, CURLOPT_POST, 1L);
  curl_easy_setopt (curl, CURLOPT_POSTFIELDS, (const char *) body->data);
  curl_easy_setopt (curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t) body->len);
  curl_easy_setopt (curl, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt (curl, CURLOPT_WRITEDATA, t);
  curl_easy_setopt (curl, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt (curl, CURLOPT_HEADERDATA, t);
  curl_easy_setopt (curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt (curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt (curl, CURLOPT_XFERINFODATA, t);
}

/* -- What came of it --------------------------------------------------------------------------- */

static gboolean
fail (GError **error, const Transfer *t, const char *what, const char *advice)
{
  g_autofree char *address = np_printable (t->call->address, -1);
  return np_error_set (error, NP_EXIT_SINK, "%s: %s%s%s", address, what, advice ? ": " : "",
                       advice ? advice : "");
}

static gboolean
map_body (Transfer *t, GError **error)
{
  if (!t->bytes)
    return TRUE;
  t->answer->body = g_mapped_file_new_from_fd (t->fd, FALSE, error);
  if (!t->answer->body)
    (*error)->code = NP_EXIT_SINK;
  return t->answer->body != NULL;
}

static gboolean
conclude (Transfer *t, CURLcode code, long http, const char *problem, GError **error)
{
  g_autofree char *words = NULL;
  if (t->err)
    return fail (error, t, g_strerror (t->err), "make room in $TMPDIR, where the answer waits");
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return np_error_interrupted (error);
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
    return fail (error, t, problem,
                 "expected the port of a profiler, as jax.profiler.start_server (9012) opens it");
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fail (error, t, "no answer before the time was over", "see --timeout");
  if (t->answer->status >= 0)
    return map_body (t, error);
  if (code != CURLE_OK)
    return fail (error, t, problem,
                 "expected a server of gRPC without TLS, as jax.profiler.start_server starts it");
  words = g_strdup_printf ("HTTP status %ld came, and no status of gRPC", http);
  return fail (error, t, words,
               "expected a server of gRPC, as jax.profiler.start_server starts it");
}

/* Is the libcurl that is installed one that speaks HTTP/2? */
static gboolean
can_speak (GError **error)
{
  curl_global_init (CURL_GLOBAL_DEFAULT);
  if (curl_version_info (CURLVERSION_NOW)->features & CURL_VERSION_HTTP2)
    return TRUE;
  return np_error_set (error, NP_EXIT_PLUGIN,
                       "nprof capture --xla needs a libcurl that speaks HTTP/2, and the one that "
                       "is installed does not");
}

gboolean
np_grpc_call (const NpGrpcCall *call, NpGrpcAnswer *answer, GError **error)
{
  char problem[CURL_ERROR_SIZE] = "";
  long http = 0;
  *answer = (NpGrpcAnswer){ .status = -1 };
  if (!can_speak (error))
    return FALSE;
  Transfer t = { .call = call, .answer = answer, .fd = np_temp_open () };
  CURL *curl = t.fd < 0 ? NULL : curl_easy_init ();
  if (!curl) {
    np_error_errno (error, NP_EXIT_SINK, np_temp_folder (), t.fd < 0 ? errno : ENOMEM);
    if (t.fd >= 0)
      close (t.fd);
    return FALSE;
  }
  g_autoptr (GByteArray) body = frame (call->message);
  struct curl_slist *headers = headers_of (call);
  configure (curl, &t, body, problem);
  curl_easy_setopt (curl, CURLOPT_HTTPHEADER, headers);
  CURLcode code = curl_easy_perform (curl);
  curl_easy_getinfo (curl, CURLINFO_RESPONSE_CODE, &http);
  gboolean good = conclude (&t, code, http, *problem ? problem : curl_easy_strerror (code), error);
  curl_easy_cleanup (curl);
  curl_slist_free_all (headers);
  close (t.fd);
  return good;
}
