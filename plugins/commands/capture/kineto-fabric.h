/* SPDX-License-Identifier: Apache-2.0 */
/* kineto-fabric.h - the messages by which libkineto asks a daemon, dynolog, for what it shall
 * record: datagrams between sockets of this machine. Their layout is that of dynolog's ipcfabric,
 * which is public. */
#pragma once

#include <glib.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NP_FABRIC_PIDS 64 /* libkineto sends at most 11: the process and its ancestors */

typedef enum { NP_FABRIC_OTHER, NP_FABRIC_CONTEXT, NP_FABRIC_REQUEST } NpFabricKind;

typedef struct {
  NpFabricKind kind;
  gint32 type;  /* of a request: 2 is set when it asks for activities */
  guint n_pids; /* the sender's own first, of a request then its ancestors */
  gint32 pids[NP_FABRIC_PIDS];
  struct sockaddr_un sender;
  socklen_t sender_len;
} NpFabricMessage;

/* The socket that processes ask; folder: of $KINETO_IPC_SOCKET_DIR, or NULL. -1: NP_EXIT_SINK.
 * *path: to be removed by np_fabric_close, or NULL; owned. */
int np_fabric_open (const char *folder, char **path, GError **error);
void np_fabric_close (int fd, char *path);

/* Reads what a datagram of `len` bytes says.  FALSE: it is none of the fabric's. */
gboolean np_fabric_parse (const guint8 *data, gsize len, NpFabricMessage *message);
/* FALSE: none is there. */
gboolean np_fabric_take (int fd, NpFabricMessage *message);
/* Answers a message; the sender may have gone away meanwhile. */
void np_fabric_answer (int fd, const NpFabricMessage *to, const void *data, gsize len);
