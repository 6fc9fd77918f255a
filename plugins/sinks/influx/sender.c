/* SPDX-License-Identifier: Apache-2.0 */
/* sender.c - gives bodies to connections, and to the disk while none takes any. */
#include "sender.h"

#include "system/room.h"

#include <errno.h>

/* Fails; the first failure counts, because the others follow from it. */
static nprof_status
fail (struct sender *self, nprof_status status, char *why)
{
  if (why)
    server_set_error (self->server, why);
  self->status = status;
  http_stop (&self->server->http);
  return status;
}

static struct http_call *
idle_call (struct http *http)
{
  for (guint k = 0; k < http->n_calls; k++)
    if (!http->calls[k].body)
      return &http->calls[k];
  return NULL;
}

static gboolean
is_busy (const struct http *http)
{
  for (guint k = 0; k < http->n_calls; k++)
    if (http->calls[k].body)
      return TRUE;
  return FALSE;
}

/* Returns whether the server takes requests over none of the connections. */
static gboolean
is_away (const struct http *http)
{
  for (guint k = 0; k < http->n_calls; k++)
    if (!http->calls[k].body || !http->calls[k].failures)
      return FALSE;
  return TRUE;
}

/* Takes note of the requests that are done. */
static void
collect (struct sender *self)
{
  struct http *http = &self->server->http;
  for (guint k = 0; k < http->n_calls && !self->status; k++) {
    struct http_call *call = &http->calls[k];
    if (!call->body || call->state != HTTP_DONE)
      continue;
    if (http_ok (call))
      self->stored += call->body->points;
    else {
      server_failed (self->server, "writing", &call->answer);
      fail (self, NPROF_E_IO, NULL);
    }
    g_clear_pointer (&call->body, body_free);
  }
}

static nprof_status
go (struct sender *self, int ms)
{
  struct http *http = &self->server->http;
  gboolean ends = !self->status && !http_go (http, ms);
  struct http_call *call;
  collect (self);
  if (ends && !self->status)
    return NPROF_CANCELLED;
  while (!self->status && self->queue.bodies.length && (call = idle_call (http))) {
    struct body *body = body_queue_pop (&self->queue);
    if (body)
      http_begin (call, &self->write, body, TRUE);
    else
      fail (self, np_temp_status (errno),
            g_strdup_printf ("what waits in %s cannot be read again: %s", self->queue.temp->folder,
                             g_strerror (errno)));
  }
  return self->status;
}

static nprof_status
spool (struct sender *self, struct body *body)
{
  self->spooled = TRUE;
  if (body_queue_push (&self->queue, body))
    return NPROF_OK;
  fail (self, np_temp_status (errno),
        g_strdup_printf ("%s: %s: make room there, set TMPDIR to a folder that has some, or "
                         "give spool=0",
                         self->queue.temp->folder, g_strerror (errno)));
  body_free (body);
  return self->status;
}

static nprof_status
prepare (struct sender *self)
{
  const struct nprof_host *host = self->server->http.host;
  self->prepared = TRUE;
  if (server_prepare (self->server))
    return NPROF_OK;
  return host->cancelled (host) ? NPROF_CANCELLED : fail (self, NPROF_E_IO, NULL);
}

void
sender_start (struct sender *self, struct server *server, struct nprof_temp *temp,
              guint64 spool_limit)
{
  self->server = server;
  self->write = api_request (&server->place, server->api == 1 ? API1_WRITE : API2_WRITE, NULL);
  body_queue_init (&self->queue, temp, spool_limit);
}

void
sender_clear (struct sender *self)
{
  api_request_clear (&self->write);
  body_queue_clear (&self->queue);
}

nprof_status
sender_go (struct sender *self)
{
  return go (self, 0);
}

nprof_status
sender_push (struct sender *self, struct body *body)
{
  nprof_status status = self->prepared ? NPROF_OK : prepare (self);
  for (int ms = 0; !status && !(status = go (self, ms)); ms = HTTP_LOOK_MS) {
    struct http_call *call = idle_call (&self->server->http);
    if (call) {
      http_begin (call, &self->write, body, TRUE);
      return go (self, 0);
    }
    if (is_away (&self->server->http) && self->queue.limit
        && body_queue_has_room (&self->queue, body))
      return spool (self, body);
  }
  body_free (body);
  return status;
}

nprof_status
sender_end (struct sender *self)
{
  nprof_status status;
  for (int ms = 0; !(status = go (self, ms)) && is_busy (&self->server->http);)
    ms = HTTP_LOOK_MS;
  return status;
}
