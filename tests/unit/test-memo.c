/* SPDX-License-Identifier: Apache-2.0 */
#include "stored/memo.h"

#include <string.h>

static void
expect (NpMemo *memo, const char *key, const char *wanted)
{
  GBytes *found = np_memo_get (memo, key);
  g_assert_true ((found != NULL) == (wanted != NULL));
  if (!found)
    return;
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), wanted,
                   strlen (wanted));
  g_bytes_unref (found);
}

static void
test_kept (void)
{
  NpMemo *memo = np_memo_new (100);
  expect (memo, "a", NULL);
  np_memo_put (memo, "a", "one", 3);
  np_memo_put (memo, "b", "", 0);
  expect (memo, "a", "one");
  expect (memo, "b", "");
  np_memo_put (memo, "a", "two", 3);
  expect (memo, "a", "two");
  np_memo_free (memo);
}

/* The entry that was not asked for longest goes; one that somebody holds stays valid for its
 * holder. */
static void
test_limits (void)
{
  char text[26] = { 0 };
  NpMemo *memo = np_memo_new (100);
  memset (text, 'x', 25);
  np_memo_put (memo, "large", "12345678901234567890123456", 26);
  expect (memo, "large", NULL);
  for (guint i = 0; i < 4; i++) {
    char key[2] = { (char) ('a' + i), 0 };
    np_memo_put (memo, key, text, 25);
  }
  GBytes *held = np_memo_get (memo, "b");
  expect (memo, "a", text);
  np_memo_put (memo, "e", text, 25);
  expect (memo, "c", NULL);
  expect (memo, "a", text);
  np_memo_put (memo, "f", text, 25);
  np_memo_put (memo, "g", text, 25);
  np_memo_put (memo, "h", text, 25);
  expect (memo, "b", NULL);
  g_assert_cmpuint (g_bytes_get_size (held), ==, 25);
  g_bytes_unref (held);
  np_memo_free (memo);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memo/kept", test_kept);
  g_test_add_func ("/memo/limits", test_limits);
  return g_test_run ();
}
