/* SPDX-License-Identifier: Apache-2.0 */
/* xla-answer.h - the messages of tensorflow.ProfilerService, as far as we need them: what is asked,
 * and where in an answer the profile lies. */
#pragma once

#include <glib.h>

typedef struct {
  guint64 ms;
  const char
      *repository; /* a server that answers no profile writes REPOSITORY/SESSION/HOST.xplane.pb */
  const char *session, *host;
} NpXlaRequest;

GByteArray *np_xla_request (const NpXlaRequest *request);

typedef struct {
  const guint8 *data; /* of the answer */
  gsize size;
} NpXlaPiece;

typedef struct {
  gboolean empty; /* the server says that it recorded nothing */
  GArray *pieces; /* of NpXlaPiece: an XSpace, in order */
} NpXlaAnswer;

/* Returns NULL, or what is wrong at byte *at; answer->pieces is of the caller. */
const char *np_xla_answer (const guint8 *message, gsize size, NpXlaAnswer *answer, gsize *at);
