/* SPDX-License-Identifier: Apache-2.0 */
/* sender.h - the thread that sends bodies, so that making them and sending them overlap.  A few wait
 * in memory; while the server is away, more wait on disk, up to a limit; then the sink waits. */
#pragma once

#include "server.h"
#include "spool.h"

#include <pthread.h>
#include <stdatomic.h>

#define SENDER_BODIES 4 /* in memory */

struct sender {
  struct server *server;     /* the thread's while it runs                         */
  char *url;                 /* to write to                                        */
  pthread_t thread;
  gboolean started, joined;
  pthread_mutex_t lock;      /* of all below                                       */
  pthread_cond_t changed;
  GQueue bodies;             /* of struct body                                     */
  struct spool spool;
  gboolean ended;            /* no more bodies come                                */
  gboolean away;             /* the server does not answer just now                */
  gboolean failed;           /* server->error or `cause` says why                  */
  char *cause;
  atomic_bool abandon;       /* what is not sent yet is not wanted any more        */
  atomic_ullong stored;      /* points                                             */
  gboolean spooled;
};

/* url is taken. */
gboolean sender_start (struct sender *sender, struct server *server, char *url, guint64 spool_limit);
/* Takes the body; waits for room.  NPROF_OK, NPROF_E_IO (the sender has failed), NPROF_CANCELLED. */
nprof_status sender_push (struct sender *sender, struct body *body);
/* No more bodies: waits until all are sent.  As above. */
nprof_status sender_end (struct sender *sender);
/* Drops what is not sent, ends the thread. */
void sender_abandon (struct sender *sender);
void sender_clear (struct sender *sender);
/* Why it failed. */
const char *sender_cause (const struct sender *sender);
