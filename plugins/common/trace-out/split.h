/* SPDX-License-Identifier: Apache-2.0 */
/* split.h - cuts a trace by time into parts of a limited size.  Rows come track by track, so each
 * event waits on disk with its place in time, until it is known how much there is at which time.
 * Knows bytes and times only. */
#pragma once

#include "spill.h"

#include <nprof/format.h>

#define SPLIT_PLACES (1u << 20) /* by which time is told apart */
#define SPLIT_RECORD_MAX (1u << 30) /* bytes of an event: no viewer takes more */
#define SPLIT_EVERYWHERE G_MAXINT64

typedef struct split {
  guint64 limit;     /* bytes a part                                          */
  gint64 width;      /* ns of a place                                         */
  guint64 *weight;   /* bytes, by place                                       */
  guint64 common;    /* bytes that each part has                              */
  gboolean open;     /* a record is, which begins at `record` of the buffer   */
  gsize record;
  guint32 place;     /* its                                                   */
  Spill spill;
  GArray *firsts;    /* of guint32: the first place of each part              */
} Split;

/* `span` is the ns that the trace lasts. */
void split_init (Split *split, const struct nprof_host *host, guint64 limit, gint64 span);
void split_clear (Split *split);
/* `at` is ns from the trace's beginning. */
guint32 split_place (const Split *split, gint64 at);
/* Expects so many bytes at that place. */
void split_expect (Split *split, guint32 place, guint64 bytes);
/* Begins an event of that place (SPLIT_EVERYWHERE: of each part), which the caller now puts into
 * the buffer. */
void split_begin (Split *split, struct nprof_buf *buf, gint64 at);
/* Ends the event (and makes the buffer fail when it is too long); writes the buffer to disk when it
 * is worth it, or in any case. */
void split_flush (Split *split, struct nprof_buf *buf, gboolean all);
/* Decides the parts, at least one; returns how many. */
guint split_plan (Split *split);
guint split_part (const Split *split, guint32 place);
/* Gives the events of the parts from..to - 1 in their order, those of every part once for each.
 * FALSE: it failed, see spill.failed, or `give` did not want any more. */
gboolean split_replay (Split *split, guint from, guint to,
                       gboolean (*give) (gpointer user, guint part, const char *text, gsize len),
                       gpointer user);
