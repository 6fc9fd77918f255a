/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - goes once over the brackets of a trace: where the parts begin, what metadata says, where
 * the array ends. origin.c finds time 0. */
#include "trace-event/plan.h"

#define MOST_METAS (1u << 20) /* ranges kept; metadata beyond is read once more and skipped */
#define NEAR 128              /* bytes in which the ph of an event is looked for          */
#define TAIL (64u << 10)      /* of a damaged file, searched for baseTimeNanoseconds       */

/* -- Metadata -------------------------------------------------------------------------- */

/* Returns the { of the event that p is in, by brackets and quotes backwards; p is outside of
 * strings, at the top level of the event.  NULL: it is not between floor and p. */
const char *
ch_event_start (const char *p, const char *floor)
{
  for (int64_t depth = 0; p > floor;) {
    char c = *--p;
    if (c == '}' || c == ']') {
      depth++;
    } else if (c == '{' || c == '[') {
      if (depth-- == 0)
        return c == '{' ? p : NULL;
    } else if (c == '"') {
      const char *first;
      do { /* the quote that opens the string: not behind an odd number of backslashes */
        p = memrchr (floor, '"', (size_t) (p - floor));
        for (first = p; p && first > floor && first[-1] == '\\';)
          first--;
      } while (p && (p - first) & 1);
      if (!p)
        return NULL;
    }
  }
  return NULL;
}

const char *
ch_event_start_of_arg (const char *p, const char *floor)
{
  const char *args = ch_event_start (p, floor);
  return args ? ch_event_start (args, floor) : NULL;
}

