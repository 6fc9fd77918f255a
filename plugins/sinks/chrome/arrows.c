/* SPDX-License-Identifier: Apache-2.0 */
/* arrows.c - writes rows of kind flow as events s, t, f.  Viewers draw an arrow between spans, so
 * each end is bound to the thread whose span holds it; flows.c finds the partners. */
#include "chrome.h"

#define ARROW_BYTES 160 /* of an end in the file, about: names are short */

/* Finds the place of an end, which must be where the span is that holds it. */
static guint32
find_place (struct chrome_sink *self, guint lane)
{
  if (!self->split.limit)
    return 0;
  guint32 place = split_place (&self->split, lanes_innermost (&self->lanes, lane));
  split_expect (&self->split, place, ARROW_BYTES);
  return place;
}

static gboolean
is_cut (struct chrome_sink *self, const struct flow_end *ends, guint n)
{
  if (!self->split.limit)
    return FALSE;
  guint part = split_part (&self->split, ends[0].place);
  for (guint k = 1; k < n; k++)
    if (split_part (&self->split, ends[k].place) != part)
      return TRUE;
  return FALSE;
}

void
chrome_flow (struct chrome_sink *self, const struct nprof_batch *b, guint i, gint64 at)
{
  int phase = flows_phase (&self->flows, &self->row_columns);
  guint lane = LANES_NONE;
  if (phase < 0 || !b->flow || !b->flow[i]) {
    self->without_phase++;
    return;
  }
  if (self->track_kind != NPROF_TRACK_ASYNC)
    lane = lanes_find (&self->lanes, at, b->parent ? b->parent[i] : 0);
  if (lane == LANES_NONE) {
    self->without_span++;
    return;
  }
  const struct flow_end end = { .flow = b->flow[i],
                                .time = at,
                                .thread = chrome_lane_thread (self, lane),
                                .name = b->name[i],
                                .cat = b->category[i],
                                .phase = (guint) phase & 3,
                                .place = find_place (self, lane) };
  flows_add (&self->flows, &end);
}

void
chrome_arrow (gpointer user, const struct flow_end *ends, guint n)
{
  struct chrome_sink *self = user;
  struct nprof_buf *to = &self->out.buf;
  if (is_cut (self, ends, n)) {
    self->cut_arrows++;
    return;
  }
  guint32 id = ++self->last_flow; /* its own: producers use theirs again */
  for (guint k = 0; k < n; k++) {
    char phase = k == 0 ? 's' : k == n - 1 && ends[k].phase == FLOW_END ? 'f' : 't';
    guint32 pid = g_array_index (self->pids, guint32, ends[k].thread);
    chrome_begin (self, phase, pid, ends[k].thread, ends[k].place * self->split.width);
    chrome_put_ts (to, ",\"ts\":", ends[k].time);
    nprof_put_text (to, ",\"bp\":\"e\",\"id\":");
    nprof_put_u64 (to, id);
    chrome_put_str (self, to, ",\"name\":\"", ends[0].name);
    chrome_put_str (self, to, ",\"cat\":\"", ends[0].cat);
    nprof_put_char (to, '}');
  }
  if (self->split.limit)
    split_flush (&self->split, to, FALSE);
}
