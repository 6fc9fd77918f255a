/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - numbers spans in the JSON formats, as pandas counts them in the CSV: how many stand
 * before each part. */
#include "furiosa.h"

const char *
fu_separators (const char *p, const char *end)
{
  while (p < end && (*p == ',' || *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
}

/* Decides as event.c of the decoder chrome does; an event that is damaged there has no number. */
static bool
becomes_span (const TeEvent *event, int64_t zero)
{
  int64_t start, duration, end;
  if (event->ph != 'X' || !te_has (event, TE_TS) || event->ts.state > TE_ROUNDED
      || !te_time_ps (&event->ts, zero, &start))
    return false;
  if (!te_has (event, TE_DUR))
    return true;
  return event->dur.state <= TE_ROUNDED && te_time_ps (&event->dur, 0, &duration)
         && (duration < 0 || !__builtin_add_overflow (start, duration, &end));
}

static uint64_t
count_spans (TeScan *s, const char *p, int64_t zero)
{
  TeEvent event;
  uint64_t n = 0;
  while ((p = fu_separators (p, s->end)) < s->end) {
    const char *next = s->with->event (s, p, &event);
    n += next && becomes_span (&event, zero);
    p = next ? next : ch_resync (s, p + 1, s->end);
  }
  return n;
}

nprof_status
fu_number_rows (Furiosa *f)
{
  Chrome *c = &f->chrome;
  TeShapes *shapes = c->scanner->shapes_new ();
  TeScan s = { .controls = &(TeControls){ 0 }, .with = c->scanner, .shapes = shapes };
  uint64_t n = 0;
  nprof_status status
      = shapes ? NPROF_OK
               : nprof_fail (c->host, NPROF_E_NOMEM, "no memory for the shapes of events");
  for (guint i = 0; i + 1 < c->parts->len && !status; i++) {
    const char *from = g_ptr_array_index (c->parts, i);
    s.end = g_ptr_array_index (c->parts, i + 1);
    g_array_append_val (f->first_rows, n);
    /* The last part's number needs no count. */
    n += i + 2 < c->parts->len ? count_spans (&s, from, c->zero) : 0;
    status = c->host->progress (c->host, fu_byte (f, from), fu_byte (f, s.end));
  }
  free (shapes);
  return status;
}
