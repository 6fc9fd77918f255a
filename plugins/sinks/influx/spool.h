/* SPDX-License-Identifier: Apache-2.0 */
/* spool.h - bodies that wait on disk, first in, first out, in an unlinked file of a bounded size. */
#pragma once

#include "body.h"

struct spool {
  int fd; /* -1: none was needed yet */
  guint64 limit, from, to;
  guint count;
};

void spool_init (struct spool *spool, guint64 limit);
void spool_clear (struct spool *spool);
/* Would it go beyond the limit?  The first body always fits. */
gboolean spool_has_room (const struct spool *spool, const struct body *body);
/* The body is written and freed.  FALSE: errno says why, and the body is still the caller's. */
gboolean spool_push (struct spool *spool, struct body *body);
/* The oldest; NULL: none, or errno (set to 0 when there is none). */
struct body *spool_pop (struct spool *spool);
