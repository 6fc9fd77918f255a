/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - makes events of rows.  Times are ns, each end rounded down by itself, so that spans that
 * were apart or nested stay so. */
#include "perfetto.h"

#include "trace-out/place.h"

/* -- What all events have -------------------------------------------------- */

static void
put_number (struct perfetto_sink *self, guint own, const guint64 *column, guint i)
{
  if (column && column[i])
    perfetto_put_own (self, &self->body, own, ARG_UINT, column[i]);
}

static void
put_time (struct perfetto_sink *self, guint own, gint64 ps)
{
  perfetto_put_own (self, &self->body, own, ARG_INT, (guint64) ps);
}

static void
put_category (struct perfetto_sink *self, nprof_str category)
{
  if (category)
    perfetto_put_name (self, &self->body, EVENT_CATEGORY_IID, EVENT_CATEGORY, INTERNED_CATEGORIES,
                       category);
}

static void
put_name (struct perfetto_sink *self, nprof_str name)
{
  if (name)
    perfetto_put_name (self, &self->body, EVENT_NAME_IID, EVENT_NAME, INTERNED_EVENT_NAMES, name);
}

static void
put_args (struct perfetto_sink *self, const struct nprof_batch *b, guint i, const struct place *p)
{
  struct nprof_buf *to = &self->body;
  gboolean lasts = b->kind[i] == NPROF_SPAN || b->kind[i] == NPROF_GAP;
  gboolean rounded = p->start % 1000 || p->end % 1000;
  if (rounded)
    put_time (self, OWN_START, p->start);
  if (lasts && b->duration[i] >= 0 && (rounded || (b->kind[i] == NPROF_GAP && b->duration[i])))
    put_time (self, OWN_DURATION, b->duration[i]);
  put_number (self, OWN_ID, b->id, i);
  put_number (self, OWN_PARENT, b->parent, i);
  put_number (self, OWN_FLOW, b->flow, i);
  if (nprof_has_value (b, i)) {
    size_t from = perfetto_begin_own (self, to, OWN_VALUE);
    wire_double (to, ARG_DOUBLE, b->value[i]);
    wire_end (to, from);
  }
  perfetto_put_row_attributes (self, b, i);
}

/* -- Spans ----------------------------------------------------------------- */

/* What a lane, and an arrow's end, have as name and category is the number of the span's event. */
void
perfetto_span_over (gpointer user, guint lane, const struct lane_span *span)
{
  struct perfetto_sink *self = user;
  if (span->end == LANES_OPEN)
    return;
  perfetto_begin_event (self, span->start, span->end, TYPE_END, perfetto_lane_track (self, lane));
  perfetto_end_event (self);
}

static void
put_span (struct perfetto_sink *self, const struct nprof_batch *b, guint i, const struct place *p)
{
  struct lane_span span = { .start = p->at,
                            .end = b->duration[i] < 0 ? LANES_OPEN : p->until,
                            .id = b->id ? b->id[i] : 0 };
  lanes_end (&self->lanes, span.start); /* these ends are events before this one */
  span.name = (guint32) self->n_events;
  span.cat = (guint32) (self->n_events >> 32);
  guint32 track = perfetto_lane_track (self, lanes_add (&self->lanes, &span));
  perfetto_begin_event (self, p->at, p->at, TYPE_BEGIN, track);
  put_name (self, b->name[i]);
  put_category (self, b->category[i]);
  put_args (self, b, i, p);
  perfetto_end_event (self);
}

/* -- Flows ----------------------------------------------------------------- */

static void
put_flow (struct perfetto_sink *self, const struct nprof_batch *b, guint i, gint64 at)
{
  int phase = flows_phase (&self->flows, &self->row_columns);
  if (phase < 0 || !b->flow || !b->flow[i]) {
    self->without_phase++;
    return;
  }
  guint64 id = b->parent ? b->parent[i] : 0;
  guint lane = lanes_find (&self->lanes, at, id);
  const struct lane_span *span = lane == LANES_NONE ? NULL : lanes_open (&self->lanes, lane, id);
  if (!span) {
    self->without_span++;
    return;
  }
  const struct flow_end end
      = { .flow = b->flow[i],
          .time = at,
          .thread = perfetto_lane_track (self, lane),
          .name = span->name,
          .cat = span->cat,
          .phase = (guint) phase & 3,
          .place = self->split.limit ? split_place (&self->split, span->start) : 0 };
  flows_add (&self->flows, &end);
}

