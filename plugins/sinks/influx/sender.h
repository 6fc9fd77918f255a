/* SPDX-License-Identifier: Apache-2.0 */
/* sender.h - sends bodies over all connections of a server.  While the server is away, bodies wait
 * on disk, up to a limit; then the sink waits.  The first failure ends all, and is the server's
 * error. */
#pragma once

#include "server.h"

struct sender {
  struct server *server;
  ApiRequest write;
  struct body_queue queue;
  guint64 stored;    /* points                                    */
  gboolean prepared; /* the server is, for the first body         */
  gboolean spooled;
  nprof_status status; /* of the first failure; NPROF_OK: none      */
};

/* `temp` is taken. */
void sender_start (struct sender *sender, struct server *server, struct nprof_temp *temp,
                   guint64 spool_limit);
void sender_clear (struct sender *sender);
/* Lets what is on its way go on, as all functions below do.  NPROF_OK, NPROF_CANCELLED, else the
 * sender has failed: NPROF_E_NOMEM where this machine had no room, NPROF_E_IO. */
nprof_status sender_go (struct sender *sender);
/* Takes the body; waits for room. */
nprof_status sender_push (struct sender *sender, struct body *body);
/* Waits until all bodies are sent. */
nprof_status sender_end (struct sender *sender);
