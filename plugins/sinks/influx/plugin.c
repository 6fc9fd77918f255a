/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink influx: rows and tables as points of InfluxDB 1.x and 2.x.  This file has options
 * and life; points.c and tables.c make lines, body.c makes bodies of them, sender.c sends them. */
#include "influx.h"
#include "secret.h"

#include <string.h>

/* -- Opening --------------------------------------------------------------- */

static nprof_status
open_server (struct influx_sink *self)
{
  struct server *server = &self->server;
  server->api = self->api;
  server->user = influx_given (self->user);
  server->force = self->force;
  server->http = (struct http){ .host = self->host,
                                .url = self->place_url,
                                .token = self->token,
                                .password = self->password,
                                .timeout_ms = self->timeout * 1000 };
  if (!http_open (&server->http, (guint) self->connections))
    return nprof_fail (self->host, NPROF_E_NOMEM,
                       "%d connections could not be set up, for want of memory: lower "
                       "connections=",
                       (int) self->connections);
  if (!server_check (server))
    return self->host->fail (self->host, NPROF_E_IO, server->error);
  influx_tell_unused (self);
  struct nprof_temp *temp = nprof_temp_file (self->host);
  if (!temp)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for a temporary file");
  sender_start (&self->sender, server, temp, self->spool);
  return NPROF_OK;
}

/* Takes the name that the profile has where it is stored, else that of the run's inputs. */
static nprof_status
open_id (struct influx_sink *self)
{
  const char *given = influx_given (self->id);
  if (!given)
    return profile_id (self->host, self->profile);
  if (strlen (given) != PROFILE_ID_SIZE - 1 || !g_str_has_prefix (given, "n_")
      || strspn (given + 2, "0123456789abcdef") != PROFILE_ID_SIZE - 3)
    return nprof_fail (self->host, NPROF_E_OPTION, "id=%s: expected n_ and 40 hex digits", given);
  g_strlcpy (self->profile, given, sizeof self->profile);
  return NPROF_OK;
}

static nprof_status
influx_open (void *data, const struct nprof_host *host)
{
  struct influx_sink *self = data;
  nprof_status status;
  self->host = host;
  counts_init (&self->counts);
  influx_tables_open (self);
  body_maker_init (&self->maker, (guint64) self->batch, self->gzip);
  if ((status = influx_points_open (self)) || (status = open_id (self))
      || (status = influx_open_place (self)) || (status = influx_open_secrets (self)))
    return status;
  return open_server (self);
}

/* -- Lines ----------------------------------------------------------------- */

/* Takes the time of the first file for time 0: points in 1970 lie before what front ends show by
 * default. */
static nprof_status
clock_by_file (struct influx_sink *self)
{
  const struct nprof_input_info *first = self->host->input (self->host, 0);
  if (!first || !first->modified)
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "the profile does not say when it was made, and a pipe has no time of its "
                       "own: give epoch=TIME, as 2025-01-31T12:00:00Z");
  self->clock.origin_ns = (gint64) first->modified * 1000000000;
  self->of_file = TRUE;
  nprof_log (self->host, NPROF_WARNING,
             "the profile does not say when it was made: its times count from when its file was "
             "last changed, and its points have the tag epoch=mtime; epoch= puts them elsewhere");
  return NPROF_OK;
}

nprof_status
influx_set_clock (struct influx_sink *self)
{
  static const gint64 units[] = { 1, 1000, 1000000, 1000000000 };
  const struct nprof_host *host = self->host;
  gint64 origin = host->run (host)->origin_unix_ns, epoch = 0;
  gboolean chosen = influx_given (self->epoch) != NULL;
  if (self->clocked)
    return NPROF_OK;
  self->clocked = TRUE;
  self->clock.unit_ns = units[self->precision];
  self->clock.origin_ns = origin;
  if (chosen && !clock_parse (self->epoch, &epoch))
    return nprof_fail (host, NPROF_E_OPTION,
                       "epoch=%s: expected a time like 2025-01-31T12:00:00Z, or Unix time in ns",
                       self->epoch);
  if (origin != NPROF_NO_EPOCH) {
    if (chosen)
      nprof_log (host, NPROF_WARNING,
                 "epoch=%s is not used: the profile says itself when it was made", self->epoch);
    return NPROF_OK;
  }
  if (!chosen)
    return clock_by_file (self);
  self->clock.origin_ns = epoch;
  return NPROF_OK;
}

/* Says why sending failed; the end of the run says itself. */
static nprof_status
sent (struct influx_sink *self, nprof_status status)
{
  return status && status != NPROF_CANCELLED
             ? self->host->fail (self->host, status, self->server.error)
             : status;
}

static nprof_status
push (struct influx_sink *self, struct body *body)
{
  if (body)
    return sent (self, sender_push (&self->sender, body));
  return body_maker_failed (&self->maker)
             ? nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the lines of a request")
             : NPROF_OK;
}

nprof_status
influx_line (struct influx_sink *self)
{
  nprof_put_char (&self->maker.lines, '\n');
  self->counts.points++;
  return push (self, body_maker_line (&self->maker));
}

static nprof_status
influx_consume (void *data, const struct nprof_batch *batch)
{
  struct influx_sink *self = data;
  nprof_status status = sent (self, sender_go (&self->sender));
  return status ? status : influx_points_consume (self, batch);
}

/* -- The end --------------------------------------------------------------- */

