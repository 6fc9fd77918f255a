/* SPDX-License-Identifier: Apache-2.0 */
/* test-text-parts.c - the helpers of the sink text that know nothing of nprof: safe text and
 * its width, dates, lines of a sentence, and pairs of JSON. */

#include "pairs.h"
#include "printable.h"
#include "number.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static void
assert_printable_n (const char *text, gsize len, const char *expected)
{
  g_autofree char *found = printable_new (text, len);
  g_assert_cmpstr (found, ==, expected);
}

static void
assert_printable (const char *text, const char *expected)
{
  assert_printable_n (text, strlen (text), expected);
}

static void
test_printable (void)
{
  assert_printable ("", "");
  assert_printable ("fusion.1 ä 漢字", "fusion.1 ä 漢字");
  assert_printable ("\033[31mred\a\b\r\n\t\x7f", "\\x1b[31mred\\x07\\x08\\x0d\\x0a\\x09\\x7f");
  assert_printable ("\xc2\x9b"
                    "31m",
                    "\\xc2\\x9b31m"); /* C1 CSI */
  assert_printable ("a\xe2\x80\xae"
                    "b",
                    "a\\xe2\\x80\\xae"
                    "b");                        /* right-to-left override */
  assert_printable ("a\xff\xc3", "a\\xff\\xc3"); /* broken, unfinished */
  assert_printable_n ("a\0b", 3, "a\\x00b");
}

static void
test_width (void)
{
  g_assert_cmpuint (printable_width ("abc"), ==, 3);
  g_assert_cmpuint (printable_width ("漢字"), ==, 4);
  g_assert_cmpuint (printable_width ("e\xcc\x81"), ==, 1); /* e and a combining accent */
  g_assert_cmpuint (printable_width ("a\xe2\x80\x8b"
                                     "b"),
                    ==, 2);
}

static void
assert_cut (const char *text, guint width, const char *expected)
{
  g_autofree char *found = printable_cut (text, width);
  g_assert_cmpstr (found, ==, expected);
  g_assert_cmpuint (printable_width (found), <=, width);
}

static void
test_cut (void)
{
  assert_cut ("abcdefgh", 8, "abcdefgh");
  assert_cut ("abcdefghij", 8, "abcde…ij");
  assert_cut ("abc", 1, "…");
  assert_cut ("abc", 0, "");
  assert_cut ("漢字漢字漢字", 7, "漢字…字");
  assert_cut ("漢字漢字漢字", 6, "漢字…"); /* a half of a wide one cannot be shown */
  assert_cut ("abcdefge\xcc\x81", 5, "abc…e\xcc\x81");
  g_autofree char *made_safe = printable_short ("\033bcdefghij", 8);
  g_assert_cmpstr (made_safe, ==, "\\x1bb…ij");
}

static void
assert_date (gint64 unix_ns, const char *expected, gboolean lossy)
{
  gboolean rounded = FALSE;
  g_autofree char *found = number_date (unix_ns, &rounded);
  g_assert_cmpstr (found, ==, expected);
  g_assert_cmpint (rounded, ==, lossy);
}

static void
test_dates (void)
{
  assert_date (0, "1970-01-01T00:00:00Z", FALSE);
  assert_date (G_GINT64_CONSTANT (1700000000500000000), "2023-11-14T22:13:20.500Z", FALSE);
  assert_date (-1, "1969-12-31T23:59:59.999Z", TRUE);
  assert_date (G_MAXINT64, "2262-04-11T23:47:16.854Z", TRUE);
  assert_date (G_MININT64, "1677-09-21T00:12:43.145Z", TRUE);
}

/* -- Pairs ----------------------------------------------------------------- */

static void
test_pairs (void)
{
  static const struct {
    const char *json, *pairs;
  } cases[] = {
    { "{\"a\":\"b\"}", "a=b;" },
    { " { \"a\" : \"\" ,\n\"c\":\"d\"}", "a=;c=d;" },
    { "{\"q\\\"\":\"\\u00e9\\n\\/\\u001b\"}", "q\"=\xc3\xa9\n/\033;" },
    { "{}", NULL },
    { "{\"a\":1}", NULL },
    { "{\"a\":{\"b\":\"c\"}}", NULL },
    { "{\"a\":\"b\"} x", NULL },
    { "{\"a\":\"b\",}", NULL },
    { "{\"a\":\"b", NULL },
    { "{\"a\":\"\\ud800\"}", NULL },
    { "{\"a\":\"\\", NULL },
    { "{\"a\":\"\\u00", NULL },
    { "[\"a\"]", NULL },
    { "", NULL },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autoptr (GPtrArray) pairs = pairs_read (cases[k].json, strlen (cases[k].json));
    g_autoptr (GString) text = g_string_new (NULL);
    for (guint i = 0; pairs && i < pairs->len; i += 2)
      g_string_append_printf (text, "%s=%s;", (char *) pairs->pdata[i],
                              (char *) pairs->pdata[i + 1]);
    g_assert_cmpstr (pairs ? text->str : NULL, ==, cases[k].pairs);
  }
}

static void
test_wrap (void)
{
  static const struct {
    const char *text;
    guint width;
    const char *lines;
  } cases[] = {
    { "", 10, "" },
    { "one", 3, "one" },
    { "one two", 7, "one two" },
    { "one two", 6, "one|two" },
    { "a verylongword b", 4, "a|verylongword|b" },
    { "漢字 漢字", 8, "漢字|漢字" },
    { "a b c d", 3, "a b|c d" },
    { "idle 673 us", 8, "idle|673 us" },
    { "gemm (<0.1 %), x", 10, "gemm|(<0.1 %),|x" },
    { "2 ranks", 4, "2|ranks" },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_auto (GStrv) lines = wrap_new (cases[k].text, cases[k].width);
    g_autofree char *joined = g_strjoinv ("|", lines);
    g_assert_cmpstr (joined, ==, cases[k].lines);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/printable", test_printable);
  g_test_add_func ("/text/width", test_width);
  g_test_add_func ("/text/cut", test_cut);
  g_test_add_func ("/text/dates", test_dates);
  g_test_add_func ("/text/wrap", test_wrap);
  g_test_add_func ("/pairs", test_pairs);
  return g_test_run ();
}
