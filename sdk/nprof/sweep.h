/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/sweep.h - the one containment sweep, header-only: which span of a track lies within
 * which, and how much of each is its own.
 *
 * Feed the spans of one track by start ascending, duration descending (NPROF_ORDER_TRACK).  A
 * span lies in another when it neither begins before nor ends after it, both ends included; of
 * equal spans the first is the parent; spans that overlap in part are siblings.  Self time is
 * the duration less the time in which direct children run; where they overlap, that time is
 * taken once.
 *
 * O(1) a span, amortised; the memory is that of the spans open at one time. */
#ifndef NPROF_SWEEP_H
#define NPROF_SWEEP_H

#include <nprof/plugin.h>

#include <stdlib.h>
#include <string.h>

struct nprof_open {
  int64_t start, end; /* ps                                      */
  int64_t children;   /* ps in which its direct children run     */
  int64_t covered;    /* up to where they were taken             */
  uint64_t tag;       /* what the caller knows it by             */
};

/* Returns the ps of a span that lie behind `*covered`, up to where the spans before it were taken,
 * and moves that to its end.  The starts ascend. */
static inline int64_t
nprof_sweep_behind (int64_t start, int64_t end, int64_t *covered)
{
  int64_t from = start > *covered ? start : *covered;
  if (end <= from)
    return 0;
  *covered = end;
  return end - from;
}

struct nprof_sweep {
  /* A span that no later one can lie in.  Children come before their parents; parent is NULL
   * at the top, depth is 0 there. */
  nprof_status (*closed) (void *user, const struct nprof_open *span,
                          const struct nprof_open *parent, uint32_t depth);
  void *user;
  struct nprof_open *open; /* the innermost last */
  uint32_t n, max;
};

static inline int64_t
nprof_self (const struct nprof_open *span)
{
  return span->end - span->start - span->children;
}

static inline void
nprof_sweep_clear (struct nprof_sweep *s)
{
  free (s->open);
  s->open = NULL;
  s->n = s->max = 0;
}

static inline nprof_status
nprof_sweep_pop (struct nprof_sweep *s)
{
  uint32_t i = --s->n;
  return s->closed (s->user, s->open + i, i ? s->open + i - 1 : NULL, i);
}

/* The next span of the track.  A duration of -1 (no end in the file) is not fed. */
static inline nprof_status
nprof_sweep_span (struct nprof_sweep *s, int64_t start, int64_t duration, uint64_t tag)
{
  int64_t end = start + duration;
  nprof_status status = NPROF_OK;
  while (s->n && s->open[s->n - 1].end < end && status == NPROF_OK)
    status = nprof_sweep_pop (s);
  if (status)
    return status;
  if (s->n == s->max) {
    uint32_t max = s->max ? s->max * 2 : 64;
    struct nprof_open *open = (struct nprof_open *) realloc (s->open, max * sizeof *open);
    if (!open)
      return NPROF_E_NOMEM;
    s->open = open;
    s->max = max;
  }
  struct nprof_open *parent = s->n ? s->open + s->n - 1 : NULL;
  if (parent)
    parent->children += nprof_sweep_behind (start, end, &parent->covered);
  struct nprof_open *top = s->open + s->n++;
  top->start = start;
  top->end = end;
  top->children = 0;
  top->covered = start;
  top->tag = tag;
  return NPROF_OK;
}

/* Closes what ended before `at`: then the last of `open` is the innermost span around that
 * moment, both ends included.  For rows that are no spans; `at` ascends with the starts. */
static inline nprof_status
nprof_sweep_until (struct nprof_sweep *s, int64_t at)
{
  nprof_status status = NPROF_OK;
  while (s->n && s->open[s->n - 1].end < at && status == NPROF_OK)
    status = nprof_sweep_pop (s);
  return status;
}

/* The end of the track: closes what is open, the innermost first.  Once `closed` fails, the rest is
 * forgotten without a call, and that status is returned.  The memory stays for the next track. */
static inline nprof_status
nprof_sweep_end (struct nprof_sweep *s)
{
  nprof_status status = NPROF_OK;
  while (s->n && status == NPROF_OK)
    status = nprof_sweep_pop (s);
  s->n = 0;
  return status;
}

#endif
