/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/clip.h - the window that the user asked an analyzer to cut its sums at (--clip),
 * header-only. A draft: it may change or go in every release.
 *
 * Rows come whole, so that what lies within what is that of the whole profile.  Of a span that
 * crosses an edge of the window the part inside counts in sums of time, and of flops and bytes the
 * share of that part, rounded down; counts, means, percentiles and extremes are of whole
 * durations. */
#ifndef NPROF_DRAFT_CLIP_H
#define NPROF_DRAFT_CLIP_H

#include <nprof/plugin.h>

#include <stdbool.h>

/* Analyzers: the extension that tells the window.  An analyzer that does not ask for it counts rows
 * whole, and the run says so. */
#define NPROF_CLIP "draft.clip"
struct nprof_clip {
  uint32_t size, reserved;
  /* ps from the origin of the run, INT64_MIN and INT64_MAX where an edge was not given; false: sums
   * are of whole rows.  [instance] */
  bool (*window) (const struct nprof_host *host, int64_t *from, int64_t *to);
};

struct nprof_window {
  bool cuts; /* false: from and to are the ends of time */
  int64_t from, to;
};

static inline struct nprof_window
nprof_window_of (const struct nprof_host *host)
{
  struct nprof_window w = { false, INT64_MIN, INT64_MAX };
  const struct nprof_clip *clip = (const struct nprof_clip *) host->extension (host, NPROF_CLIP);
  w.cuts = clip && clip->window (host, &w.from, &w.to);
  return w;
}

/* The moment, moved into the window. */
static inline int64_t
nprof_cut (const struct nprof_window *w, int64_t at)
{
  return !w->cuts ? at : at < w->from ? w->from : at > w->to ? w->to : at;
}

/* Does the span share a moment with the window, both ends included? */
static inline bool
nprof_touches (const struct nprof_window *w, int64_t start, int64_t end)
{
  return end >= w->from && start <= w->to;
}

/* Returns how much of the span lies within the window, ps.  A duration of -1 (no end) stays. */
static inline int64_t
nprof_inside (const struct nprof_window *w, int64_t start, int64_t duration)
{
  if (!w->cuts || duration < 0)
    return duration;
  return nprof_cut (w, start + duration) - nprof_cut (w, start);
}

/* The share of an amount that belongs to the part inside, rounded down. */
static inline int64_t
nprof_prorate (int64_t amount, int64_t inside, int64_t whole)
{
  return whole > 0 ? (int64_t) (__extension__(__int128) amount * inside / whole) : amount;
}

#endif
