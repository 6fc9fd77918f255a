/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - asks a server, and says what went wrong. */
#include "server.h"
#include "answer.h"

void
server_clear (struct server *server)
{
  http_close (&server->http);
  g_clear_pointer (&server->org, g_free);
  g_clear_pointer (&server->org_id, g_free);
  g_clear_pointer (&server->error, g_free);
}

static gboolean
ask (struct server *server, enum api_what what, const char *measurement, gboolean patient)
{
  g_auto (ApiRequest) request = api_request (&server->place, what, measurement);
  return http_ask (&server->http, &request, patient);
}

gboolean
server_ask (struct server *server, enum api_what what, gboolean patient)
{
  return ask (server, what, NULL, patient);
}

gboolean
server_order (struct server *server, enum api_what what, const char *measurement, const char *doing)
{
  const struct http_answer *answer = &server->http.calls->answer;
  if (!ask (server, what, measurement, TRUE))
    return server_failed (server, doing, answer);
  g_autofree char *error = server->api == 1 ? answer1_query_error (answer->text->str) : NULL;
  return !error
         || server_set_error (server,
                              g_strdup_printf ("%s: %s says: %s", doing, server->place.url, error));
}

/* -- What went wrong ------------------------------------------------------- */

gboolean
server_set_error (struct server *server, char *text)
{
  g_free (server->error);
  server->error = text;
  return FALSE;
}

/* Returns what mends it, by status alone. */
static const char *
mend_of (const struct server *server, int status)
{
  static const struct {
    int status;
    const char *mend[2]; /* of 1.x and of 2 */
  } mends[] = {
    { 401,
      { "give user=, and the password in INFLUX_PASSWORD or password_file=",
        "put a token that may write there into INFLUX_TOKEN or token_file= (\"influx auth "
        "create\" makes one)" } },
    { 403,
      { "the user needs the right to write there (GRANT ALL ON db TO user)",
        "the token needs the right to read and write the bucket" } },
    { 404, { "check url= and db=", "check org= and bucket=" } },
    { 413,
      { "the server takes only smaller requests: lower batch=",
        "the server takes only smaller requests: lower batch=" } },
    { 429,
      { "it wants less in a while: wait, or raise timeout=",
        "it wants less in a while: wait, or raise timeout=" } },
  };
  for (guint k = 0; k < G_N_ELEMENTS (mends); k++)
    if (status == mends[k].status)
      return mends[k].mend[server->api == 2];
  return status >= 500 ? "see the server's log; a later try may do, or a larger timeout=" : NULL;
}

static char *
refusal (const struct server *server, const char *doing, const struct http_answer *answer)
{
  int status = answer->result.status;
  if (status >= 300 && status < 400)
    return g_strdup_printf (
        "%s: %s redirects to %s: redirects are not followed, give url= of where "
        "the server is",
        doing, server->place.url, answer->location ? answer->location : "nowhere");
  g_autofree char *error = answer_error (answer->text->str);
  const char *mend = answer_mend (error);
  if (!mend)
    mend = mend_of (server, status);
  const char *partial
      = answer_partial (status, error) ? "some points were refused, the others are stored: " : "";
  return g_strdup_printf ("%s: %s answers %d: %s%s%s%s", doing, server->place.url, status, partial,
                          *error ? error : "without a reason", mend ? ": " : "", mend ? mend : "");
}

gboolean
server_failed (struct server *server, const char *doing, const struct http_answer *answer)
{
  if (answer->result.connected)
    return server_set_error (server, refusal (server, doing, answer));
  return server_set_error (
      server, g_strdup_printf ("%s: %s: no answer%s: %s", doing, server->place.url,
                               answer->result.hopeless ? "" : ", also after trying again",
                               answer->problem ? answer->problem : "the connection broke"));
}
