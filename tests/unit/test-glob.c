/* SPDX-License-Identifier: Apache-2.0 */
/* test-glob.c - what a glob matches. */

#include "base/glob.h"

#include <string.h>

static void
test_cases (void)
{
  static const struct {
    const char *glob, *text;
    gboolean match;
  } cases[] = {
    { "", "", TRUE },
    { "", "a", FALSE },
    { "a", "", FALSE },
    { "*", "", TRUE },
    { "**", "abc", TRUE },
    { "a*", "abc", TRUE },
    { "*c", "abc", TRUE },
    { "*b", "abc", FALSE },
    { "a*c*e", "abcde", TRUE },
    { "a*c*e", "abcdef", FALSE },
    { "*ab", "aab", TRUE },
    { "*aab*", "aaaab", TRUE },
    { "?", "a", TRUE },
    { "?", "", FALSE },
    { "a?", "a", FALSE },
    { "?", "ä", TRUE },
    { "??", "ä", FALSE },
    { "[ä-ü]", "ö", TRUE },
    { "[abc]", "b", TRUE },
    { "[abc]", "d", FALSE },
    { "[a-c]x", "bx", TRUE },
    { "[!a-c]", "b", FALSE },
    { "[!a-c]", "d", TRUE },
    { "[^a-c]", "d", TRUE },
    { "[]]", "]", TRUE },
    { "[!]]", "]", FALSE },
    { "[a-]", "-", TRUE },
    { "[*]", "*", TRUE },
    { "[*]", "a", FALSE },
    { "[", "[", TRUE },
    { "a[b", "a[b", TRUE },
    { "a[b", "ab", FALSE },
    { "*[0-9]", "x.12", TRUE },
    { "a\\*", "a\\x", TRUE },
    { "A", "a", FALSE },
    { "a*z", "a/b/z", TRUE },
    { "/device:TPU:0*", "/device:TPU:0", TRUE },
    { "[!x]", "", FALSE },
    { "\xff", "\xff", TRUE },
    { "\xff", "\xfe", FALSE },
    { "*[!ä]b", "äb", FALSE },
    { "*?", "", FALSE },
    { "*?", "ab", TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (np_glob_match (cases[i].glob, cases[i].text, strlen (cases[i].text)) != cases[i].match)
      g_error ("%s on %s", cases[i].glob, cases[i].text);
  }
  g_assert_true (np_glob_match ("a?b", "a\0b", 3));
  g_assert_false (np_glob_match ("a", "a\0b", 3));
}

/* Would take forever by trying every way. */
static void
test_stars (void)
{
  g_autofree char *text = g_strnfill (20000, 'a');
  g_assert_false (np_glob_match ("*a*a*a*a*a*a*a*a*a*a*a*b", text, 20000));
  g_assert_true (np_glob_match ("*a*a*a*a*a*a*a*a*a*a*a*a", text, 20000));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/glob/cases", test_cases);
  g_test_add_func ("/glob/stars", test_stars);
  return g_test_run ();
}
