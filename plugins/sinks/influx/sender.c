/* SPDX-License-Identifier: Apache-2.0 */
/* sender.c - runs the threads that send bodies. */
#include "sender.h"

#include "system/room.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define LOOK_MS 50 /* how often a waiting sink looks whether the run ends */

/* -- Taking and giving bodies; the lock is held ----------------------------- */

/* Fails; the first failure counts, because the others follow from it. */
static void
fail (struct sender *self, nprof_status status, char *why)
{
  if (self->cause)
    g_free (why);
  else {
    self->cause = why ? why : g_strdup ("it could not be sent");
    self->status = status;
  }
  atomic_store (&self->stop, true);
}

/* Takes a body; older ones are in memory, newer ones on disk. */
static struct body *
take_body (struct sender *self)
{
  struct body *body = g_queue_pop_head (&self->bodies);
  if (body || !self->queue.count)
    return body;
  body = body_queue_pop (&self->queue);
  if (!body)
    fail (self, np_temp_status (errno),
          g_strdup_printf ("what waits in %s cannot be read again: %s", self->queue.temp->folder,
                           g_strerror (errno)));
  return body;
}

static gboolean
has_room (struct sender *self, const struct body *body)
{
  if (!self->queue.count && self->bodies.length < SENDER_BODIES)
    return TRUE;
  return self->away == self->n_workers && self->queue.limit
         && body_queue_has_room (&self->queue, body);
}

static void
queue_body (struct sender *self, struct body *body)
{
  if (!self->queue.count && self->bodies.length < SENDER_BODIES) {
    g_queue_push_tail (&self->bodies, body);
    return;
  }
  self->spooled = TRUE;
  if (body_queue_push (&self->queue, body))
    return;
  fail (self, np_temp_status (errno),
        g_strdup_printf ("%s: %s: make room there, set TMPDIR to a folder that has some, or "
                         "give spool=0",
                         self->queue.temp->folder, g_strerror (errno)));
  body_free (body);
}

/* -- The threads ----------------------------------------------------------- */

static void
add_away (struct sender *self, int more)
{
  pthread_mutex_lock (&self->lock);
  self->away += (guint) more;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
}

/* Sends a body.  The first try tells whether the server is there; while it is not, bodies go to
 * disk. */
static gboolean
send_body (struct sender *self, struct server *server, const struct body *body)
{
  g_auto (HttpAnswer) answer = { 0 };
  gint64 wait;
  const struct http_request request = { .method = "POST",
                                        .url = self->url,
                                        .type = API_LINES,
                                        .body = body->data,
                                        .len = body->len,
                                        .gzip = body->gzip };
  gboolean ok = server_try (server, &request, &answer);
  if (!ok && retry_decide (&answer.result, 0, 0, G_MAXINT32, &wait) == RETRY_AGAIN) {
    add_away (self, 1);
    ok = server_retry (server, &request, &answer);
    add_away (self, -1);
  }
  if (!ok)
    return server_failed (server, "writing", &answer);
  atomic_fetch_add (&self->stored, body->points);
  return TRUE;
}

/* Waits for a body.  Nothing is sent before the server is prepared; *prepare: the caller must do
 * that. */
static struct body *
wait_for_body (struct sender *self, gboolean *prepare)
{
  struct body *body = NULL;
  pthread_mutex_lock (&self->lock);
  while (!atomic_load (&self->stop)
         && (self->state == SENDER_PREPARING || (!(body = take_body (self)) && !self->ended)))
    pthread_cond_wait (&self->changed, &self->lock);
  *prepare = body && self->state == SENDER_FRESH;
  if (*prepare)
    self->state = SENDER_PREPARING;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return body;
}

/* Concludes a step by this server: the sender goes on, or has failed. */
static gboolean
conclude (struct sender *self, struct server *server, gboolean ok)
{
  pthread_mutex_lock (&self->lock);
  self->state = SENDER_READY;
  if (!ok)
    fail (self, NPROF_E_IO, g_steal_pointer (&server->error));
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  return ok;
}

static void *
worker_main (void *user)
{
  struct sender_worker *worker = user;
  struct sender *self = worker->sender;
  struct server *server = &worker->server;
  gboolean ok = TRUE, prepare;
  for (struct body *body; ok && (body = wait_for_body (self, &prepare)); body_free (body)) {
    if (prepare)
      ok = conclude (self, self->server, server_prepare (self->server));
    ok = ok && conclude (self, server, send_body (self, server, body));
  }
  return NULL;
}

/* -- The sink's side ------------------------------------------------------- */

static gboolean
is_stopped (gpointer user)
{
  struct sender *self = user;
  const struct nprof_host *host = self->server->host;
  return atomic_load (&self->stop) || host->cancelled (host);
}

static gboolean
start_worker (struct sender *self)
{
  struct sender_worker *worker = &self->workers[self->n_workers];
  worker->sender = self;
  if (!server_clone (self->server, &worker->server))
    return FALSE;
  if (pthread_create (&worker->thread, NULL, worker_main, worker) == 0) {
    self->n_workers++;
    return TRUE;
  }
  server_clear (&worker->server);
  return FALSE;
}

gboolean
sender_start (struct sender *self, struct server *server, char *url, guint connections,
              struct nprof_temp *temp, guint64 spool_limit)
{
  self->server = server;
  self->url = url;
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->changed, NULL);
  g_queue_init (&self->bodies);
  body_queue_init (&self->queue, temp, spool_limit);
  server_set_stop (server, is_stopped, self);
  self->workers = g_new0 (struct sender_worker, connections);
  while (self->n_workers < connections)
    if (!start_worker (self))
      return FALSE;
  return TRUE;
}

/* Waits a while, or until something changes. */
static gboolean
wait_a_while (struct sender *self)
{
  struct timespec until;
  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK_MS * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_cond_timedwait (&self->changed, &self->lock, &until);
  return !self->server->host->cancelled (self->server->host);
}

nprof_status
sender_push (struct sender *self, struct body *body)
{
  gboolean going = TRUE;
  pthread_mutex_lock (&self->lock);
  while (going && !self->cause && !has_room (self, body))
    going = wait_a_while (self);
  gboolean taken = going && !self->cause;
  if (taken)
    queue_body (self, body);
  nprof_status failed = self->cause ? self->status : NPROF_OK;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  if (!taken)
    body_free (body);
  return failed ? failed : going ? NPROF_OK : NPROF_CANCELLED;
}

static void
join (struct sender *self)
{
  for (guint k = 0; k < self->n_workers; k++) {
    pthread_join (self->workers[k].thread, NULL);
    server_clear (&self->workers[k].server);
  }
  self->n_workers = 0;
}

nprof_status
sender_end (struct sender *self)
{
  pthread_mutex_lock (&self->lock);
  self->ended = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->lock);
  join (self);
  if (self->cause)
    return self->status;
  return is_stopped (self) ? NPROF_CANCELLED : NPROF_OK;
}

void
sender_abandon (struct sender *self)
{
  if (!self->server)
    return;
  atomic_store (&self->stop, true);
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
  body_queue_clear (&self->queue);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->changed);
  g_free (self->workers);
  g_free (self->url);
  g_free (self->cause);
}

const char *
sender_cause (const struct sender *self)
{
  return self->cause;
}
