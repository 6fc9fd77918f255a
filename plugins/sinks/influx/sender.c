/* SPDX-License-Identifier: Apache-2.0 */
/* sender.c - the thread that sends bodies. */
#include "sender.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define LOOK_MS 50 /* how often a waiting sink looks whether the run ends */

/* -- Taking and giving bodies; the lock is held ----------------------------- */

/* Older ones are in memory, newer ones on disk. */
static struct body *
take (struct sender *self)
{
  struct body *body = g_queue_pop_head (&self->bodies);
  if (body || !self->spool.count)
    return body;
  body = spool_pop (&self->spool);
  if (!body) {
    self->failed = TRUE;
    self->cause = g_strdup_printf ("what waits in %s cannot be read again: %s", g_get_tmp_dir (),
                                   g_strerror (errno));
  }
  return body;
}

static gboolean
has_room (struct sender *self, const struct body *body)
{
  if (!self->spool.count && self->bodies.length < SENDER_BODIES)
    return TRUE;
  return self->away && self->spool.limit && spool_has_room (&self->spool, body);
}

static void
give (struct sender *self, struct body *body)
{
  if (!self->spool.count && self->bodies.length < SENDER_BODIES) {
    g_queue_push_tail (&self->bodies, body);
    return;
  }
  self->spooled = TRUE;
  if (spool_push (&self->spool, body))
    return;
  self->failed = TRUE;
  self->cause
      = g_strdup_printf ("%s: %s: make room there, set TMPDIR to a folder that has some, or "
                         "give spool=0",
                         g_get_tmp_dir (), g_strerror (errno));
  body_free (body);
}

/* -- The thread ------------------------------------------------------------ */

static void
set_away (struct sender *self, gboolean away)
{
  pthread_mutex_lock (&self->lock);
  self->away = away;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* The first try tells whether the server is there; while it is not, bodies go to disk. */
static gboolean
send_body (struct sender *self, const struct body *body)
{
  g_auto (HttpAnswer) answer = { 0 };
  gint64 wait;
  const struct http_request request = { .method = "POST",
                                        .url = self->url,
                                        .type = API_LINES,
                                        .body = body->data,
                                        .len = body->len,
                                        .gzip = body->gzip };
  gboolean ok = server_try (self->server, &request, &answer);
  if (!ok && retry_decide (&answer.result, 0, 0, G_MAXINT32, &wait) == RETRY_AGAIN) {
    set_away (self, TRUE);
    ok = server_retry (self->server, &request, &answer);
    set_away (self, FALSE);
  }
  if (!ok)
    return server_failed (self->server, "writing", &answer);
  atomic_fetch_add (&self->stored, body->points);
  return TRUE;
}

static struct body *
wait_for_body (struct sender *self)
{
  struct body *body = NULL;
  pthread_mutex_lock (&self->lock);
  while (!self->failed && !atomic_load (&self->abandon) && !(body = take (self)) && !self->ended)
    pthread_cond_wait (&self->changed, &self->lock);
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return body;
}

static void *
sender_main (void *user)
{
  struct sender *self = user;
  gboolean prepared = FALSE, ok = TRUE;
  for (struct body *body; ok && (body = wait_for_body (self)); body_free (body)) {
    if (!prepared)
      ok = server_prepare (self->server);
    prepared = TRUE;
    ok = ok && send_body (self, body);
  }
  pthread_mutex_lock (&self->lock);
  self->failed |= !ok;
  self->ended = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return NULL;
}

/* -- The sink's side ------------------------------------------------------- */

static gboolean
is_abandoned (gpointer user)
{
  struct sender *self = user;
  const struct nprof_host *host = self->server->host;
  return atomic_load (&self->abandon) || host->progress (host, 0, 0) != NPROF_OK;
}

gboolean
sender_start (struct sender *self, struct server *server, char *url, guint64 spool_limit)
{
  self->server = server;
  self->url = url;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  g_queue_init (&self->bodies);
  spool_init (&self->spool, spool_limit);
  server_set_stop (server, is_abandoned, self);
  self->started = pthread_create (&self->thread, NULL, sender_main, self) == 0;
  return self->started;
}

/* A while, or until something changes. */
static gboolean
wait_a_while (struct sender *self)
{
  struct timespec until;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK_MS * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&self->changed, &self->lock, &until);
  return self->server->host->progress (self->server->host, 0, 0) == NPROF_OK;
}

nprof_status
sender_push (struct sender *self, struct body *body)
{
  gboolean going = TRUE;
  pthread_mutex_lock (&self->lock);
  while (going && !self->failed && !has_room (self, body))
    going = wait_a_while (self);
  gboolean taken = going && !self->failed;
  if (taken)
    give (self, body);
  gboolean failed = self->failed;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (!taken)
    body_free (body);
  return failed ? NPROF_E_IO : going ? NPROF_OK : NPROF_CANCELLED;
}

static void
join (struct sender *self)
{
  if (self->started && !self->joined)
    pthread_join (self->thread, NULL);
  self->joined = TRUE;
}

nprof_status
sender_end (struct sender *self)
{
  pthread_mutex_lock (&self->lock);
  self->ended = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  join (self);
  if (self->failed)
    return NPROF_E_IO;
  return is_abandoned (self) ? NPROF_CANCELLED : NPROF_OK;
}

void
sender_abandon (struct sender *self)
{
  if (!self->started)
    return;
  atomic_store (&self->abandon, true);
  sender_end (self);
}

void
sender_clear (struct sender *self)
{
  if (!self->server)
    return;
  sender_abandon (self);
  for (struct body *body; (body = g_queue_pop_head (&self->bodies));)
    body_free (body);
  spool_clear (&self->spool);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self->url);
  g_free (self->cause);
}

const char *
sender_cause (const struct sender *self)
{
  return self->cause           ? self->cause
         : self->server->error ? self->server->error
                               : "it could not be sent";
}
