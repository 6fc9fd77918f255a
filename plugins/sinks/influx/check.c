/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - finds out before anything is written which server it is, whether we may write, and
 * whether the profile is new; and makes room for it. */
#include "answer.h"
#include "server.h"

#include <string.h>

/* Returns whether the server has no such part of the interface: the answer to the question then
 * stays unknown. */
static gboolean
is_foreign (const HttpAnswer *answer)
{
  int status = answer->result.status;
  return answer->result.connected
         && (status == 400 || status == 404 || status == 405 || status == 501)
         && !answer_is_influx (answer->text);
}

static gboolean
cannot_look (struct server *server, const char *why)
{
  server->can_count = FALSE;
  nprof_log (
      server->host, NPROF_WARNING,
      "%s does not tell what it has (%s): whether the profile is there already, and whether all "
      "of it arrived, is not checked",
      server->place.url, why);
  return TRUE;
}

static gboolean
profile_exists (struct server *server)
{
  if (server->force) {
    server->must_drop = TRUE;
    return TRUE;
  }
  server_set_error (server,
                    g_strdup_printf ("profile \"%s\" exists already in %s at %s: force=yes deletes "
                                     "its points there, and no others, and writes it anew",
                                     server->place.profile, server->place.bucket,
                                     server->place.url));
  return FALSE;
}

static char *
nobody_there (const struct server *server, const HttpAnswer *answer)
{
  return g_strdup_printf (
      "nothing listens at %s (%s): InfluxDB is not installed or does not run there. To install it, "
      "follow https://portal.influxdata.com/downloads/ (or, for InfluxDB 1.x, apt install "
      "influxdb); "
      "start it with \"systemctl start influxdb\"; set up 2.x with \"influx setup\" and put its "
      "token "
      "into INFLUX_TOKEN. Another server is named with url=. The sinks csv and parquet need no "
      "server",
      server->place.url, answer->problem);
}

/* -- Which server ---------------------------------------------------------- */

static gboolean
find_api (struct server *server)
{
  g_auto (HttpAnswer) answer = { 0 };
  if (!server_send (server, api_ping (&server->place), FALSE, &answer)
      && !answer.result.connected) {
    if (!answer.refused)
      return server_failed (server, "asking for /ping", &answer);
    server_set_error (server, nobody_there (server, &answer));
    return FALSE;
  }
  if (server->api || (server->api = answer_api (answer.version, NULL)))
    return TRUE;
  if (answer.result.status >= 300 && answer.result.status < 400)
    return server_failed (server, "asking for /ping", &answer);
  g_auto (HttpAnswer) health = { 0 };
  if (server_send (server, api_health (&server->place), FALSE, &health))
    server->api = answer_api (health.version, health.text);
  if (server->api)
    return TRUE;
  server_set_error (server,
                    g_strdup_printf ("%s answers (%d), but does not say that it is InfluxDB: check "
                                     "url=, or give api=1 or api=2",
                                     server->place.url, answer.result.status));
  return FALSE;
}

/* -- 1.x ------------------------------------------------------------------- */

static gboolean
look_for_profile1 (struct server *server)
{
  g_auto (HttpAnswer) answer = { 0 };
  server->can_count = TRUE;
  if (!server_send (server, api1_find_profile (&server->place), FALSE, &answer))
    return answer.result.status == 403 || is_foreign (&answer)
               ? cannot_look (server, answer.result.status == 403 ? "the user may not read"
                                                                  : "it is no InfluxDB")
               : server_failed (server, "looking for the profile", &answer);
  g_autofree char *error = answer1_query_error (answer.text);
  if (error)
    return cannot_look (server, error);
  return answer1_any (answer.text) ? profile_exists (server) : TRUE;
}

/* Checks by writing nothing whether the database is there and whether we may write to it. */
static gboolean
check1 (struct server *server)
{
  g_auto (HttpAnswer) answer = { 0 };
  if (server_send (server, api1_write_nothing (&server->place), FALSE, &answer))
    return look_for_profile1 (server);
  server->must_create = answer.result.connected && answer.result.status == 404
                        && strstr (answer.text, "database not found");
  server->can_count = server->must_create;
  return server->must_create || server_failed (server, "asking whether it may write", &answer);
}

