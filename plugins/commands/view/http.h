/* SPDX-License-Identifier: Apache-2.0 */
/* http.h - sockets, connections and their limits, headers: requests come out, replies go in. */
#pragma once

#include "stored/reply.h"
#include "request.h"
#include "view.h"

#define NP_BODY_MAX (1u << 20) /* of JSON */

typedef struct NpHttp NpHttp;

typedef struct { /* all are called on threads of connections */
  /* Makes the reply. */
  void (*answer) (gpointer user, NpRequest *request, NpReply *reply);
  /* It is called when a body of bytes comes for this request; FALSE: the reply says why it is not
   * taken. */
  gboolean (*begin_body) (gpointer user, NpRequest *request, guint64 bytes, NpReply *reply);
  gboolean (*body) (gpointer user, NpRequest *request, const void *data, gsize len, NpReply *reply);
  void (*end_body) (gpointer user,
                    NpRequest *request); /* what begin_body began, when nobody asks any more */
  gpointer user;
} NpHttpHandler;

/* Listens at once.  Port 0 is any free one.  FALSE with an error that names what to do. */
NpHttp *np_http_start (const NpViewConfig *config, const char *token, const NpHttpHandler *handler,
                       NpLog *log, GError **error);
guint np_http_port (const NpHttp *http);
/* Waits until all requests have ended. */
void np_http_stop (NpHttp *http);
