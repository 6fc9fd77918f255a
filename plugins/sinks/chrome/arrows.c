/* SPDX-License-Identifier: Apache-2.0 */
/* arrows.c - rows of kind flow as events s, t, f.  Viewers draw an arrow between spans, so each
 * end is bound to the thread whose span holds it; flows.c finds the partners. */
#include "chrome.h"

static int
flow_phase (struct chrome_sink *self)
{
  for (guint k = 0; k < self->spread.n_rest; k++) {
    const struct nprof_field *field = self->spread.rest + k;
    for (int phase = FLOW_BEGIN; phase <= FLOW_END && field->key == self->phase_key; phase++)
      if (field->type == NPROF_STRING && field->value.s == self->phases[phase])
        return phase;
  }
  return -1;
}

void
chrome_flow (struct chrome_sink *self, const struct nprof_batch *b, guint i, gint64 at)
{
  int phase = flow_phase (self);
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
                                .phase = (guint16) phase };
  flows_add (&self->flows, &end);
}

void
chrome_arrow (gpointer user, const struct flow_end *ends, guint n)
{
  struct chrome_sink *self = user;
  struct nprof_buf *to = &self->out.buf;
  guint32 id = ++self->last_flow; /* its own: producers use theirs again */
  for (guint k = 0; k < n; k++) {
    char phase = k == 0 ? 's' : k == n - 1 && ends[k].phase == FLOW_END ? 'f' : 't';
    guint32 pid = g_array_index (self->pids, guint32, ends[k].thread);
    chrome_begin (self, phase, pid, ends[k].thread);
    chrome_put_ts (to, ",\"ts\":", ends[k].time);
    nprof_put_text (to, ",\"bp\":\"e\",\"id\":");
    nprof_put_u64 (to, id);
    chrome_put_str (self, to, ",\"name\":\"", ends[0].name);
    chrome_put_str (self, to, ",\"cat\":\"", ends[0].cat);
    nprof_put_char (to, '}');
  }
}
