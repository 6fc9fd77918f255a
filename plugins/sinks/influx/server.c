/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - asks a server, with patience, and says what went wrong. */
#include "server.h"
#include "answer.h"
#include "secret.h"

#include <string.h>

#define SLICE_MS 20 /* how soon the end of a run is noticed while waiting */

void
server_clear (struct server *server)
{
  g_clear_pointer (&server->http, http_free);
  g_clear_pointer (&server->org, g_free);
  g_clear_pointer (&server->org_id, g_free);
  g_clear_pointer (&server->error, g_free);
}

gboolean
server_connect (struct server *server)
{
  server->http = http_new (server->timeout_ms / 1000);
  return server->http != NULL;
}

void
server_sign (struct server *server)
{
  if (server->api == 1)
    http_set_user (server->http, server->user, server->password);
  else
    http_set_token (server->http, server->token);
}

gboolean
server_clone (const struct server *from, struct server *to)
{
  *to = *from;
  to->org = to->org_id = to->error = NULL;
  if (!server_connect (to))
    return FALSE;
  server_sign (to);
  server_set_stop (to, from->stopped, from->stop_user);
  return TRUE;
}

void
server_set_stop (struct server *server, gboolean (*stopped) (gpointer user), gpointer user)
{
  server->stopped = stopped;
  server->stop_user = user;
  http_set_stop (server->http, stopped, user);
}

static gboolean
wait_ms (struct server *server, gint64 ms)
{
  for (; ms > 0 && !server->stopped (server->stop_user); ms -= SLICE_MS)
    g_usleep ((gulong) MIN (ms, SLICE_MS) * 1000);
  return !server->stopped (server->stop_user);
}

static void
see_text (const struct server *server, HttpAnswer *answer)
{
  secret_cross_out (server->token, answer->text);
  secret_cross_out (server->password, answer->text);
  secret_cross_out (server->token, answer->location);
  secret_cross_out (server->password, answer->location);
  if (!answer->result.connected || answer->result.status < 300)
    return;
  g_autofree char *error = answer_error (answer->text);
  answer->result.final = answer_final (error);
}

static void
say_waiting (struct server *server, const HttpAnswer *answer, gint64 wait)
{
  g_autofree char *error
      = answer->problem ? g_strdup (answer->problem) : answer_error (answer->text);
  if (answer->problem)
    nprof_log (server->host, NPROF_INFO, "%s does not answer (%s): trying again in %.1f s",
               server->place.url, error, (double) wait / 1000);
  else
    nprof_log (server->host, NPROF_INFO, "%s answers %d (%s): trying again in %.1f s",
               server->place.url, answer->result.status, error, (double) wait / 1000);
}

gboolean
server_try (struct server *server, const struct http_request *request, HttpAnswer *answer)
{
  http_send (server->http, request, answer);
  see_text (server, answer);
  return answer->result.connected && answer->result.status >= 200 && answer->result.status < 300;
}

gboolean
server_retry (struct server *server, const struct http_request *request, HttpAnswer *answer)
{
  gint64 begun = g_get_monotonic_time ();
  for (guint attempt = 0;; attempt++) {
    gint64 waited = (g_get_monotonic_time () - begun) / 1000, wait = 0;
    if (retry_decide (&answer->result, attempt, waited, server->timeout_ms, &wait) != RETRY_AGAIN)
      return FALSE;
    say_waiting (server, answer, wait);
    if (!wait_ms (server, wait))
      return FALSE;
    if (server_try (server, request, answer))
      return TRUE;
  }
}

gboolean
server_ask (struct server *server, const struct http_request *request, gboolean patient,
            HttpAnswer *answer)
{
  if (server_try (server, request, answer))
    return TRUE;
  return (patient || answer->result.connected) && server_retry (server, request, answer);
}

/* -- What went wrong ------------------------------------------------------- */

void
server_set_error (struct server *server, char *text)
{
  g_free (server->error);
  server->error = text;
}

static char *
silence (const struct server *server, const char *what, const HttpAnswer *answer)
{
  return g_strdup_printf ("%s: %s: no answer%s: %s", what, server->place.url,
                          answer->result.hopeless ? "" : ", also after trying again",
                          answer->problem ? answer->problem : "the connection broke");
}

/* Returns the mend by status alone. */
static const char *
mend_of (const struct server *server, int status)
{
  switch (status) {
  case 401:
    return server->api == 2
               ? "put a token that may write there into INFLUX_TOKEN or token_file= (\"influx auth "
                 "create\" makes one)"
               : "give user=, and the password in INFLUX_PASSWORD or password_file=";
  case 403:
    return server->api == 2 ? "the token needs the right to read and write the bucket"
                            : "the user needs the right to write there (GRANT ALL ON db TO user)";
  case 404:
    return server->api == 2 ? "check org= and bucket=" : "check url= and db=";
  case 413:
    return "the server takes only smaller requests: lower batch=";
  case 429:
    return "it wants less in a while: wait, or raise timeout=";
  default:
    return status >= 500 ? "see the server's log; a later try may do, or a larger timeout=" : NULL;
  }
}

static char *
refusal (const struct server *server, const char *what, const HttpAnswer *answer)
{
  int status = answer->result.status;
  if (status >= 300 && status < 400)
    return g_strdup_printf (
        "%s: %s redirects to %s: redirects are not followed, give url= of where "
        "the server is",
        what, server->place.url, answer->location ? answer->location : "nowhere");
  g_autofree char *error = answer_error (answer->text);
  const char *mend = answer_mend (error);
  if (!mend)
    mend = mend_of (server, status);
  const char *partial
      = answer_partial (status, error) ? "some points were refused, the others are stored: " : "";
  return g_strdup_printf ("%s: %s answers %d: %s%s%s%s", what, server->place.url, status, partial,
                          *error ? error : "without a reason", mend ? ": " : "", mend ? mend : "");
}

gboolean
server_failed (struct server *server, const char *what, const HttpAnswer *answer)
{
  if (!answer->result.connected)
    server_set_error (server, silence (server, what, answer));
  else
    server_set_error (server, refusal (server, what, answer));
  return FALSE;
}

gboolean
server_send (struct server *server, ApiRequest request, gboolean patient, HttpAnswer *answer)
{
  g_auto (ApiRequest) r = request;
  const struct http_request http = { .method = r.method,
                                     .url = r.url,
                                     .type = r.type,
                                     .accept = r.accept,
                                     .body = r.body,
                                     .len = r.body ? strlen (r.body) : 0 };
  return server_ask (server, &http, patient, answer);
}

gboolean
server_query_failed (struct server *server, const char *what, const HttpAnswer *answer)
{
  g_autofree char *error = answer1_query_error (answer->text);
  if (!error)
    return FALSE;
  server_set_error (server, g_strdup_printf ("%s: %s says: %s", what, server->place.url, error));
  return TRUE;
}
