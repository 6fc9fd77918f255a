/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - turns one event into its rows, by its phase.  Begins and ends are kept for pairs.c.
 * format: chrome-trace.md 2.1 */
#include "trace-event/trace-event.h"

nprof_status
ch_damage (ChPart *part, const char *at, const char *what)
{
  nprof_status status = part->host->damage (part->host, ch_at (part->c, at), what);
  return status ? status : ch_lost (part);
}

static void
skip (ChPart *part, const TeEvent *event, const char *what, const char *reason)
{
  part->host->skip (part->host, what, ch_at (part->c, event->at), reason);
}

nprof_str
ch_text (ChPart *part, const TeEvent *event, unsigned field)
{
  if (!te_has (event, field))
    return 0;
  return ch_name (part->names, &event->value[field]);
}

/* -- Times ---------------------------------------------------------------------------- */

static void
note_rounded (ChPart *part, const TeEvent *event, const TeTime *time)
{
  if (time->state == TE_ROUNDED)
    skip (part, event, "digits beyond a picosecond",
          "the time was rounded to the nearest picosecond");
}

/* Sets the start of an event, or returns CH_PASSED_OVER. */
nprof_status
ch_start (ChPart *part, const TeEvent *event, int64_t *start)
{
  nprof_status status = NPROF_OK;
  const char *at = event->value[TE_TS].p;
  if (event->ts.state == TE_NOT_A_TIME)
    status = ch_damage (part, at, "event: ts is no number");
  else if (event->ts.state == TE_TOO_FAR || !te_time_ps (&event->ts, part->c->zero, start)
           || (part->c->own.is && !ch_own_start (part->c, event, start)))
    status = ch_damage (part, at, "event: ts is more than 106 days from the origin");
  else {
    note_rounded (part, event, &event->ts);
    ch_started (part, *start);
    return NPROF_OK;
  }
  return status ? status : CH_PASSED_OVER;
}

/* Sets the duration, -1 where the file does not say it; returns as ch_start does. */
static nprof_status
duration_of (ChPart *part, const TeEvent *event, int64_t start, int64_t *duration)
{
  int64_t end;
  *duration = -1;
  if (!te_has (event, TE_DUR))
    return NPROF_OK;
  bool far = event->dur.state == TE_TOO_FAR;
  if (event->dur.state == TE_NOT_A_TIME) {
    nprof_status status = ch_damage (part, event->value[TE_DUR].p, "event: dur is no number");
    return status ? status : CH_PASSED_OVER;
  }
  note_rounded (part, event, &event->dur);
  if (far || !te_time_ps (&event->dur, 0, duration)
      || (*duration >= 0 && __builtin_add_overflow (start, *duration, &end))) {
    nprof_status status = ch_damage (part, event->value[TE_DUR].p,
                                     "event: it ends more than 106 days from the origin");
    return status ? status : CH_PASSED_OVER;
  }
  if (part->c->own.is)
    ch_own_duration (part->c, event, start, duration);
  if (*duration >= 0)
    return NPROF_OK;
  skip (part, event, "negative dur", "the span is given without an end");
  *duration = -1;
  return NPROF_OK;
}

/* -- Rows -------------------------------------------------------------------------------- */

nprof_status
ch_begin_row (ChPart *part, uint8_t kind, nprof_track track, nprof_str name, int64_t start,
              int64_t duration, const TeEvent *event, const TeEvent *end)
{
  nprof_status status = nprof_row (part->w, kind, track, name, start, duration);
  if (status)
    return status;
  nprof_set_category (part->w, ch_category (part, event));
  part->unreported++;
  if (event->has & (1u << TE_BIND_ID))
    nprof_set_id (part->w, ch_at (part->c, event->at));
  return part->c->want_any ? ch_attrs (part, event, end) : NPROF_OK;
}

static nprof_status
on_thread (ChPart *part, const TeEvent *event, uint8_t kind, int64_t start, int64_t duration)
{
  const ChThread *thread = ch_thread (part, event);
  if (!thread)
    return NPROF_E_NOMEM;
  nprof_str step = kind == NPROF_SPAN && part->c->step_name ? part->c->step_name (part, event) : 0;
  nprof_status status
      = ch_begin_row (part, kind, thread->thread, step ? step : ch_text (part, event, TE_NAME),
                      start, duration, event, NULL);
  TeValue category;
  if (!status && thread->line && !te_has (event, TE_CAT)
      && ch_member_of_args (part->c->scanner, event, NPROF_KEY_HLO_CATEGORY, &category)
      && category.kind == TE_TEXT)
    nprof_set_category (part->w, ch_name (part->names, &category));
  return !status && part->c->dress ? part->c->dress (part, event) : status;
}

static nprof_status
complete (ChPart *part, const TeEvent *event, int64_t start)
{
  int64_t duration;
  nprof_status status = duration_of (part, event, start, &duration);
  return status ? status : on_thread (part, event, NPROF_SPAN, start, duration);
}

/* -- Halves ----------------------------------------------------------------------------------- */

