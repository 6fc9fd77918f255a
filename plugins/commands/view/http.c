/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - the server's connections: who may ask, how much, and the headers of every reply. Each
 * connection has a thread, so that a long question of one does not hold up another's picture. */

#include "http.h"
#include "admit.h"
#include "base/error.h"
#include "deflate.h"
#include "listen.h"
#include "peers.h"

#include <microhttpd.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_CONNECTIONS 1024 /* peers.c lets others than the user have a part of them alone */
#define IDLE_SECONDS 10
#define HEAD_BYTES 65536 /* of a request's line and headers, and what is being sent */

struct NpHttp {
  const NpViewConfig *config;
  const char *token;
  NpHttpHandler handler;
  NpLog *log;
  GPtrArray *daemons;
  guint port;
  NpPeers *peers;
};

typedef struct { /* a request */
  NpRequest *request;
  const char *wrong; /* of its URL */
  NpReply reply;
  gboolean begun, refused, streams;
} Exchange;

/* -- Connections ------------------------------------------------------------- */

static int
fd_of (struct MHD_Connection *connection)
{
  return MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static NpPeer *
peer_of (struct MHD_Connection *connection)
{
  return MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void
on_connection (void *user, struct MHD_Connection *connection, void **context,
               enum MHD_ConnectionNotificationCode code)
{
  NpHttp *http = user;
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    *context = np_peer_new (http->peers, fd_of (connection));
  else
    np_peer_free (http->peers, *context);
}

/* -- Requests ---------------------------------------------------------------- */

static void *
on_target (void *user, const char *target, struct MHD_Connection *connection)
{
  (void) user, (void) connection;
  Exchange *x = g_new0 (Exchange, 1);
  np_reply_init (&x->reply);
  x->request = np_request_parse (target, &x->wrong);
  return x;
}

static void
on_completed (void *user, struct MHD_Connection *connection, void **context,
              enum MHD_RequestTerminationCode code)
{
  (void) code;
  NpHttp *http = user;
  Exchange *x = *context;
  np_peer_note (http->peers, peer_of (connection), FALSE);
  if (!x)
    return;
  if (x->streams)
    http->handler.end_body (http->handler.user, x->request);
  np_reply_clear (&x->reply);
  np_request_free (x->request);
  g_free (x);
}

static const char *
header (struct MHD_Connection *connection, const char *name)
{
  return MHD_lookup_connection_value (connection, MHD_HEADER_KIND, name);
}

/* These headers decide who may ask and write, and where a body ends. A request has each of them
 * once, since this program, a proxy before it and a browser could each believe another one of
 * several. */
static const char *const once[] = { "Host",           "Origin",         "X-Nprof-Token",
                                    "Sec-Fetch-Site", "Content-Length", "Transfer-Encoding" };

typedef struct {
  guint seen;           /* bit i: once[i] came */
  const char *repeated; /* the first of `once` that came again, or NULL */
} Headers;

static enum MHD_Result
note_header (void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
  (void) kind, (void) value;
  Headers *h = user;
  for (guint i = 0; i < G_N_ELEMENTS (once); i++)
    if (!g_ascii_strcasecmp (name, once[i])) {
      if (h->seen & 1u << i && !h->repeated)
        h->repeated = once[i];
      h->seen |= 1u << i;
    }
  return MHD_YES;
}

/* Returns the name of a header that may come once and came more often, or NULL. */
static const char *
repeated_header (struct MHD_Connection *connection)
{
  Headers h = { 0, NULL };
  MHD_get_connection_values (connection, MHD_HEADER_KIND, note_header, &h);
  return h.repeated;
}

static gboolean
is_write (const char *method)
{
  return !strcmp (method, "POST") || !strcmp (method, "PUT") || !strcmp (method, "DELETE");
}

static gboolean
may_ask (NpHttp *http, struct MHD_Connection *connection, const NpPeer *peer, Exchange *x)
{
  NpReply *reply = &x->reply;
  if (peer->too_many)
    return np_reply_fail (reply, 503, "close other tabs, or ask again in a second",
                          "there are too many connections");
  const char *repeated = repeated_header (connection);
  if (repeated)
    return np_reply_fail (reply, 400, "send it once", "the header %s came more than once",
                          repeated);
  if (!np_admit_host (http->config, header (connection, "Host")))
    return np_reply_fail (
        reply, 403,
        "open it as localhost or by its address, or start nprof view with --allow-host NAME",
        "the header Host names another machine");
  if (!x->request)
    return np_reply_fail (reply, strstr (x->wrong, "longer") ? 414 : 400, "", "%s", x->wrong);
  return TRUE;
}

/* Reads how many bytes of a body will come; FALSE: refused. */
static gboolean
may_send (NpHttp *http, struct MHD_Connection *connection, Exchange *x)
{
  const char *length = header (connection, "Content-Length"),
             *coding = header (connection, "Transfer-Encoding");
  guint64 bytes = 0;
  if (coding || (length && !g_ascii_string_to_unsigned (length, 10, 0, G_MAXUINT64, &bytes, NULL)))
    return np_reply_fail (&x->reply, 411, "send Content-Length",
                          "the length of the body is not told");
  const char *why = np_admit_write (header (connection, "X-Nprof-Token"), http->token,
                                    header (connection, "Origin"), header (connection, "Host"),
                                    header (connection, "Sec-Fetch-Site"));
  if (why)
    return np_reply_fail (&x->reply, 403, "write from the page that this server shows",
                          "the request may not write: %s", why);
  x->streams = TRUE;
  return http->handler.begin_body (http->handler.user, x->request, bytes, &x->reply);
}

/* It has closed its side, or the connection is lost. */
static gboolean
is_gone (gpointer fd)
{
  struct pollfd poll_fd = { GPOINTER_TO_INT (fd), POLLRDHUP, 0 };
  return poll (&poll_fd, 1, 0) > 0 && poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static gboolean
begin (NpHttp *http, struct MHD_Connection *connection, const NpPeer *peer, Exchange *x,
       const char *method)
{
  if (!may_ask (http, connection, peer, x))
    return FALSE;
  NpRequest *r = x->request;
  const char *gzip = header (connection, "Accept-Encoding");
  r->head = !strcmp (method, "HEAD");
  r->method = r->head || !strcmp (method, "GET") ? "GET" : is_write (method) ? method : "";
  r->header_name = header (connection, "X-Nprof-Name");
  r->type = header (connection, "Content-Type");
  r->host = header (connection, "Host");
  r->far = !peer->loopback || header (connection, "X-Nprof-Remote");
  r->gzip = gzip && strstr (gzip, "gzip");
  r->gone = is_gone;
  r->gone_user = GINT_TO_POINTER (peer->fd);
  if (!*r->method)
    return np_reply_fail (&x->reply, 405, "",
                          "there is no method %s here: expected GET, HEAD, POST, PUT or DELETE",
                          method);
  return !is_write (method) || may_send (http, connection, x);
}

/* -- Replies ----------------------------------------------------------------- */

#define STRICT "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static void
add_headers (NpHttp *http, struct MHD_Response *response, const NpReply *reply)
{
  const char *framed_by = http->config->framed_by;
  g_autofree char *policy
      = reply->nonce ? g_strdup_printf (
            "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-%s'; connect-src "
            "'self'; "
            "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors %s",
            reply->nonce, framed_by ? framed_by : "'none'")
                     : g_strdup (STRICT);
  MHD_add_response_header (response, "Content-Type", reply->type);
  MHD_add_response_header (response, "Content-Security-Policy", policy);
  MHD_add_response_header (response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header (response, "Referrer-Policy", "no-referrer");
  MHD_add_response_header (response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header (response, "Cache-Control",
                           reply->etag ? "private, max-age=31536000, immutable" : "no-store");
  if (reply->etag)
    MHD_add_response_header (response, "ETag", reply->etag);
  if (reply->download) {
    g_autofree char *attachment
        = *reply->download ? g_strdup_printf ("attachment; filename=\"%s\"", reply->download)
                           : g_strdup ("attachment");
    MHD_add_response_header (response, "Content-Disposition", attachment);
  }
  if (reply->status == 503)
    MHD_add_response_header (response, "Retry-After", "1");
  if (reply->status == 405)
    MHD_add_response_header (response, "Allow", "GET, HEAD, POST, PUT, DELETE");
}

static struct MHD_Response *
make_response (NpReply *reply)
{
  if (reply->fd >= 0) {
    int fd = reply->fd;
    reply->fd = -1;
    return MHD_create_response_from_fd64 (reply->fd_bytes, fd);
  }
  char *data = reply->body.data;
  gsize len = reply->body.len;
  reply->body = (struct nprof_buf){ 0 };
  return MHD_create_response_from_buffer (len, data, MHD_RESPMEM_MUST_FREE);
}

/* Returns whether to compress: JSON when it is long, pictures when they go far. */
static gboolean
is_worth_it (const NpRequest *r, const NpReply *reply)
{
  gboolean text
      = !strcmp (reply->type, "application/json") || g_str_has_prefix (reply->type, "text/");
  return r && r->gzip && reply->fd < 0 && reply->body.len > 1024 && (text || r->far);
}

static enum MHD_Result
send_reply (NpHttp *http, struct MHD_Connection *connection, Exchange *x)
{
  NpReply *reply = &x->reply;
  if (reply->body.failed)
    np_reply_fail (reply, 500, "close profiles, or give the machine more memory",
                   "no memory is left for the answer");
  const char *known = header (connection, "If-None-Match");
  if (reply->etag && known && !strcmp (known, reply->etag)) {
    reply->status = 304;
    reply->packed = FALSE;
    nprof_buf_clear (&reply->body);
  }
  gboolean packed
      = reply->packed || (is_worth_it (x->request, reply) && np_gzip (&reply->body, NP_GZIP_ONCE));
  guint status = reply->status;
  struct MHD_Response *response = make_response (reply);
  if (!response)
    return MHD_NO;
  add_headers (http, response, reply);
  if (packed)
    MHD_add_response_header (response, "Content-Encoding", "gzip");
  MHD_add_response_header (response, "Vary", "Accept-Encoding, X-Nprof-Remote");
  if (status == 503 || x->refused)
    MHD_add_response_header (response, "Connection", "close");
  enum MHD_Result result = MHD_queue_response (connection, status, response);
  MHD_destroy_response (response);
  return result;
}

static enum MHD_Result
send_refusal (NpHttp *http, struct MHD_Connection *connection, Exchange *x)
{
  x->refused = TRUE;
  return send_reply (http, connection, x);
}

static enum MHD_Result
on_request (void *user, struct MHD_Connection *connection, const char *url, const char *method,
            const char *version, const char *data, size_t *len, void **context)
{
  (void) url, (void) version;
  NpHttp *http = user;
  Exchange *x = *context;
  NpPeer *peer = peer_of (connection);
  if (!x || peer->closed)
    return MHD_NO;
  if (!x->begun) {
    x->begun = TRUE;
    np_peer_note (http->peers, peer, TRUE);
    return begin (http, connection, peer, x, method) ? MHD_YES : send_refusal (http, connection, x);
  }
  if (*len) { /* of a GET it is skipped */
    if (x->streams && !x->refused
        && !http->handler.body (http->handler.user, x->request, data, *len, &x->reply))
      x->refused = TRUE; /* the rest is read and dropped, so that the client sees the reply */
    *len = 0;
    return MHD_YES;
  }
  if (!x->refused)
    http->handler.answer (http->handler.user, x->request, &x->reply);
  return send_reply (http, connection, x);
}

/* -- Life -------------------------------------------------------------------- */

static size_t
leave_escaped (void *user, struct MHD_Connection *connection, char *text)
{
  (void) user, (void) connection;
  return strlen (text); /* request.c decodes */
}

static void
on_log (void *user, const char *format, va_list args)
{
  NpHttp *http = user;
  g_autofree char *text = g_strdup_vprintf (format, args);
  np_log_text (http->log, NPROF_DEBUG, g_strchomp (text));
}

static struct MHD_Daemon *
start_daemon (NpHttp *http, int fd)
{
  return MHD_start_daemon (MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD
                               | MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG,
                           0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_log,
                           http, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                           MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
                           MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) HEAD_BYTES,
                           MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
                           MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
                           MHD_OPTION_URI_LOG_CALLBACK, on_target, http,
                           MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, http,
                           MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

/* Allows connections and mapped files beyond the 1024 that shells allow. */
static void
allow_files (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) || limit.rlim_cur >= 8192)
    return;
  limit.rlim_cur = MIN (limit.rlim_max, 8192);
  setrlimit (RLIMIT_NOFILE, &limit);
}

NpHttp *
np_http_start (const NpViewConfig *config, const char *token, const NpHttpHandler *handler,
               NpLog *log, GError **error)
{
  g_autoptr (GArray) sockets = g_array_new (FALSE, FALSE, sizeof (int));
  guint port = config->port;
  if (!np_listen (config->address, &port, sockets, error))
    return NULL;
  allow_files ();
  NpHttp *http = g_new0 (NpHttp, 1);
  *http
      = (NpHttp){ .config = config, .token = token, .handler = *handler, .log = log, .port = port };
  http->peers = np_peers_new (config->any_user, log);
  http->daemons = g_ptr_array_new ();
  for (guint i = 0; i < sockets->len; i++) {
    struct MHD_Daemon *daemon = start_daemon (http, g_array_index (sockets, int, i));
    if (daemon)
      g_ptr_array_add (http->daemons, daemon);
    else
      close (g_array_index (sockets, int, i));
  }
  if (http->daemons->len == sockets->len)
    return http;
  np_error_set (error, NP_EXIT_USAGE, "--port %u: the server could not be started (-v -v says why)",
                port);
  np_http_stop (http);
  return NULL;
}

guint
np_http_port (const NpHttp *http)
{
  return http->port;
}

void
np_http_stop (NpHttp *http)
{
  if (!http)
    return;
  for (guint i = 0; i < http->daemons->len; i++)
    MHD_stop_daemon (http->daemons->pdata[i]);
  g_ptr_array_unref (http->daemons);
  np_peers_free (http->peers);
  g_free (http);
}
