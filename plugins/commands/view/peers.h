/* SPDX-License-Identifier: Apache-2.0 */
/* peers.h - the connections of a server: whose they are, how many there may be, and how long the
 * head of a request may take. Others cannot take the places of the user who started it. */
#pragma once

#include "base/log.h"

#include <netinet/in.h>

typedef struct NpPeers NpPeers;

typedef struct {
  char address[INET6_ADDRSTRLEN];
  gboolean loopback;
  gboolean own;      /* of the user who started the server, or of root */
  gboolean closed;   /* it is, as soon as it was accepted, and what it sent is not answered */
  gboolean too_many; /* its requests are told so */
  int fd;
  gint64
      since; /* monotonic us: since when its next head may come; 0: a request is being answered */
} NpPeer;

/* any_user: other users of this machine are served too; else the log says once that one came. */
NpPeers *np_peers_new (gboolean any_user, NpLog *log);
/* When no connection is left. */
void np_peers_free (NpPeers *peers);

/* Judges a connection that was accepted. */
NpPeer *np_peer_new (NpPeers *peers, int fd);
void np_peer_free (NpPeers *peers, NpPeer *peer);
/* Notes that the head of its request is here, or that the request was answered. */
void np_peer_note (NpPeers *peers, NpPeer *peer, gboolean asks);