static nprof_status
slice_half (ChPart *part, const TeEvent *event, int64_t start, bool is_end)
{
  const ChThread *thread = ch_thread (part, event);
  if (!thread)
    return NPROF_E_NOMEM;
  ChHalf half = { start, ch_at (part->c, event->at) * 2 + is_end, thread->thread };
  g_array_append_val (part->slices, half);
  return NPROF_OK;
}

static uint64_t
hash_value (uint64_t h, const TeValue *v)
{
  return ch_hash (h, v->p, v->len);
}

/* Returns a key that equal events of one async group share: family, category, name, scope and id;
 * and the process where the id is local to it. */
uint64_t
ch_async_key (ChPart *part, const TeEvent *event, uint64_t family)
{
  static const uint8_t fields[] = { TE_CAT, TE_NAME, TE_SCOPE, TE_ID };
  uint64_t h
      = ch_hash (family, "", 0) ^ (uint64_t) part->c->input->number * UINT64_C (0xd6e8feb86659fd93);
  for (unsigned i = 0; i < sizeof fields; i++)
    h = te_has (event, fields[i]) ? hash_value (h, &event->value[fields[i]]) : ch_hash (h, "", 0);
  TeScan s = { .controls = &part->controls, .with = part->scan.with };
  TeValue key, id;
  if (te_has (event, TE_ID2) && event->value[TE_ID2].kind == TE_OBJECT) {
    s.end = event->value[TE_ID2].p + event->value[TE_ID2].len;
    if (te_member (&s, event->value[TE_ID2].p + 1, &key, &id)) {
      h = hash_value (h, &id);
      if (te_text_is (&key, "local") && te_has (event, TE_PID))
        h = hash_value (h ^ 1, &event->value[TE_PID]);
    }
  }
  return h ? h : 1;
}

static nprof_status
async_half (ChPart *part, const TeEvent *event, int64_t start, bool is_end)
{
  /* Nestable and legacy events never match each other. */
  uint64_t family = event->ph == 'b' || event->ph == 'e' ? 'b' : 'S';
  ChHalf half
      = { start, ch_at (part->c, event->at) * 2 + is_end, ch_async_key (part, event, family) };
  g_array_append_val (part->asyncs, half);
  return NPROF_OK;
}

/* Writes an instant on the async track of the event's process and category, which all ids share. */
static nprof_status
async_instant (ChPart *part, const TeEvent *event, int64_t start)
{
  nprof_track track = ch_async_track (part, event, ch_category (part, event));
  if (!track)
    return NPROF_E_NOMEM;
  return ch_begin_row (part, NPROF_INSTANT, track, ch_text (part, event, TE_NAME), start, 0, event,
                       NULL);
}

/* -- Phases ------------------------------------------------------------------------------------ */

static nprof_status
by_phase (ChPart *part, const TeEvent *event, int64_t start)
{
  switch (event->ph) {
  case 'X':
    return complete (part, event, start);
  case 'B':
  case 'E':
    return slice_half (part, event, start, event->ph == 'E');
  case 'i':
  case 'I':
  case 'R':
  case 'N':
  case 'O':
  case 'D':
    return on_thread (part, event, NPROF_INSTANT, start, 0);
  case 'C':
    return ch_counter (part, event, start);
  case 'b':
  case 'e':
    return async_half (part, event, start, event->ph == 'e');
  case 'S':
  case 'F':
    return async_half (part, event, start, event->ph == 'F');
  case 'n':
  case 'T':
  case 'p':
    return async_instant (part, event, start);
  default:
    return ch_flow (part, event, start);
  }
}

static nprof_status
no_place (ChPart *part, const TeEvent *event)
{
  const TeValue *ph = &event->value[TE_PH];
  if (!te_has (event, TE_PH)) {
    if (event->has) /* an empty event ends the list of some producers */
      skip (part, event, "event without ph", "it does not say what it is");
    return NPROF_OK;
  }
  g_autofree char *what = g_strdup_printf ("phase %.*s", (int) MIN (ph->len, 16), ph->p);
  skip (part, event, what,
        event->ph == 'M' ? "metadata that could not be read before the events"
                         : "no row holds this phase");
  return NPROF_OK;
}

static bool
has_place (char phase)
{
  switch (phase) {
  case 'X':
  case 'B':
  case 'E':
  case 'i':
  case 'I':
  case 'R':
  case 'N':
  case 'O':
  case 'D':
  case 'C':
  case 'b':
  case 'e':
  case 'n':
  case 'S':
  case 'T':
  case 'p':
  case 'F':
  case 's':
  case 't':
  case 'f':
    return true;
  default:
    return false;
  }
}

nprof_status
ch_event (ChPart *part, const TeEvent *event)
{
  int64_t start;
  if (!has_place (event->ph))
    return no_place (part, event);
  if (!te_has (event, TE_TS)) {
    g_autofree char *what = g_strdup_printf ("phase %c without ts", event->ph);
    skip (part, event, what, "it does not say when");
    return NPROF_OK;
  }
  nprof_status status = ch_start (part, event, &start);
  if (!status)
    status = by_phase (part, event, start);
  if (!status && event->has & (1u << TE_BIND_ID))
    status = ch_bound_flow (part, event, start);
  return status == CH_PASSED_OVER ? NPROF_OK : status;
}