void
perfetto_arrow (gpointer user, const struct flow_end *ends, guint n)
{
  struct perfetto_sink *self = user;
  guint from = self->links->len;
  self->n_arrows++; /* its own number: producers use theirs again */
  np_large_array_extend (self->links, from + n);
  for (guint k = 0; k < n; k++)
    g_array_index (self->links, struct link, from + k)
        = (struct link){ .event = (guint64) ends[k].cat << 32 | ends[k].name,
                         .arrow = self->n_arrows,
                         .place = ends[k].place,
                         .last = k == n - 1 };
}

/* -- Moments --------------------------------------------------------------- */

static void
put_instant (struct perfetto_sink *self, const struct nprof_batch *b, guint i,
             const struct place *p)
{
  perfetto_begin_event (self, p->at, p->at, TYPE_INSTANT, perfetto_lane_track (self, 0));
  if (b->kind[i] == NPROF_GAP) {
    size_t from = wire_begin (&self->body, EVENT_NAME);
    struct nprof_cached_string made = nprof_string_cache_get (&self->texts, b->name[i]);
    nprof_put_text (&self->body, "GAP: ");
    nprof_put (&self->body, made.text, made.len);
    wire_end (&self->body, from);
  } else {
    put_name (self, b->name[i]);
  }
  put_category (self, b->category[i]);
  put_args (self, b, i, p);
  perfetto_end_event (self);
}

static nprof_str
unit_of (struct perfetto_sink *self)
{
  for (guint k = 0; k < self->row_columns.n_unmapped; k++) {
    const struct nprof_field *field = self->row_columns.unmapped + k;
    if (field->key == self->unit_key && field->type == NPROF_STRING)
      return field->value.s;
  }
  return 0;
}

static void
put_counter (struct perfetto_sink *self, const struct nprof_batch *b, guint i,
             const struct place *p)
{
  guint32 track = perfetto_counter_track (self, b->name[i], unit_of (self));
  perfetto_begin_event (self, p->at, p->at, TYPE_COUNTER, track);
  double value = b->value[i];
  if (value == trunc (value) && fabs (value) < 9007199254740992.0)
    wire_uint (&self->body, EVENT_COUNT, (guint64) (gint64) value);
  else
    wire_double (&self->body, EVENT_DOUBLE_COUNT, value);
  put_category (self, b->category[i]);
  perfetto_put_attributes (self, &self->body);
  perfetto_end_event (self);
}

/* -- A row ----------------------------------------------------------------- */

/* Returns whether more is asked of the row's attributes than that they are put. */
static gboolean
is_spread (const struct nprof_batch *b, guint i)
{
  const guint kind = b->kind[i];
  return kind == NPROF_FACT || kind == NPROF_FLOW
         || (kind == NPROF_COUNTER && nprof_has_value (b, i));
}

nprof_status
perfetto_row (struct perfetto_sink *self, const struct nprof_batch *b, guint i)
{
  guint kind = b->kind[i];
  self->n_rows++;
  if (is_spread (b, i) && nprof_row_columns_row (&self->row_columns, b, i) != NPROF_OK)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the attributes of an event");
  if (kind > NPROF_GAP) {
    self->unknown_kinds++;
    return NPROF_OK;
  }
  if (kind == NPROF_FACT) {
    perfetto_fact (self, b, i);
    return NPROF_OK;
  }
  const struct place p = place_of (self->base, b, i);
  self->before_zero += p.at < 0;
  perfetto_enter_track (self, b->track[i], p.start);
  if (kind == NPROF_SPAN)
    put_span (self, b, i, &p);
  else if (kind == NPROF_FLOW)
    put_flow (self, b, i, p.at);
  else if (kind == NPROF_COUNTER && nprof_has_value (b, i))
    put_counter (self, b, i, &p);
  else
    put_instant (self, b, i, &p);
  if (self->flows.spill.failed)
    return spill_fail (&self->flows.spill, self->host);
  if (self->spill.failed)
    return spill_fail (&self->spill, self->host);
  return self->waiting.failed
             ? nprof_fail (self->host, NPROF_E_NOMEM, "no memory for an event of this length")
             : NPROF_OK;
}
