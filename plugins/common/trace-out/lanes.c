/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.c - spreads spans that overlap over lanes.  Two trees over the ends of the innermost
 * spans find the lanes whose span is over, and the first lane that has room. */
#include "lanes.h"

#include <string.h>

#define EMPTY G_MAXINT64  /* end of a lane without an open span: room for all */
#define LANES_SEARCHED 64 /* for the span that an arrow names */

static struct lane_span *
span_at (Lanes *lanes, guint32 at)
{
  return &g_array_index (lanes->spans, struct lane_span, at);
}

static guint32 *
top_of (Lanes *lanes, guint lane)
{
  return &g_array_index (lanes->tops, guint32, lane);
}

void
lanes_init (Lanes *lanes)
{
  lanes->spans = g_array_new (FALSE, TRUE, sizeof (struct lane_span));
  lanes->tops = g_array_new (FALSE, TRUE, sizeof (guint32));
  lanes->fresh = g_array_new (FALSE, TRUE, sizeof (guint));
  g_array_set_size (lanes->spans, 1);
}

void
lanes_clear (Lanes *lanes)
{
  g_clear_pointer (&lanes->spans, g_array_unref);
  g_clear_pointer (&lanes->tops, g_array_unref);
  g_clear_pointer (&lanes->fresh, g_array_unref);
  g_clear_pointer (&lanes->most, g_free);
  g_clear_pointer (&lanes->least, g_free);
}

/* Updates the trees when the end of a lane's innermost span has changed. */
static void
update (Lanes *lanes, guint lane)
{
  guint32 top = *top_of (lanes, lane);
  guint at = lanes->width + lane;
  gint64 end = top ? span_at (lanes, top)->end : EMPTY;
  gboolean fresh = end == LANES_OPEN && span_at (lanes, top)->start == lanes->now;
  lanes->most[at] = fresh ? G_MININT64 : end;
  lanes->least[at] = end;
  for (at /= 2; at; at /= 2) {
    lanes->most[at] = MAX (lanes->most[2 * at], lanes->most[2 * at + 1]);
    lanes->least[at] = MIN (lanes->least[2 * at], lanes->least[2 * at + 1]);
  }
}

static void
widen (Lanes *lanes)
{
  lanes->width = lanes->width ? lanes->width * 2 : 1;
  lanes->most = g_renew (gint64, lanes->most, 2 * lanes->width);
  lanes->least = g_renew (gint64, lanes->least, 2 * lanes->width);
  for (guint k = 0; k < 2 * lanes->width; k++) {
    lanes->most[k] = G_MININT64; /* no lane there: no room, never over */
    lanes->least[k] = EMPTY;
  }
  for (guint lane = 0; lane < lanes->n_lanes; lane++)
    update (lanes, lane);
}

static guint
add_lane (Lanes *lanes)
{
  const guint32 none = 0;
  if (lanes->n_lanes == lanes->width)
    widen (lanes);
  g_array_append_val (lanes->tops, none);
  update (lanes, lanes->n_lanes);
  return lanes->n_lanes++;
}

static void
pop (Lanes *lanes, guint lane)
{
  guint32 top = *top_of (lanes, lane);
  struct lane_span *span = span_at (lanes, top);
  if (lanes->over)
    lanes->over (lanes->user, lane, span);
  *top_of (lanes, lane) = span->below;
  span->below = lanes->free_span;
  lanes->free_span = top;
  update (lanes, lane);
}

void
lanes_end (Lanes *lanes, gint64 time)
{
  while (lanes->width && lanes->least[1] <= time) {
    guint at = 1;
    while (at < lanes->width)
      at = 2 * at + (lanes->least[2 * at] > time);
    pop (lanes, at - lanes->width);
  }
}

/* Returns the first lane whose innermost span ends at `end` or later, or that has none. */
static guint
first_with_room (Lanes *lanes, gint64 end)
{
  guint at = 1;
  if (!lanes->width || lanes->most[1] < end)
    return add_lane (lanes);
  while (at < lanes->width)
    at = 2 * at + (lanes->most[2 * at] < end);
  return at - lanes->width;
}

static void
set_time (Lanes *lanes, gint64 time)
{
  if (time == lanes->now)
    return;
  lanes->now = time;
  for (guint k = 0; k < lanes->fresh->len; k++)
    update (lanes, g_array_index (lanes->fresh, guint, k));
  g_array_set_size (lanes->fresh, 0);
}

guint
lanes_add (Lanes *lanes, const struct lane_span *span)
{
  lanes_end (lanes, span->start);
  set_time (lanes, span->start);
  guint lane = first_with_room (lanes, span->end);
  guint32 at = lanes->free_span;
  if (at) {
    lanes->free_span = span_at (lanes, at)->below;
  } else {
    at = lanes->spans->len;
    g_array_set_size (lanes->spans, at + 1);
  }
  *span_at (lanes, at) = *span;
  span_at (lanes, at)->below = *top_of (lanes, lane);
  *top_of (lanes, lane) = at;
  update (lanes, lane);
  if (span->end == LANES_OPEN)
    g_array_append_val (lanes->fresh, lane);
  lanes->last = lane;
  return lane;
}

void
lanes_close_all (Lanes *lanes)
{
  lanes_end (lanes, EMPTY - 1);
  g_array_set_size (lanes->tops, 0);
  g_array_set_size (lanes->spans, 1);
  g_array_set_size (lanes->fresh, 0);
  g_clear_pointer (&lanes->most, g_free);
  g_clear_pointer (&lanes->least, g_free);
  lanes->free_span = lanes->width = lanes->n_lanes = lanes->last = 0;
}

static guint
find_id (Lanes *lanes, guint64 id)
{
  for (guint lane = 0; lane < MIN (lanes->n_lanes, LANES_SEARCHED); lane++)
    for (guint32 at = *top_of (lanes, lane); at; at = span_at (lanes, at)->below)
      if (span_at (lanes, at)->id == id)
        return lane;
  return LANES_NONE;
}

guint
lanes_find (Lanes *lanes, gint64 time, guint64 id)
{
  lanes_end (lanes, time - 1); /* an arrow may start where a span ends */
  guint lane = id ? find_id (lanes, id) : LANES_NONE;
  if (lane != LANES_NONE || !lanes->width || lanes->least[1] == EMPTY)
    return lane;
  if (*top_of (lanes, lanes->last))
    return lanes->last;
  guint at = 1;
  while (at < lanes->width)
    at = 2 * at + (lanes->least[2 * at] == EMPTY);
  return at - lanes->width;
}

gint64
lanes_innermost (Lanes *lanes, guint lane)
{
  return g_array_index (lanes->spans, struct lane_span, *top_of (lanes, lane)).start;
}

const struct lane_span *
lanes_open (Lanes *lanes, guint lane, guint64 id)
{
  guint32 top = *top_of (lanes, lane);
  for (guint32 at = top; at && id; at = span_at (lanes, at)->below)
    if (span_at (lanes, at)->id == id)
      return span_at (lanes, at);
  return top ? span_at (lanes, top) : NULL;
}
