/* SPDX-License-Identifier: Apache-2.0 */
/* test-skipped.c - counts of what decoders skip, from several threads at once. */

#include "rows/skipped.h"

#include <pthread.h>

#define THREADS 4
#define TIMES 2000

static const NpSkip *
nth (GPtrArray *list, guint i)
{
  g_assert_cmpuint (i, <, list->len);
  return g_ptr_array_index (list, i);
}

static void
check (const NpSkip *skip, guint input, const char *what, const char *reason, guint64 count,
       guint64 first)
{
  g_assert_cmpuint (skip->input, ==, input);
  g_assert_cmpstr (skip->what, ==, what);
  g_assert_cmpstr (skip->reason, ==, reason);
  g_assert_cmpuint (skip->count, ==, count);
  g_assert_cmpuint (skip->first_byte, ==, first);
}

static void
test_sorted (void)
{
  NpSkipped *skipped = np_skipped_new ();
  np_skipped_add (skipped, 1, "P", 10, "why");
  np_skipped_add (skipped, 0, "Q", 30, "why");
  np_skipped_add (skipped, 0, "P", 20, "why");
  np_skipped_add (skipped, 0, "P", 30, "why");
  np_skipped_add (skipped, 0, "P", 30, "else");
  np_skipped_add (skipped, 0, "P", 5, "why");
  np_skipped_add (skipped, 2, "P", G_MAXUINT64, "why");
  g_autoptr (GPtrArray) list = np_skipped_sorted (skipped);
  g_assert_cmpuint (list->len, ==, 5);
  check (nth (list, 0), 0, "P", "why", 3, 5);
  check (nth (list, 1), 0, "P", "else", 1, 30);
  check (nth (list, 2), 0, "Q", "why", 1, 30);
  check (nth (list, 3), 1, "P", "why", 1, 10);
  check (nth (list, 4), 2, "P", "why", 1, G_MAXUINT64);
  np_skipped_free (skipped);
}

/* Texts come from files: they may hold anything, and where one ends counts. */
static void
test_any_text (void)
{
  NpSkipped *skipped = np_skipped_new ();
  np_skipped_add (skipped, 0, "a\nb", 1, "c");
  np_skipped_add (skipped, 0, "a", 2, "b\nc");
  np_skipped_add (skipped, 0, "ab", 3, "c");
  np_skipped_add (skipped, 0, "a", 4, "bc");
  np_skipped_add (skipped, 0, "\xff", 5, "");
  np_skipped_add (skipped, 0, "\xfe", 6, ""); /* printed alike, so counted as one */
  np_skipped_add (skipped, 0, "", 7, "");
  g_autoptr (GPtrArray) list = np_skipped_sorted (skipped);
  g_assert_cmpuint (list->len, ==, 6);
  check (nth (list, 0), 0, "a\nb", "c", 1, 1);
  check (nth (list, 1), 0, "a", "b\nc", 1, 2);
  check (nth (list, 4), 0, "\xef\xbf\xbd", "", 2, 5);
  check (nth (list, 5), 0, "", "", 1, 7);
  np_skipped_free (skipped);
}

static void *
add_many (void *data)
{
  for (guint i = 0; i < TIMES; i++) {
    char what[] = { (char) ('a' + i % 7), '\0' };
    np_skipped_add (data, i % 2, what, TIMES - i, i % 3 ? "x" : "y");
  }
  return NULL;
}

static void
test_threads (void)
{
  NpSkipped *skipped = np_skipped_new ();
  pthread_t threads[THREADS];
  for (guint i = 0; i < THREADS; i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, add_many, skipped), ==, 0);
  for (guint i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  g_autoptr (GPtrArray) list = np_skipped_sorted (skipped);
  g_assert_cmpuint (list->len, ==, 2 * 7 * 2);
  guint64 total = 0;
  for (guint i = 0; i < list->len; i++)
    total += nth (list, i)->count;
  g_assert_cmpuint (total, ==, THREADS * TIMES);
  /* the last i of its 42 kinds: 1999 */
  g_assert_cmpuint (nth (list, 0)->input, ==, 0);
  g_assert_cmpuint (nth (list, 0)->first_byte, ==, 2);
  g_assert_cmpuint (nth (list, 14)->input, ==, 1);
  g_assert_cmpuint (nth (list, 14)->first_byte, ==, 1);
  np_skipped_free (skipped);
}

static void
test_none (void)
{
  NpSkipped *skipped = np_skipped_new ();
  g_autoptr (GPtrArray) list = np_skipped_sorted (skipped);
  g_assert_cmpuint (list->len, ==, 0);
  np_skipped_free (skipped);
  np_skipped_free (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/skipped/sorted", test_sorted);
  g_test_add_func ("/skipped/any-text", test_any_text);
  g_test_add_func ("/skipped/threads", test_threads);
  g_test_add_func ("/skipped/none", test_none);
  return g_test_run ();
}
