/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - writes the files of a trace that is split: each a whole trace, with what all parts
 * have, and the events that begin in its time. */
#pragma once

#include "split.h"
#include "stream.h"

struct parts {
  const struct nprof_host *host;
  Split *split;            /* planned; all events are on disk                        */
  gboolean gzip;
  const char *separator;   /* before each event but the first                        */
  const char *first;       /* before that                                            */
  /* What a file begins and ends with; part counts from 1. NULL: with nothing. */
  void (*head) (gpointer user, struct nprof_buf *to);
  void (*tail) (gpointer user, struct nprof_buf *to, guint part, guint parts);
  gpointer user;
};

/* Writes n files: the first is the target's own name, the next NAME-2.ENDING and so on.  That the
 * disk failed on which the events wait is in split->spill.failed, with NPROF_E_IO. */
nprof_status parts_write (const struct parts *parts, guint n);
