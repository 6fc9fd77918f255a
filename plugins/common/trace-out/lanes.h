/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.h - spreads spans that overlap over lanes, so that in each lane any two spans are
 * apart or one within the other.  Spans come by start; the first lane that has room takes
 * them.  Knows times and lanes only; O(log lanes) a span. */
#pragma once

#include <glib.h>

#define LANES_OPEN (G_MAXINT64 - 1) /* end of a span that has none */
#define LANES_NONE G_MAXUINT

struct lane_span {
  gint64 start, end;
  guint64 id;          /* 0: none                 */
  guint32 name, cat;   /* the caller's            */
  guint32 below;       /* the span that holds it  */
};

typedef struct lanes {
  GArray *spans;       /* of struct lane_span: the open ones of all lanes, 0 unused */
  guint32 free_span;
  GArray *tops;        /* of guint32: a lane's innermost open span; 0: none         */
  gint64 *most, *least; /* trees over `ends` of tops: greatest and least below a node */
  guint width;         /* leaves of the trees: a power of two                       */
  guint n_lanes;
  guint last;          /* lane that took the last span                              */
  gint64 now;          /* start of the last span                                    */
  GArray *fresh;       /* of guint: lanes whose innermost span has no end and starts now */
  /* It is called for each span when a later one (or lanes_close_all) shows that it is over. */
  void (*over) (gpointer user, guint lane, const struct lane_span *span);
  gpointer user;
} Lanes;

void lanes_init (Lanes *lanes);
void lanes_clear (Lanes *lanes);
/* Ends all spans and forgets all lanes. */
void lanes_close_all (Lanes *lanes);
/* Returns the lane of a span; start must not be less than that of the one before.  A span without
 * end takes in only spans that start later: at one time, viewers put those with an end outside. */
guint lanes_add (Lanes *lanes, const struct lane_span *span);
/* Ends the spans that end at `time` or before, as lanes_add does for the start of its span. */
void lanes_end (Lanes *lanes, gint64 time);
/* Returns the open span of the lane that has this id, else its innermost one; NULL: none is
 * open. */
const struct lane_span *lanes_open (Lanes *lanes, guint lane, guint64 id);
/* Returns the lane where an arrow at `time` finds a span: that of span `id` if it is open (0: any),
 * else the one that took the last span, else the first; LANES_NONE. */
guint lanes_find (Lanes *lanes, gint64 time, guint64 id);
/* Returns when the innermost span of a lane that has one began. */
gint64 lanes_innermost (Lanes *lanes, guint lane);
