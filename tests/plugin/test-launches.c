/* SPDX-License-Identifier: Apache-2.0 */
/* test-launches.c - which call launched what, by ids and times; and rows that wait for their launch. */
#include "devicekit/held-rows.h"

static void
add (AnLaunches *launches, guint64 id, gint64 start, guint32 input)
{
  const AnLaunch launch = { .id = id, .start = start, .end = start + 1, .input = input };
  an_launches_add (launches, &launch);
}

static gint64
found_at (const AnLaunches *launches, guint64 id, gint64 work)
{
  const AnLaunch *launch = an_launches_find (launches, 0, id, work);
  return launch ? launch->start : -1;
}

/* The last that began no later than the work, else the first; ids of other inputs are others. */
static void
test_rule (void)
{
  AnLaunches launches = { 0 };
  g_assert_cmpint (found_at (&launches, 1, 5), ==, -1);
  add (&launches, 1, 10, 0);
  add (&launches, 1, 15, 1);
  add (&launches, 1, 20, 0);
  add (&launches, 1 + AN_LAUNCHES, 30, 0); /* has the same place */
  g_assert_cmpint (found_at (&launches, 1, 5), ==, 10);
  g_assert_cmpint (found_at (&launches, 1, 10), ==, 10);
  g_assert_cmpint (found_at (&launches, 1, 19), ==, 10);
  g_assert_cmpint (found_at (&launches, 1, 99), ==, 20);
  g_assert_cmpint (found_at (&launches, 2, 99), ==, -1);
  g_assert_cmpint (found_at (&launches, 1 + AN_LAUNCHES, 5), ==, 30);
  an_launches_clear (&launches);
}

typedef struct {
  guint taken, linked;
  gint64 last;
} Seen;

static void
take (gpointer user, const struct nprof_batch *row, const AnLaunch *launch)
{
  Seen *seen = user;
  g_assert_cmpint (row->start[0], >, seen->last);
  seen->last = row->start[0];
  seen->taken++;
  seen->linked += launch != NULL;
}

/* More rows than may wait go on in their order, without launches. */
static void
test_bound (void)
{
  enum { MORE = 100, ALL = AN_MOST_HELD + MORE };
  AnHeld held;
  Seen seen = { .last = -1 };
  an_held_init (&held, take, &seen);
  g_assert_false (an_held_holds (&held, 1));
  for (guint i = 0; i < ALL; i++) {
    const gint64 start = i, duration = 1;
    const nprof_track track = 2;
    const nprof_str none = 0;
    const uint8_t kind = NPROF_SPAN;
    const struct nprof_batch batch = { .size = sizeof batch,
                                       .n_rows = 1,
                                       .start = &start,
                                       .duration = &duration,
                                       .track = &track,
                                       .name = &none,
                                       .category = &none,
                                       .kind = &kind };
    an_held_add (&held, 1, &batch, 0, 1 + i, NULL);
  }
  g_assert_true (an_held_holds (&held, 1));
  g_assert_cmpuint (seen.taken, ==, MORE);
  for (guint i = 1; i < 4; i++) {
    const AnLaunch launch = { .id = MORE + i, .start = ALL + i };
    an_held_launch (&held, &launch);
  }
  g_assert_cmpuint (seen.taken, ==, MORE + 2); /* the last one waits for a later launch */
  an_held_end (&held);
  g_assert_cmpuint (seen.taken, ==, ALL);
  g_assert_cmpuint (seen.linked, ==, 3);
  an_held_clear (&held);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launches/rule", test_rule);
  g_test_add_func ("/launches/bound", test_bound);
  return g_test_run ();
}
