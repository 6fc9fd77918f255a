/* SPDX-License-Identifier: Apache-2.0 */
/* test-json-guard.c - what json-glib must not see is told with its byte; all else passes, and one
 * document of it leaks nothing under the sanitizer. */

#include "system/json-guard.h"

#include <json-glib/json-glib.h>
#include <string.h>

static void
test_one_document_passes (void)
{
  const char *const good[] = { "",          " ",  "{}",   " [1, {\"a\": [\"]\\\"{\", -1.5e3]}] \n",
                               "\"a/b#'\"", "12", "null", "{\"a\": \"\\\\\"}",
                               "[[[[]]]]" };
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++) {
    g_assert_null (json_guard (good[i], strlen (good[i]), 4, NULL));
    g_autoptr (JsonParser) parser = json_parser_new ();
    g_assert_true (json_parser_load_from_data (parser, good[i], -1, NULL));
  }
}

static void
check_problem (const char *text, gsize len, const char *why, gsize byte)
{
  gsize at = 0;
  const char *found = json_guard (text, len, 4, &at);
  g_assert_nonnull (found);
  g_assert_nonnull (strstr (found, why));
  g_assert_cmpuint (at, ==, byte);
}

static void
test_the_rest_is_told (void)
{
  check_problem ("[[[[[", 5, "nested", 4);
  check_problem ("[]\n[]", 5, "behind the document", 3);
  check_problem ("{} x", 4, "behind the document", 3);
  check_problem ("1 [2]", 5, "second document", 2);
  check_problem ("\"a\"{}", 5, "second document", 3);
  check_problem ("{/* \" */ \"a\": [[[[[ \"", 21, "comment", 1);
  check_problem ("# {\n{}", 6, "comment", 0);
  check_problem ("['[[[[[']", 9, "quotes", 1);
  check_problem ("[\"a\0b\"]", 7, "NUL", 3);
  check_problem ("[\"\\\0\"]", 6, "NUL", 3);
  check_problem ("[1\0]", 4, "NUL", 2);
  check_problem ("[\"a", 3, "string without", 3);
  check_problem ("[\"a\\", 4, "string without", 4);
  check_problem ("{\"a\": [1]", 9, "object or array without", 9);
}

/* Texts of a few characters, each against a walk that knows their places and nothing else. */
static void
test_depth_is_that_of_a_plain_walk (void)
{
  static const char letters[] = "[]\"\\1 ";
  guint32 state = 1;
  for (guint round = 0; round < 200000; round++) {
    char text[13] = "";
    guint depth = 0, deepest = 0;
    gboolean quoted = FALSE, escaped = FALSE;
    for (guint k = 0; k < 12; k++) {
      state = state * 1664525u + 1013904223u;
      char c = text[k] = letters[(state >> 16) % 6];
      gboolean quote = c == '"' && !escaped;
      escaped = quoted && c == '\\' && !escaped;
      quoted ^= quote;
      depth += !quoted && c == '[';
      depth -= !quoted && c == ']' && depth;
      deepest = MAX (deepest, depth);
    }
    if (!json_guard (text, 12, 2, NULL))
      g_assert_true (deepest <= 2 && !quoted && !depth);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-guard/one-document-passes", test_one_document_passes);
  g_test_add_func ("/json-guard/the-rest-is-told", test_the_rest_is_told);
  g_test_add_func ("/json-guard/depth-is-that-of-a-plain-walk", test_depth_is_that_of_a_plain_walk);
  return g_test_run ();
}
