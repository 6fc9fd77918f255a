/* SPDX-License-Identifier: Apache-2.0 */
/* test-terminal.c - what a terminal gets of hostile text, whole and in pieces. */
#include "base/terminal.h"

#include <string.h>

static const struct {
  const char *text, *shown;
} cases[] = {
  { "plain, caf\303\251, \350\256\255\347\273\203",
    "plain, caf\303\251, \350\256\255\347\273\203" },
  { "a\tb\n", "a\tb\n" },
  { "\033[31m\007\r\b", "\342\220\233[31m\342\220\207\342\220\215\342\220\210" },
  { "\177", "\342\220\241" },
  { "\302\233"
    "31m",
    "<U+009B>31m" },
  { "\342\200\256x\342\201\246\330\234", "<U+202E>x<U+2066><U+061C>" },
  { "\233"
    "31m\377",
    "<9B>31m<FF>" },
  { "\355\240\200", "<ED><A0><80>" }, /* a surrogate */
  { "\342\200", "<E2><80>" },         /* nothing follows */
};

static void
test_shown (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize piece = 1; piece <= 4; piece++) {
      NpTerminalText text = { 0 };
      g_autoptr (GString) out = g_string_new (NULL);
      for (gsize at = 0, len = strlen (cases[i].text); at < len; at += piece)
        np_terminal_show (&text, cases[i].text + at, MIN (piece, len - at), FALSE, out);
      np_terminal_show (&text, "", 0, TRUE, out);
      g_assert_cmpstr (out->str, ==, cases[i].shown);
    }
}

static void
test_nul (void)
{
  NpTerminalText text = { 0 };
  g_autoptr (GString) out = g_string_new (NULL);
  np_terminal_show (&text, "a\0b", 3, TRUE, out);
  g_assert_cmpstr (out->str, ==, "a\342\220\200b");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/terminal/shown", test_shown);
  g_test_add_func ("/terminal/nul", test_nul);
  return g_test_run ();
}
