/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - where a row lies in a trace for viewers, which count in ns from the trace's beginning:
 * each end is rounded down by itself, so that spans that were apart or nested stay so. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

struct place {
  gint64 start, end; /* ps; end of an unclosed span: start */
  gint64 at, until;  /* ns from the trace's beginning      */
};

static inline gint64
place_floor_ns (gint64 ps)
{
  return ps / 1000 - (ps % 1000 < 0);
}

/* base: ns from the run's origin to the trace's beginning. A gap before it, of unknown time, is put
 * there: viewers drop what lies before 0. */
static inline struct place
place_of (gint64 base, const struct nprof_batch *b, guint i)
{
  struct place p = { .start = b->start[i] };
  if (__builtin_add_overflow (p.start, MAX (b->duration[i], 0), &p.end))
    p.end = G_MAXINT64;
  if (b->kind[i] == NPROF_GAP && place_floor_ns (p.start) < base) {
    p.start = base * 1000;
    p.end = MAX (p.start, p.end);
  }
  p.at = place_floor_ns (p.start) - base;
  p.until = place_floor_ns (p.end) - base;
  return p;
}
