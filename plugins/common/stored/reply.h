/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h - an answer while it is made: status, type, bytes or a file, and what is wrong. */
#pragma once

#include "stored/json.h"

typedef struct {
  guint status;     /* 200 at first                                               */
  const char *type; /* application/json at first                                  */
  struct nprof_buf body;
  char *etag;      /* of what never changes; NULL: it is not to be kept          */
  char *download;  /* name of a file to save, "": the link has it; NULL: none    */
  char *nonce;     /* of the page                                                */
  gboolean packed; /* the body is gzip already                                  */
  int fd;          /* -1, or a file that is the body; closed with the reply      */
  guint64 fd_bytes;
} NpReply;

void np_reply_init (NpReply *reply);
void np_reply_clear (NpReply *reply);
NpJson np_reply_json (NpReply *reply);

/* Makes it an error: the text is one sentence, `mend` what to do, or "".  `at` is the character of
 * the query's text, or -1.  Returns FALSE. */
gboolean np_reply_fail (NpReply *reply, guint status, const char *mend, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
/* Makes it the error of a command or a call that ended with this exit status. */
gboolean np_reply_ended (NpReply *reply, int status, const char *text);
gboolean np_reply_fail_at (NpReply *reply, guint status, gint64 at, const char *mend,
                           const char *text);