static const char *
separators (const char *p, const char *end)
{
  while (p < end && (*p == ',' || *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
}

/* Returns whether metadata repeats what the last one of its kind said, by its bytes. */
static bool
said_before (ChPlan *plan, const TeEvent *event)
{
  const uint32_t needed = 1u << TE_NAME | 1u << TE_ARGS | 1u << TE_PID;
  if ((event->has & needed) != needed)
    return false;
  const TeValue *pid = &event->value[TE_PID], *args = &event->value[TE_ARGS],
                *name = &event->value[TE_NAME];
  TeValue none = { .p = "" }, tid = te_has (event, TE_TID) ? event->value[TE_TID] : none;
  uint64_t h
      = ch_hash (ch_hash (ch_hash (0, name->p, name->len), pid->p, pid->len), tid.p, tid.len);
  ChSeenArgs *seen = &plan->seen[h % G_N_ELEMENTS (plan->seen)];
  bool same = seen->args && seen->hash == h && seen->args_len == args->len
              && seen->name_len == name->len && seen->pid_len == pid->len
              && seen->tid_len == tid.len && memcmp (seen->args, args->p, args->len) == 0
              && memcmp (seen->name, name->p, name->len) == 0
              && memcmp (seen->pid, pid->p, pid->len) == 0
              && memcmp (seen->tid, tid.p, tid.len) == 0;
  *seen
      = (ChSeenArgs){ h, args->p, name->p, pid->p, tid.p, args->len, name->len, pid->len, tid.len };
  return same;
}

/* Returns whether "M" stands in the first bytes of what begins at p. */
static bool
is_near (const char *p, const char *end)
{
  const char *last = p + MIN (NEAR, end - p) - 2;
  for (p++; p < last && (p = memchr (p, 'M', (size_t) (last - p))); p++)
    if (p[-1] == '"' && p[1] == '"')
      return true;
  return false;
}

/* Reads metadata from p, which is the { of such an event, as long as it goes on.  Returns what
 * is behind the last one; NULL: p is none that can be read. */
static const char *
read_metas (ChPlan *plan, const char *p)
{
  Chrome *c = plan->c;
  const char *behind = NULL;
  TeEvent event;
  for (const char *next;; p = separators (next, c->end)) {
    bool near = !behind || is_near (p, c->end);
    plan->controls = (TeControls){ 0 }; /* other events are counted in their part */
    if (!near || p >= c->end || *p != '{' || !(next = c->scanner->event (&plan->scan, p, &event))
        || event.ph != 'M')
      return behind;
    if (!said_before (plan, &event) || !ch_is_label (&event))
      ch_label (c, &event);
    ch_take_controls (c, &plan->controls);
    behind = next;
  }
}

static void
add_range (Chrome *c, const char *from, const char *to)
{
  ChRange range = { from, to };
  if (c->metas->len < MOST_METAS)
    g_array_append_val (c->metas, range);
}

/* The index came by an event's "ph": "M", which ends at `at`. */
static void
found_meta (ChPlan *plan, const char *at)
{
  if (at <= plan->floor)
    return;
  const char *from = ch_event_start (at - 3, plan->floor);
  plan->floor = at; /* nothing is looked at twice */
  const char *to = from ? read_metas (plan, from) : NULL;
  if (!to)
    return; /* damaged, or far away: decode_part will say so */
  add_range (plan->c, from, to);
  plan->floor = to;
}

/* -- The index ------------------------------------------------------------------------------- */

static void
add_cut (Chrome *c, const char *p)
{
  g_ptr_array_add (c->parts, (gpointer) p);
}

/* Notes the events behind the place where the index ended, which it did not read. */
static nprof_status
note_rest (Chrome *c, const char *p)
{
  nprof_status status = NPROF_OK;
  while (c->note && p < c->events_end && !status) {
    const char *from = p;
    p += MIN (CH_REPORT, c->events_end - p);
    c->note (c, from, p, c->noted);
    status = c->host->progress (c->host, ch_at (c, from), ch_at (c, p));
  }
  return status;
}

static void
take_piece (ChPlan *plan, const ChPiece *piece)
{
  for (guint i = 0; piece->metas && i < piece->metas->len; i++)
    found_meta (plan, g_ptr_array_index (piece->metas, i));
  for (guint i = 0; piece->names && i < piece->names->len && plan->c->noted->len < CH_MOST_NOTED;
       i++)
    g_ptr_array_add (plan->c->noted, g_ptr_array_index (piece->names, i));
}

/* The piece that begins at p, if one does; they are in order, and so are the calls. */
static ChPiece *
piece_at (GArray *pieces, guint *next, const char *p)
{
  for (; *next < pieces->len; (*next)++) {
    ChPiece *piece = &g_array_index (pieces, ChPiece, *next);
    if (piece->from && piece->from >= p)
      return piece->from == p ? piece : NULL;
  }
  return NULL;
}

/* The pieces from `from` on, one after the other. *last: the one that ends the events; no
 * arrays. */
static nprof_status
join_pieces (ChPlan *plan, const char *from, GArray *pieces, ChPiece *last)
{
  Chrome *c = plan->c;
  nprof_status status = NPROF_OK;
  *last = (ChPiece){ .to = from, .what = TE_INDEX_CUT };
  for (guint next = 0; !status && last->what == TE_INDEX_CUT;) {
    ChPiece own = { .from = last->to }, *piece = piece_at (pieces, &next, own.from);
    if (!piece)
      status = ch_piece_index (c, piece = &own);
    take_piece (plan, piece);
    *last = (ChPiece){ .to = piece->to, .what = piece->what };
    ch_piece_clear (&own);
    if (last->what == TE_INDEX_CUT)
      add_cut (c, last->to);
  }
  return status;
}

/* Indexes from the first event on: cuts, metadata, and the end of the array. */
static nprof_status
index_events (ChPlan *plan, const char *from)
{
  Chrome *c = plan->c;
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (ChPiece));
  g_array_set_clear_func (pieces, (GDestroyNotify) ch_piece_clear);
  ChPiece last;
  nprof_status status = ch_pieces_ahead (c, from, pieces);
  if (status)
    return status;
  add_cut (c, c->events);
  if (c->note)
    c->note (c, c->data, from, c->noted);
  status = join_pieces (plan, from, pieces, &last);
  if (status)
    return status;
  c->closed = last.what == TE_INDEX_CLOSE && *last.to == ']' && ch_tail_is_good (c, last.to + 1);
  c->events_end = c->closed ? last.to : c->end;
  add_cut (c, c->events_end);
  return note_rest (c, last.to);
}

/* -- Where time begins ------------------------------------------------------------------------ */

/* Finds the first event that has a time and is no metadata; returns where to index from. */
static const char *
find_first (ChPlan *plan)
{
  Chrome *c = plan->c;
  TeEvent event;
  const char *p = separators (c->events, c->end);
  while (p < c->end && *p != ']') {
    const char *next = read_metas (plan, p);
    if (next) {
      add_range (c, p, next);
      plan->floor = next;
    } else if (!(next = c->scanner->event (&plan->scan, p, &event))) {
      next = ch_resync (&plan->scan, p + 1, c->end);
    } else if (te_has (&event, TE_TS) && event.ts.state <= TE_ROUNDED) {
      c->first = event.ts;
      c->has_first = true;
      return p;
    }
    p = separators (next, c->end);
  }
  return p;
}

/* Looks for the base, which may still be there where the end of the array was not found. */
static void
search_base (Chrome *c)
{
  static const char key[] = "\"baseTimeNanoseconds\"";
  const char *from = c->end - MIN ((size_t) (c->end - c->events), TAIL);
  const char *p = memmem (from, (size_t) (c->end - from), key, strlen (key));
  p = p ? te_space (p + strlen (key), c->end) : NULL;
  if (!p || p >= c->end || *p != ':')
    return;
  p = te_space (p + 1, c->end);
  const char *end = p;
  while (end < c->end && (g_ascii_isdigit (*end) || *end == '-'))
    end++;
  c->has_base = te_int (p, end, &c->base) && c->base != 0;
}

/* Returns whether the file may have ended between two events; an end within an event is damage that
 * is found when it is read. */
static bool
ends_behind_event (const Chrome *c)
{
  const char *p = c->end;
  while (p > c->events && (g_ascii_isspace (p[-1]) || p[-1] == ','))
    p--;
  if (p == c->events || p[-1] != '}')
    return p == c->events;
  for (p--; p > c->events && g_ascii_isspace (p[-1]);)
    p--;
  return p == c->events
         || p[-1] != ']'; /* behind ]} the array has its end: a quote too many hides it */
}

/* An array may stay open, as the format allows; an object that does was cut off, or is still
 * written. */
static nprof_status
take_open (Chrome *c)
{
  if (!c->object) {
    nprof_log (c->host, NPROF_INFO,
               "the array of events is not closed: it is read to the end of the file");
    return NPROF_OK;
  }
  c->losses.cut_off = ends_behind_event (c);
  return c->losses.cut_off ? c->host->damage (c->host, ch_at (c, c->end),
                                              "the file ends before its \"traceEvents\" does")
                           : NPROF_OK;
}

/* -- Together ---------------------------------------------------------------------------------- */

static nprof_status
make_plan (ChPlan *plan)
{
  Chrome *c = plan->c;
  nprof_status status = ch_head (c);
  if (status)
    return status;
  plan->floor = c->events;
  plan->scan = (TeScan){ .controls = &plan->controls,
                         .with = c->scanner,
                         .shapes = c->scanner->shapes_new (),
                         .end = c->end };
  if (!plan->scan.shapes)
    return nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  status = index_events (plan, find_first (plan));
  if (status)
    return status;
  if (!c->closed && !c->has_base)
    search_base (c);
  status = c->closed ? ch_tail (c, c->events_end + 1) : take_open (c);
  if (!status)
    status = ch_origin (c, &plan->scan);
  return status;
}

nprof_status
ch_plan (Chrome *c)
{
  g_autofree ChPlan *plan = g_new0 (ChPlan, 1);
  plan->c = c;
  nprof_status status = make_plan (plan);
  free (plan->scan.shapes);
  return status;
}

nprof_status
ch_plan_rows (Chrome *c)
{
  const nprof_status status = ch_facts (c);
  return status ? status : ch_report_behind (c);
}
