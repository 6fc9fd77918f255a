/* SPDX-License-Identifier: Apache-2.0 */
/* sweep-deep.c - MILLIONS of spans, nested 100 deep, through the containment sweep: prints the
 * nanoseconds of user time for each. */
#include <nprof/sweep.h>

#include <stdio.h>
#include <time.h>

enum { DEPTH = 100 };

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent, uint32_t depth)
{
  (void) parent;
  (void) depth;
  *(int64_t *) user += nprof_self (span);
  return NPROF_OK;
}

int
main (int argc, char **argv)
{
  int64_t n = (argc > 1 ? atoll (argv[1]) : 1) * 1000000, self = 0;
  struct nprof_sweep sweep = { .closed = closed, .user = &self };
  clock_t begin = clock ();
  for (int64_t i = 0; i < n; i++) {
    int64_t level = i % DEPTH, start = i / DEPTH * 10 * DEPTH + level;
    if (nprof_sweep_span (&sweep, start, 4 * DEPTH - 2 * level, 0))
      return 1;
  }
  if (nprof_sweep_end (&sweep))
    return 1;
  double ns = (double) (clock () - begin) / CLOCKS_PER_SEC * 1e9 / (double) n;
  nprof_sweep_clear (&sweep);
  if (self != n / DEPTH * 4 * DEPTH) /* all time is somebody's own, once */
    return 1;
  printf ("%.3f\n", ns);
  return 0;
}
