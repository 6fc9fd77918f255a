/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - finds out before anything is written which server it is, whether we may write, and
 * whether the profile is new; and makes room for it. */
#include "answer.h"
#include "server.h"

#include <string.h>

/* -- What an answer means -------------------------------------------------- */

static const struct http_answer *
answer_of (const struct server *server)
{
  return &server->http.calls->answer;
}

static gboolean
failed (struct server *server, const char *doing)
{
  return server_failed (server, doing, answer_of (server));
}

/* Returns whether the server has no such part of the interface: the answer to the question then
 * stays unknown. */
static gboolean
is_foreign (const struct server *server)
{
  const struct http_answer *answer = answer_of (server);
  int status = answer->result.status;
  return answer->result.connected
         && (status == 400 || status == 404 || status == 405 || status == 501)
         && !answer_is_influx (answer->text->str);
}

static gboolean
cannot_look (struct server *server, const char *why)
{
  server->can_count = FALSE;
  nprof_log (
      server->http.host, NPROF_WARNING,
      "%s does not tell what it has (%s): whether the profile is there already, and whether all "
      "of it arrived, is not checked",
      server->place.url, why);
  return TRUE;
}

static gboolean
nobody_there (struct server *server)
{
  return server_set_error (
      server,
      g_strdup_printf (
          "nothing listens at %s (%s): InfluxDB is not installed or does not run there. To install "
          "it, follow https://portal.influxdata.com/downloads/ (or, for InfluxDB 1.x, apt install "
          "influxdb); start it with \"systemctl start influxdb\"; set up 2.x with \"influx setup\" "
          "and put its token into INFLUX_TOKEN. Another server is named with url=. The sinks csv "
          "and parquet need no server",
          server->place.url, answer_of (server)->problem));
}

/* -- Which server ---------------------------------------------------------- */

static gboolean
find_api (struct server *server)
{
  const struct http_answer *answer = answer_of (server);
  gboolean answered = server_ask (server, API_PING, FALSE) || answer->result.connected;
  int status = answer->result.status;
  if (!answered)
    return answer->refused ? nobody_there (server) : failed (server, "asking for /ping");
  if (server->api || (server->api = answer_api (answer->version, NULL)))
    return TRUE;
  if (status >= 300 && status < 400)
    return failed (server, "asking for /ping");
  if (server_ask (server, API_HEALTH, FALSE))
    server->api = answer_api (answer->version, answer->text->str);
  return server->api
         || server_set_error (
             server, g_strdup_printf ("%s answers (%d), but does not say that it is InfluxDB: "
                                      "check url=, or give api=1 or api=2",
                                      server->place.url, status));
}

/* -- Whether the profile is new -------------------------------------------- */

static gboolean
look_for_profile (struct server *server)
{
  const struct http_answer *answer = answer_of (server);
  int api = server->api;
  server->can_count = TRUE;
  if (!server_ask (server, api == 1 ? API1_FIND_PROFILE : API2_FIND_PROFILE, FALSE)) {
    gboolean forbidden = answer->result.status == 403;
    if (!forbidden && !is_foreign (server))
      return failed (server, "looking for the profile");
    return cannot_look (server, api == 2    ? "the token may not read"
                                : forbidden ? "the user may not read"
                                            : "it is no InfluxDB");
  }
  const char *text = answer->text->str;
  g_autofree char *error = api == 1 ? answer1_query_error (text) : NULL;
  if (error)
    return cannot_look (server, error);
  server->must_drop = api == 1 ? answer1_any (text) : answer2_any (text);
  return !server->must_drop || server->force
         || server_set_error (
             server,
             g_strdup_printf ("profile \"%s\" exists already in %s at %s: force=yes "
                              "deletes its points there, and no others, and writes it "
                              "anew",
                              server->place.profile, server->place.bucket, server->place.url));
}

/* Takes note of a place that is to be made: a profile cannot be there. */
static gboolean
must_create (struct server *server, gboolean missing)
{
  server->must_create = server->can_count = missing;
  return missing;
}

/* -- The database, the bucket ---------------------------------------------- */

/* Checks by writing nothing whether the database is there and whether we may write to it. */
static gboolean
check1 (struct server *server)
{
  const struct http_answer *answer = answer_of (server);
  if (server_ask (server, API1_WRITE, FALSE))
    return look_for_profile (server);
  return must_create (server, answer->result.connected && answer->result.status == 404
                                  && strstr (answer->text->str, "database not found"))
         || failed (server, "asking whether it may write");
}

static gboolean
find_org (struct server *server)
{
  if (!server_ask (server, server->place.org ? API2_FIND_ORG : API2_FIND_ORGS, FALSE))
    return is_foreign (server) ? cannot_look (server, "it has no /api/v2/orgs")
                               : failed (server, "looking for the organisation");
  g_autofree char *name = NULL;
  int n = answer2_only (answer_of (server)->text->str, "orgs", &server->org_id, &name);
  if (n != 1 || !name)
    return server_set_error (
        server, g_strdup_printf (n > 1 ? "%s has several organisations: name one with org="
                                       : "%s has no such organisation, or hides it from this "
                                         "token: check org= and INFLUX_TOKEN",
                                 server->place.url));
  server->org = g_steal_pointer (&name);
  server->place.org = server->org;
  server->place.org_id = server->org_id;
  return TRUE;
}

/* A missing bucket is an empty list or a 404 that names it; one that names the organisation is an
 * error. */
static gboolean
check2 (struct server *server)
{
  const struct http_answer *answer = answer_of (server);
  if (!server->place.org && !find_org (server))
    return FALSE;
  gboolean found = server_ask (server, API2_FIND_BUCKET, FALSE);
  if (!found && is_foreign (server))
    return cannot_look (server, "it has no /api/v2/buckets");
  if (!found) {
    g_autofree char *error = answer_error (answer->text->str);
    return must_create (server, answer->result.status == 404 && strstr (error, "bucket"))
           || failed (server, "looking for the bucket");
  }
  g_autofree char *id = NULL, *name = NULL;
  return must_create (server, answer2_only (answer->text->str, "buckets", &id, &name) == 0)
         || look_for_profile (server);
}

/* -- Both ------------------------------------------------------------------ */

gboolean
server_check (struct server *server)
{
  if (!find_api (server))
    return FALSE;
  if (server->api == 1)
    http_sign_user (&server->http, server->user);
  else
    http_sign_token (&server->http);
  return server->api == 1 ? check1 (server) : check2 (server);
}

gboolean
server_prepare (struct server *server)
{
  static const char drop[] = "deleting the profile's points";
  if (server->must_create && server->api == 1)
    return server_order (server, API1_CREATE, NULL, "creating the database");
  if (server->must_create)
    return (server->org_id || find_org (server))
           && server_order (server, API2_CREATE, NULL, "creating the bucket");
  return !server->must_drop
         || server_order (server, server->api == 1 ? API1_DROP_PROFILE : API2_DROP_PROFILE, NULL,
                          drop);
}
