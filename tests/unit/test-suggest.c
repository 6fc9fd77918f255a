/* SPDX-License-Identifier: Apache-2.0 */
/* test-suggest.c - words that were mistyped, and words that were meant. */

#include <glib.h>
#include <string.h>

#include "base/suggest.h"

static const char *const names[]
    = { "xplane", "chrome", "neff", "ntff", "furiosa", "split_rows", "operators", "a", NULL };

static void
test_mistyped (void)
{
  g_assert_cmpstr (np_suggest ("xplain", names), ==, "xplane");
  g_assert_cmpstr (np_suggest ("chorme", names), ==, "chrome");
  g_assert_cmpstr (np_suggest ("CHROME", names), ==, "chrome");
  g_assert_cmpstr (np_suggest ("split-row", names), ==, "split_rows");
  g_assert_cmpstr (np_suggest ("netf", names), ==, "neff");
  g_assert_cmpstr (np_suggest ("furios", names), ==, "furiosa");
}

static void
test_swapped_neighbours_are_one_edit (void)
{
  const char *const candidates[] = { "abd", "acb", NULL };
  g_assert_cmpstr (np_suggest ("abc", candidates), ==, "abd");
  const char *const swapped[] = { "xyxyx", "bacde", NULL };
  g_assert_cmpstr (np_suggest ("abcde", swapped), ==, "bacde");
}

static void
test_beginnings (void)
{
  g_assert_cmpstr (np_suggest ("op", names), ==, "operators");
  g_assert_cmpstr (np_suggest ("o", names), ==, NULL);
}

static void
test_nothing_near (void)
{
  const char *const none[] = { NULL }, *const empty[] = { "", NULL };
  g_assert_null (np_suggest ("parquet", names));
  g_assert_null (np_suggest ("b", names));
  g_assert_null (np_suggest ("", names));
  g_assert_null (np_suggest ("x", none));
  g_assert_null (np_suggest ("xy", empty));
}

static void
test_long_words (void)
{
  g_autofree char *word = g_strnfill (64, 'x'), *longer = g_strnfill (100000, 'x');
  const char *const candidates[] = { longer, word, NULL };
  g_assert_cmpstr (np_suggest (word + 1, candidates + 1), ==, word);
  g_assert_null (np_suggest (longer, candidates));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nearest/mistyped", test_mistyped);
  g_test_add_func ("/nearest/swapped", test_swapped_neighbours_are_one_edit);
  g_test_add_func ("/nearest/beginnings", test_beginnings);
  g_test_add_func ("/nearest/nothing", test_nothing_near);
  g_test_add_func ("/nearest/long", test_long_words);
  return g_test_run ();
}
