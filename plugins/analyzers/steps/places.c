/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - orders tracks in tables by what a selection does not change: an_place_compare() also
 * knows which was delivered first, and rows that are not selected are not delivered to outputs. */
#include "steps.h"

enum { DEEPEST = 16 };

/* Lists them from the root down and returns how many there are. */
static guint
path_of (const struct nprof_host *h, nprof_track track, nprof_track path[DEEPEST])
{
  nprof_track up[DEEPEST];
  guint n = 0;
  for (; track && n < DEEPEST; track = h->track_info (h, track)->parent)
    up[n++] = track;
  for (guint i = 0; i < n; i++)
    path[i] = up[n - 1 - i];
  return n;
}

/* Compares by sort, then by the text that people read, with "GPU 2" before "GPU 10". */
static int
compare_siblings (const struct nprof_host *h, nprof_track a, nprof_track b)
{
  const struct nprof_track_info *x = h->track_info (h, a), *y = h->track_info (h, b);
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  if (x->sort != y->sort)
    return x->sort < y->sort ? -1 : 1;
  const char *p = nprof_text (h, nprof_track_label (x)), *q = nprof_text (h, nprof_track_label (y));
  gsize m = strlen (p), n = strlen (q);
  if (m != n)
    return m < n ? -1 : 1;
  int order = strcmp (p, q);
  return order ? order : strcmp (nprof_text (h, x->key), nprof_text (h, y->key));
}

int
st_place_compare (const struct nprof_host *h, nprof_track a, nprof_track b)
{
  nprof_track p[DEEPEST], q[DEEPEST];
  guint m = path_of (h, a, p), n = path_of (h, b, q);
  for (guint i = 0; i < MIN (m, n); i++)
    if (p[i] != q[i])
      return compare_siblings (h, p[i], q[i]);
  return (m > n) - (m < n);
}
