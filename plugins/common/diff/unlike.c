/* SPDX-License-Identifier: Apache-2.0 */
/* unlike.c - widens the error of a sum where its calls changed unlike each other.  Two steps
 * often agree by chance: a call that takes one of two times takes the same one in both, or is held
 * up twice.  What varies so shows between the calls, which a kernel that became slower slows down
 * alike. */

#include "diff/rule.h"

#include <math.h>

/* Calls change unlike each other by noise as well: only more than this counts, times the error
 * that steps tell. */
#define LEAST_TIMES 2

typedef struct {
  double base, new; /* ps of the places that both sides have */
  double squares, fourths;
  guint n;
} Unlike;

typedef void (*PlaceFn) (Unlike *u, const NpDiffPlace *base, const NpDiffPlace *new);

static void
add_sum (Unlike *u, const NpDiffPlace *base, const NpDiffPlace *new)
{
  u->base += base->mean;
  u->new += new->mean;
  u->n++;
}

/* Adds how far the call is from where it would be, had all changed alike. */
static void
add_away (Unlike *u, const NpDiffPlace *base, const NpDiffPlace *new)
{
  double away = new->mean - base->mean * u->new / u->base;
  u->squares += away * away;
  u->fourths += away * away * away * away;
}

static void
each_place (Unlike *u, const NpDiffPair *pairs, guint n, PlaceFn fn)
{
  for (guint i = 0; i < n; i++)
    for (guint p = 0; pairs[i].base && pairs[i].new &&p < pairs[i].base->places->len; p++) {
      const NpDiffPlace *base = &g_array_index (pairs[i].base->places, NpDiffPlace, p),
                        *new = np_diff_place (pairs[i].new, base->ordinal);
      if (new)
        fn (u, base, new);
    }
}

void
np_diff_widen (NpDiffResult *r, const NpDiffPair *pairs, guint n)
{
  Unlike u = { 0 };
  each_place (&u, pairs, n, add_sum);
  if (u.n < 2 || !(u.base > 0) || !(r->new > 0))
    return;
  each_place (&u, pairs, n, add_away);
  double error = sqrt (u.squares * u.n / (u.n - 1.0)) / r->new;
  if (!(error > LEAST_TIMES * r->error))
    return;
  r->error = error;
  r->df = fmax (1, u.squares * u.squares / u.fourths - 1);
}
