/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - when and where a row lies: some layouts state it in the row, others by the number of
 * a track and of moments. */
#include "rocpd.h"

static void
lay_out_times (DbRows *rows, RpPlaceAt *at)
{
  at->start = db_column (rows, "start");
  at->end = db_column (rows, "end");
  at->start_id = db_column (rows, "start_id");
  at->end_id = db_column (rows, "end_id");
}

void
rp_lay_out_place (DbRows *rows, RpPlaceAt *at)
{
  *at = (RpPlaceAt){ .track = db_column (rows, "track_id"),
                     .pid = db_column (rows, "pid"),
                     .tid = db_column (rows, "tid"),
                     .agent = db_column (rows, "agent_id"),
                     .queue = db_column (rows, "queue_id"),
                     .stream = db_column (rows, "stream_id"),
                     .event = db_column (rows, "event_id") };
  lay_out_times (rows, at);
}

static bool
time_of (RpGuid *g, const DbRows *rows, int column, int by_id, gint64 *ns)
{
  gint64 id;
  if (column >= 0)
    return db_int (rows, column, ns);
  const RpStamp *stamp = db_int (rows, by_id, &id) ? ids_find (&g->stamps, id) : NULL;
  if (stamp)
    *ns = stamp->value;
  return stamp != NULL;
}

bool
rp_times (RpGuid *g, const DbRows *rows, const RpPlaceAt *at, gint64 *start, gint64 *end)
{
  return time_of (g, rows, at->start, at->start_id, start)
         && time_of (g, rows, at->end, at->end_id, end);
}

/* What the row itself states goes before what its track does. */
static RpTrack
where_of (RpGuid *g, const DbRows *rows, const RpPlaceAt *at)
{
  gint64 id;
  RpTrack where
      = { 0, ROCM_UNKNOWN, ROCM_UNKNOWN, ROCM_UNKNOWN, ROCM_UNKNOWN, ROCM_UNKNOWN, ROCM_UNKNOWN };
  const RpTrack *track = db_int (rows, at->track, &id) ? ids_find (&g->tracks, id) : NULL;
  if (track)
    where = *track;
  const struct {
    int column;
    gint64 *value;
  } own[] = { { at->pid, &where.pid },
              { at->tid, &where.tid },
              { at->agent, &where.agent },
              { at->queue, &where.queue },
              { at->stream, &where.stream } };
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    db_int (rows, own[i].column, own[i].value);
  return where;
}

bool
rp_place (RpGuid *g, const DbRows *rows, const RpPlaceAt *at, const char *what, RpPlace *place,
          nprof_status *status)
{
  gint64 event;
  *place = (RpPlace){ .span = { .what = what }, .where = where_of (g, rows, at) };
  if (!rp_times (g, rows, at, &place->span.start, &place->span.end)) {
    *status = db_damaged (rows, "start or end is no number, or not in the file");
    return false;
  }
  *status = NPROF_OK;
  place->event = db_int (rows, at->event, &event) ? ids_find (&g->events, event) : NULL;
  place->span.correlation = place->event ? (guint64) place->event->stack : 0;
  place->process = rp_process_of (g, place->where.pid);
  return true;
}

/* -- Before any row: the earliest start, and steps --------------------------------------------- */

typedef struct {
  RpPlaceAt place;
  gint64 *least;
  bool marks; /* its rows may be ranges that name steps */
} Survey;

/* Only ranges are asked for more than their times. */
static void
lay_out (RpGuid *g, DbRows *rows, gpointer data)
{
  Survey *s = data;
  (void) g;
  if (s->marks)
    rp_lay_out_place (rows, &s->place);
  else
    lay_out_times (rows, &s->place);
}

static nprof_status
look_at (RpGuid *g, DbRows *rows, gpointer data)
{
  const Survey *s = data;
  gint64 start, end, event;
  if (!rp_times (g, rows, &s->place, &start, &end) || !rocm_is_span (start, end))
    return NPROF_OK;
  *s->least = MIN (*s->least, start);
  const RpEvent *e
      = s->marks && db_int (rows, s->place.event, &event) ? ids_find (&g->events, event) : NULL;
  if (e && e->message)
    rocm_note_step (rp_process_of (g, where_of (g, rows, &s->place).pid),
                    nprof_text (g->self->rocm.host, e->message), start, end);
  return NPROF_OK;
}

static void
lay_out_sample (RpGuid *g, DbRows *rows, gpointer data)
{
  RpPlaceAt *at = &((Survey *) data)->place;
  (void) g;
  at->start = at->end = db_column (rows, "timestamp");
  at->start_id = at->end_id = db_column (rows, "timestamp_id");
}

nprof_status
rp_survey (RpGuid *g, gint64 *least)
{
  static const char *const tables[]
      = { "region", "kernel_dispatch", "memory_copy", "memory_allocate" };
  Survey s = { .least = least };
  nprof_status status = rp_each (g, "sample", true, lay_out_sample, look_at, &s);
  for (gsize i = 0; i < G_N_ELEMENTS (tables) && !status; i++) {
    s.marks = i == 0;
    status = rp_each (g, tables[i], true, lay_out, look_at, &s);
  }
  return status;
}
