/* SPDX-License-Identifier: Apache-2.0 */
/* test-error.c - which of several exit statuses wins. */

#include "base/error.h"

#include <errno.h>

static void
test_worse (void)
{
  static const NpExit order[]
      = { NP_EXIT_PIPE, NP_EXIT_ROOM, NP_EXIT_PLUGIN, NP_EXIT_USAGE, NP_EXIT_INPUT,
          NP_EXIT_SINK, NP_EXIT_GATE, NP_EXIT_LOSSES, NP_EXIT_OK };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++) {
    g_assert_cmpint (np_exit_worse (NP_EXIT_INTERRUPTED, order[i]), ==, NP_EXIT_INTERRUPTED);
    g_assert_cmpint (np_exit_worse (order[i], NP_EXIT_TERMINATED), ==, NP_EXIT_TERMINATED);
    for (guint k = i; k < G_N_ELEMENTS (order); k++) {
      g_assert_cmpint (np_exit_worse (order[i], order[k]), ==, order[i]);
      g_assert_cmpint (np_exit_worse (order[k], order[i]), ==, order[i]);
    }
  }
}

static GError *
made (NpExit code, const char *message)
{
  return g_error_new_literal (NP_ERROR, (int) code, message);
}

/* The status is that of the message which is printed last; nothing said is lost. */
static void
test_join (void)
{
  static const struct {
    NpExit a, b;
    const char *message_a, *message_b, *kept, *other;
  } cases[] = {
    { NP_EXIT_SINK, NP_EXIT_USAGE, "a", "b", "b", "a" },
    { NP_EXIT_USAGE, NP_EXIT_SINK, "a", "b", "a", "b" },
    { NP_EXIT_SINK, NP_EXIT_SINK, "a", "b", "a", "b" },
    { NP_EXIT_ELSEWHERE, NP_EXIT_INPUT, "a", "b", "b", NULL },
    { NP_EXIT_INTERRUPTED, NP_EXIT_SINK, "a", "b", "b", NULL },
    { NP_EXIT_SINK, NP_EXIT_INTERRUPTED, "a", "b", "a", NULL },
    { NP_EXIT_ELSEWHERE, NP_EXIT_ELSEWHERE, "a", "b", "a", NULL },
    { NP_EXIT_PIPE, NP_EXIT_PLUGIN, "a", "b", "a", "b" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) failed = made (cases[i].a, cases[i].message_a);
    g_autoptr (GError) other = np_error_join (&failed, made (cases[i].b, cases[i].message_b));
    g_assert_cmpstr (failed->message, ==, cases[i].kept);
    g_assert_cmpstr (other ? other->message : NULL, ==, cases[i].other);
  }
  g_autoptr (GError) first = NULL;
  g_assert_null (np_error_join (&first, NULL));
  g_assert_null (np_error_join (&first, made (NP_EXIT_SINK, "a")));
  g_assert_error (first, NP_ERROR, NP_EXIT_SINK);
}

static void
test_errno (void)
{
  g_autoptr (GError) error = NULL;
  np_error_errno (&error, NP_EXIT_INPUT, "a/b.json", ENOENT);
  g_assert_error (error, NP_ERROR, NP_EXIT_INPUT);
  g_assert_cmpstr (error->message, ==, "a/b.json: No such file or directory");
  static const int rooms[] = { ENOSPC, EDQUOT, EROFS, ENOMEM, EMFILE, ENFILE };
  for (guint i = 0; i < G_N_ELEMENTS (rooms); i++) {
    g_autoptr (GError) full = NULL;
    np_error_errno (&full, NP_EXIT_INPUT, "a/b.json", rooms[i]);
    g_assert_error (full, NP_ERROR, NP_EXIT_ROOM);
    g_assert_nonnull (strstr (full->message, ": this machine had no room: "));
  }
  np_error_errno (NULL, NP_EXIT_INPUT, "a", EIO); /* nobody asks: nothing happens */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/worse", test_worse);
  g_test_add_func ("/error/join", test_join);
  g_test_add_func ("/error/errno", test_errno);
  return g_test_run ();
}
