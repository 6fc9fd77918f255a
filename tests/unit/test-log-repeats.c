/* SPDX-License-Identifier: Apache-2.0 */
/* test-log-repeats.c - which warnings have one reason, and what is said of the others. */

#include "base/log-repeats.h"

#include <nprof/plugin.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
  int fd;
  NpLog *log;
  NpRepeats *repeats;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->fd = memfd_create ("log", 0);
  f->log = np_log_new (NPROF_WARNING, f->fd);
  f->repeats = np_repeats_new (f->log);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_repeats_free (f->repeats);
  np_log_free (f->log);
  close (f->fd);
}

static guint
lines_said (Fixture *f, const char *part)
{
  g_auto (GStrv) lines = NULL;
  g_autofree char *text = g_malloc0 (1 << 20);
  guint n = 0;
  g_assert_cmpint (pread (f->fd, text, (1 << 20) - 1, 0), >=, 0);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    n += strstr (lines[i], part) != NULL;
  return n;
}

static void
say (Fixture *f, guint times, const char *format)
{
  for (guint i = 0; i < times; i++) {
    g_autofree char *what = g_strdup_printf (format, i);
    np_repeats_say (f->repeats, "in", what);
  }
}

static void
test_reasons (Fixture *f, gconstpointer data)
{
  (void) data;
  say (f, 30, "byte %u: no number");
  say (f, 30, "byte 7: \"name%u and more\" is no number");
  say (f, 30, "event e%ux: no time");
  say (f, 20, "byte %u: twenty times");
  g_assert_cmpuint (lines_said (f, ": no number"), ==, 20);
  g_assert_cmpuint (lines_said (f, "is no number"), ==, 20);
  g_assert_cmpuint (lines_said (f, "no time"), ==, 20);
  np_repeats_end (f->repeats);
  g_assert_cmpuint (lines_said (f, "10 more like this were not said: byte 0: no number"), ==, 1);
  g_assert_cmpuint (lines_said (f, "10 more like this"), ==, 3);
  g_assert_cmpuint (lines_said (f, "twenty times"), ==, 20);
}

/* Words without digits make reasons of their own, but not without end. */
static void
test_many_reasons (Fixture *f, gconstpointer data)
{
  (void) data;
  for (guint i = 0; i < 1000; i++) {
    char what[] = { (char) ('a' + i % 26), (char) ('a' + i / 26 % 26), (char) ('a' + i / 676), 0 };
    np_repeats_say (f->repeats, "in", what);
  }
  np_repeats_end (f->repeats);
  g_assert_cmpuint (lines_said (f, "in: "), ==, NP_REPEATS_REASONS + NP_REPEATS_SAID);
  g_assert_cmpuint (lines_said (f, "880 more like this were not said: records that are damaged for "
                                   "other reasons"),
                    ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/log-repeats/reasons", Fixture, NULL, set_up, test_reasons, tear_down);
  g_test_add ("/log-repeats/many-reasons", Fixture, NULL, set_up, test_many_reasons, tear_down);
  return g_test_run ();
}
