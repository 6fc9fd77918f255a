/* SPDX-License-Identifier: Apache-2.0 */
/* test-free-later.c - all that was given is freed once, with threads and without. */

#include "base/free-later.h"

#define N 20u

static void
count (gpointer number)
{
  g_atomic_int_inc ((gint *) number);
}

static void
test_all (void)
{
  for (guint threads = 0; threads < 2; threads++) {
    gint freed[N] = { 0 };
    NpFreeLater *later = np_free_later_new (threads);
    for (guint i = 0; i < N; i++)
      np_free_later (later, count, &freed[i]);
    np_free_later_end (later);
    for (guint i = 0; i < N; i++)
      g_assert_cmpint (freed[i], ==, 1);
  }
}

static void
test_at_once (void)
{
  gint freed = 0;
  NpFreeLater *later = np_free_later_new (FALSE);
  np_free_later (later, count, &freed);
  g_assert_cmpint (freed, ==, 1);
  np_free_later_end (later);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/free-later/all", test_all);
  g_test_add_func ("/free-later/at-once", test_at_once);
  return g_test_run ();
}
