/* SPDX-License-Identifier: Apache-2.0 */
/* grpc.h - one call of gRPC with one answer, without TLS: HTTP/2 by libcurl, framed as gRPC's
 * public "PROTOCOL-HTTP2" says. */
#pragma once

#include <glib.h>

typedef struct {
  const char *address; /* HOST:PORT */
  const char *path;    /* /package.Service/Method */
  const GByteArray *message;
  guint timeout_ms;
  gboolean (*stopped) (gpointer user); /* looked at while it waits */
  gpointer user;
} NpGrpcCall;

typedef struct {
  int status;        /* of gRPC; -1: none has come */
  char *message;     /* of the server, printable; or NULL */
  GMappedFile *body; /* all frames; NULL: nothing has come */
} NpGrpcAnswer;

void np_grpc_answer_clear (NpGrpcAnswer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpGrpcAnswer, np_grpc_answer_clear)

/* Returns TRUE when the server has answered, with whatever status. FALSE: NP_EXIT_SINK, or
 * NP_EXIT_PLUGIN without libcurl. */
gboolean np_grpc_call (const NpGrpcCall *call, NpGrpcAnswer *answer, GError **error);

/* Returns "UNAVAILABLE (14)"; transfer full. */
char *np_grpc_status_text (int status);

/* The one message in the frames of an answer, as its bytes.  NULL, or what is wrong with them. */
const char *np_grpc_unframe (const guint8 *body, gsize len, const guint8 **message, gsize *size);
