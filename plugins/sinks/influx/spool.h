/* SPDX-License-Identifier: Apache-2.0 */
/* spool.h - bodies that wait on disk, first in, first out, in a temporary file of a bounded size. */
#pragma once

#include "body.h"

#include <nprof/plugin.h>

struct spool {
  struct nprof_temp *temp;
  guint64 limit, from, to;
  guint count;
};

/* temp: taken. */
void spool_init (struct spool *spool, struct nprof_temp *temp, guint64 limit);
void spool_clear (struct spool *spool);
/* Would it go beyond the limit?  The first body always fits. */
gboolean spool_has_room (const struct spool *spool, const struct body *body);
/* The body is written and freed.  FALSE: errno says why, and the body is still the caller's. */
gboolean spool_push (struct spool *spool, struct body *body);
/* The oldest; NULL: none, or errno (set to 0 when there is none). */
struct body *spool_pop (struct spool *spool);