static gboolean
command1 (struct server *server, const char *what, ApiRequest request)
{
  g_auto (HttpAnswer) answer = { 0 };
  if (!server_send (server, request, TRUE, &answer))
    return server_failed (server, what, &answer);
  return !server_query_failed (server, what, &answer);
}

/* -- 2.x ------------------------------------------------------------------- */

static gboolean
find_org (struct server *server)
{
  g_auto (HttpAnswer) answer = { 0 };
  if (!server_send (server, api2_find_orgs (&server->place), FALSE, &answer))
    return is_foreign (&answer) ? cannot_look (server, "it has no /api/v2/orgs")
                                : server_failed (server, "looking for the organisation", &answer);
  g_autofree char *name = NULL;
  int n = answer2_only (answer.text, "orgs", &server->org_id, &name);
  if (n == 1 && name) {
    server->org = g_steal_pointer (&name);
    server->place.org = server->org;
    server->place.org_id = server->org_id;
    return TRUE;
  }
  server_set_error (server,
                    g_strdup_printf (n > 1 ? "%s has several organisations: name one with org="
                                           : "%s has no such organisation, or hides it from this "
                                             "token: check org= and INFLUX_TOKEN",
                                     server->place.url));
  return FALSE;
}

static gboolean
look_for_profile2 (struct server *server)
{
  g_auto (HttpAnswer) answer = { 0 };
  server->can_count = TRUE;
  if (server_send (server, api2_find_profile (&server->place), FALSE, &answer))
    return answer2_any (answer.text) ? profile_exists (server) : TRUE;
  if (answer.result.status == 403 || is_foreign (&answer))
    return cannot_look (server, "the token may not read");
  return server_failed (server, "looking for the profile", &answer);
}

static gboolean
check2 (struct server *server)
{
  g_auto (HttpAnswer) answer = { 0 };
  if (!server->place.org && !find_org (server))
    return FALSE;
  if (!server_send (server, api2_find_bucket (&server->place), FALSE, &answer)) {
    if (is_foreign (&answer))
      return cannot_look (server, "it has no /api/v2/buckets");
    if (answer.result.status != 404)
      return server_failed (server, "looking for the bucket", &answer);
    g_autofree char *error = answer_error (answer.text);
    server->must_create = strstr (error, "bucket") != NULL; /* and not the organisation */
    server->can_count = server->must_create;
    return server->must_create || server_failed (server, "looking for the bucket", &answer);
  }
  g_autofree char *id = NULL, *name = NULL;
  server->must_create = answer2_only (answer.text, "buckets", &id, &name) == 0;
  server->can_count = TRUE;
  return server->must_create || look_for_profile2 (server);
}

static gboolean
command2 (struct server *server, const char *what, ApiRequest request)
{
  g_auto (HttpAnswer) answer = { 0 };
  return server_send (server, request, TRUE, &answer) || server_failed (server, what, &answer);
}

static gboolean
create2 (struct server *server)
{
  if (!server->org_id && !find_org (server))
    return FALSE;
  return command2 (server, "creating the bucket", api2_create (&server->place));
}

/* -- Both ------------------------------------------------------------------ */

static gboolean
run_has_ended (gpointer user)
{
  const struct nprof_host *host = ((struct server *) user)->host;
  return host->cancelled (host);
}

gboolean
server_check (struct server *server)
{
  server_set_stop (server, run_has_ended, server);
  if (!find_api (server))
    return FALSE;
  server_sign (server);
  return server->api == 1 ? check1 (server) : check2 (server);
}

gboolean
server_prepare (struct server *server)
{
  const struct api_place *place = &server->place;
  if (server->must_create)
    return server->api == 1 ? command1 (server, "creating the database", api1_create (place))
                            : create2 (server);
  if (server->must_drop)
    return server->api == 1
               ? command1 (server, "deleting the profile's points", api1_drop_profile (place))
               : command2 (server, "deleting the profile's points", api2_drop_profile (place));
  return TRUE;
}
