/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - walks over the events of all lines before the index does, on several threads.  Where an
 * event begins in the middle of a line is guessed, so nothing here is final: the index goes from
 * the beginning of each line, and jumps over a run only when it arrives at the run's first
 * event. */
#include "xplane.h"

#define LEAST 16384 /* bytes of a line that are worth a run                              */
#define LOOK 4096   /* bytes in which the first event of a run is looked for              */
#define CHAIN                                                                                      \
  32 /* events that must follow each other there.  A stat has the tag of an event, but
                       behind the last stat of an event comes the next event           */

/* -- What is walked ------------------------------------------------------------------- */

static void
add_line (Xplane *x, PbSpan body)
{
  if (xp_len (body) < LEAST)
    return;
  for (const uint8_t *p = body.p; p < body.end; p += MIN (XP_SEGMENT, body.end - p))
    g_array_append_val (x->ahead, ((XpAhead){ .from = p, .to = xp_border (body, p) }));
}

static void
add_plane (Xplane *x, PbSpan body)
{
  PbField f;
  for (const uint8_t *p = body.p; p < body.end && pb_field (&p, body.end, &f);)
    if (f.tag == PB_BYTES (3))
      add_line (x, f.span);
}

/* -- A run ------------------------------------------------------------------------------ */

/* An event that others follow; NULL: none was found. */
static const uint8_t *
guess (const uint8_t *p, const uint8_t *end)
{
  const uint8_t *last = p + MIN (LOOK, end - p);
  for (; p < last && (p = memchr (p, PB_BYTES (4), (size_t) (last - p))); p++) {
    const uint8_t *q = p;
    int n = 0;
    while (n < CHAIN && xp_step (&q, end))
      n++;
    if (n == CHAIN)
      return q;
  }
  return NULL;
}

static nprof_status
walk (void *user, uint32_t number)
{
  Xplane *x = user;
  XpAhead *run = &g_array_index (x->ahead, XpAhead, number);
  const uint8_t *begin = run->from, *border = run->to, *from = guess (begin, border);
  run->from = run->to = from;
  while (from && xp_step (&run->to, border))
    run->n++;
  return x->host->progress (x->host, xp_at (x, begin), xp_at (x, border));
}

/* -- All of them -------------------------------------------------------------------------- */

/* Damage ends the search in its message: the index will meet it, and say where it is. */
nprof_status
xp_walk_ahead (Xplane *x)
{
  PbField f;
  for (const uint8_t *p = x->data; p < x->data_end && pb_field (&p, x->data_end, &f);)
    if (f.tag == PB_BYTES (1))
      add_plane (x, f.span);
  return x->host->parallel (x->host, x->ahead->len, walk, x);
}

/* Runs lie in the order of the file. */
const XpAhead *
xp_ahead_of (Xplane *x, const uint8_t *p)
{
  for (; x->next_ahead < x->ahead->len; x->next_ahead++) {
    const XpAhead *run = &g_array_index (x->ahead, XpAhead, x->next_ahead);
    if (run->from && run->from >= p)
      return run;
  }
  return NULL;
}
