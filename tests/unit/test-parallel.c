/* SPDX-License-Identifier: Apache-2.0 */
/* test-parallel.c - each number is called once, and a failure is that of the lowest number. */

#include "base/parallel.h"

#define N 1000u

typedef struct {
  gint calls[N];
  guint bad_from;
  gint left; /* numbers until the run ends; negative: it never ends */
} Fixture;

static nprof_status
call (void *user, uint32_t number)
{
  Fixture *f = user;
  g_atomic_int_inc (&f->calls[number]);
  return number >= f->bad_from ? -(gint) (number % 7) - 1 : NPROF_OK;
}

static gboolean
is_over (gpointer user)
{
  Fixture *f = user;
  return f->left >= 0 && f->left-- == 0;
}

static void
test_all (void)
{
  for (guint jobs = 0; jobs < 6; jobs++) {
    Fixture f = { .bad_from = N, .left = -1 };
    g_assert_cmpint (np_parallel (jobs, N, call, &f, is_over, &f), ==, NPROF_OK);
    for (guint i = 0; i < N; i++)
      g_assert_cmpint (f.calls[i], ==, 1);
  }
  Fixture none = { .bad_from = 0 };
  g_assert_cmpint (np_parallel (4, 0, call, &none, NULL, NULL), ==, NPROF_OK);
  g_assert_cmpint (none.calls[0], ==, 0);
}

static void
test_failure (void)
{
  for (guint round = 0; round < 50; round++) {
    Fixture f = { .bad_from = round * 13, .left = -1 };
    g_assert_cmpint (np_parallel (1 + round % 4, N, call, &f, is_over, &f), ==,
                     -(gint) (f.bad_from % 7) - 1);
    for (guint i = 0; i <= f.bad_from; i++)
      g_assert_cmpint (f.calls[i], ==, 1);
    g_assert_cmpint (f.calls[N - 1], ==, 0);
  }
}

static void
test_stop (void)
{
  Fixture f = { .bad_from = N, .left = 10 };
  g_assert_cmpint (np_parallel (3, N, call, &f, is_over, &f), ==, NPROF_CANCELLED);
  for (guint i = 0; i < N; i++)
    g_assert_cmpint (f.calls[i], ==, i < 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parallel/all", test_all);
  g_test_add_func ("/parallel/failure", test_failure);
  g_test_add_func ("/parallel/stop", test_stop);
  return g_test_run ();
}
