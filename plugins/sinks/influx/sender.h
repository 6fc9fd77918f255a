/* SPDX-License-Identifier: Apache-2.0 */
/* sender.h - the threads that send bodies, each over a connection of its own, so that making bodies
 * and sending them overlap.  A few wait in memory; while the server is away, more wait on disk, up
 * to a limit; then the sink waits.  The first failure ends all. */
#pragma once

#include "body-queue.h"
#include "server.h"

#include <pthread.h>
#include <stdatomic.h>

#define SENDER_BODIES 4 /* in memory, beside those that are being sent */

struct sender;

struct sender_worker {
  struct sender *sender;
  struct server server;      /* a clone of the sender's                            */
  pthread_t thread;
};

struct sender {
  struct server *server;     /* prepares; not the caller's while the threads run   */
  char *url;                 /* to write to                                        */
  struct sender_worker *workers;
  guint n_workers;           /* whose threads run                                  */
  atomic_bool stop;          /* what is not sent yet is not wanted any more        */
  atomic_ullong stored;      /* points                                             */
  pthread_mutex_t lock;      /* of all below                                       */
  pthread_cond_t changed;
  GQueue bodies;             /* of struct body                                     */
  struct body_queue queue;
  enum { SENDER_FRESH, SENDER_PREPARING, SENDER_READY } state;
  guint away;                /* workers whom the server does not answer just now   */
  gboolean ended;            /* no more bodies come                                */
  gboolean spooled;
  char *cause;               /* of the first failure; NULL: there is none          */
  nprof_status status;       /* likewise                                           */
};

/* `url` and `temp` are taken.  FALSE: not all connections could be set up; sender_clear is due all
 * the same. */
gboolean sender_start (struct sender *sender, struct server *server, char *url,
                       guint connections, struct nprof_temp *temp, guint64 spool_limit);
/* Takes the body; waits for room.  NPROF_OK, NPROF_CANCELLED, else the sender has failed and has a
 * cause: NPROF_E_NOMEM where this machine had no room, NPROF_E_IO. */
nprof_status sender_push (struct sender *sender, struct body *body);
/* Ends the bodies, waits until all are sent, and returns as sender_push. */
nprof_status sender_end (struct sender *sender);
/* Drops the bodies that are not sent, and ends the threads. */
void sender_abandon (struct sender *sender);
void sender_clear (struct sender *sender);
/* Returns why it failed. */
const char *sender_cause (const struct sender *sender);