static void
tell_result (struct influx_sink *self)
{
  influx_points_tell (self);
  if (self->left_out)
    nprof_log (self->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " cells of tables hold NaN, infinity or an integer beyond int64, "
               "which InfluxDB has no value for: they were left out",
               self->left_out);
  if (self->sender.spooled)
    nprof_log (self->host, NPROF_INFO,
               "the server was away for a while: what was to be sent waited "
               "on disk");
}

static nprof_status
influx_finish (void *data)
{
  struct influx_sink *self = data;
  const struct api_place *place = &self->server.place;
  nprof_status status = push (self, body_maker_end (&self->maker));
  if (status || (status = sent (self, sender_end (&self->sender))))
    return status;
  tell_result (self);
  if (self->server.can_count && self->counts.points
      && !counts_verify (&self->counts, &self->server))
    return self->host->fail (self->host, NPROF_E_IO, self->server.error);
  self->done = TRUE;
  nprof_log (self->host, NPROF_NOTICE,
             "Profile \"%s\" is ready: %" G_GUINT64_FORMAT " points in %s %s at %s", self->profile,
             self->counts.points, self->server.api == 1 ? "database" : "bucket", place->bucket,
             place->url);
  return NPROF_OK;
}

/* Aborts; the server's stored points cannot be taken back as a file can. */
static void
influx_abort (void *data)
{
  struct influx_sink *self = data;
  if (self->sender.server)
    sender_go (&self->sender); /* what the server has said meanwhile */
  if (!self->sender.stored)
    return;
  nprof_log (self->host, NPROF_WARNING,
             "%" G_GUINT64_FORMAT
             " points of profile \"%s\" were sent before and stay in %s at %s; "
             "force=yes replaces them",
             self->sender.stored, self->profile, self->server.place.bucket, self->server.place.url);
}

static void
influx_close (void *data)
{
  struct influx_sink *self = data;
  sender_clear (&self->sender);
  server_clear (&self->server);
  body_maker_clear (&self->maker);
  influx_points_clear (self);
  influx_tables_clear (self);
  counts_clear (&self->counts);
  secret_free (self->token);
  secret_free (self->password);
  g_free (self->place_url);
}

static const struct nprof_component influx = {
  .size = sizeof influx,
  .kind = NPROF_SINK,
  .name = "influx",
  .summary = "points in InfluxDB 1.x or 2.x, for Grafana and queries over many profiles",
  /* clang-format off */
  .options = NPROF_OPTIONS (
      NPROF_STRING_OPTION (struct influx_sink, url, "url", "http://localhost:8086",
                           "where the server is"),
      NPROF_CHOICE_OPTION (struct influx_sink, api, "api", "auto", "auto|1|2",
                           "version of its interface; auto asks it"),
      NPROF_STRING_OPTION (struct influx_sink, org, "org", "",
                           "2.x: organisation; the only one when not given"),
      NPROF_STRING_OPTION (struct influx_sink, bucket, "bucket", "",
                           "2.x: bucket, made when it is missing; nprof when not given"),
      NPROF_STRING_OPTION (struct influx_sink, db, "db", "",
                           "1.x: database, made when it is missing; nprof when not given"),
      NPROF_STRING_OPTION (struct influx_sink, user, "user", "",
                           "1.x: user; the password comes from INFLUX_PASSWORD or password_file="),
      NPROF_PATH_OPTION (struct influx_sink, password_file, "password_file", "",
                           "1.x: file that holds the password"),
      NPROF_PATH_OPTION (struct influx_sink, token_file, "token_file", "",
                           "2.x: file that holds the token; else INFLUX_TOKEN"),
      NPROF_CHOICE_OPTION (struct influx_sink, precision, "precision", "ns", "ns|us|ms|s",
                           "of the times of points; the field time_ps has the rest"),
      NPROF_INT_OPTION (struct influx_sink, batch, "batch", "50000", "1..1000000",
                        "points a request at most; a request has at most 1 MB"),
      NPROF_BOOL_OPTION (struct influx_sink, gzip, "gzip", "yes", "compress requests"),
      NPROF_INT_OPTION (struct influx_sink, connections, "connections", "2", "1..16",
                        "requests that are sent at once, each over its own connection"),
      NPROF_INT_OPTION (struct influx_sink, timeout, "timeout", "60", "1..86400",
                        "seconds to wait for an answer, and for a server that is away"),
      NPROF_SIZE_OPTION (struct influx_sink, spool, "spool", "256M", "0..1024G",
                         "bytes that wait in TMPDIR while the server is away"),
      NPROF_BOOL_OPTION (struct influx_sink, force, "force", "no",
                         "delete the points of this profile first, when it is there already"),
      NPROF_STRING_OPTION (struct influx_sink, id, "id", "",
                           "tag profile of its points; a digest of the inputs when not given"),
      NPROF_STRING_OPTION (struct influx_sink, epoch, "epoch", "",
                           "when time 0 was, for a profile that does not say: "
                           "2025-01-31T12:00:00Z, or Unix time in ns")),
  /* clang-format on */
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_TRACK,
  .instance_size = sizeof (struct influx_sink),
  .open = influx_open,
  .consume = influx_consume,
  .table = influx_tables_rows,
  .finish = influx_finish,
  .abort = influx_abort,
  .close = influx_close,
};

NPROF_PLUGIN ("influx", NPROF_VERSION, "Apache-2.0", &influx)
