/* SPDX-License-Identifier: Apache-2.0 */
/* test-log.c - levels, whole lines, and that nothing reaches a terminal raw. */

#include "base/log.h"
#include "run/progress.h"

#include <nprof/plugin.h>
#include <pthread.h>
#include <pty.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  NpLog *log;
  int in, out; /* in: where what it writes is read */
} Fixture;

static void
pipe_up (Fixture *f, int level)
{
  int ends[2];
  g_assert_cmpint (pipe (ends), ==, 0);
  f->in = ends[0];
  f->out = ends[1];
  f->log = np_log_new (level, f->out);
}

/* All that was written; ends the log. */
static char *
drain (Fixture *f)
{
  char data[65536];
  np_log_free (f->log);
  close (f->out);
  gsize n = 0;
  for (ssize_t got; n < sizeof data && (got = read (f->in, data + n, sizeof data - n)) > 0;)
    n += (gsize) got;
  close (f->in);
  return g_strndup (data, n);
}

static void
test_levels (void)
{
  Fixture f;
  pipe_up (&f, NPROF_INFO);
  g_assert_cmpint (np_log_level (f.log), ==, NPROF_INFO);
  np_log (f.log, NPROF_ERROR, "one %d", 1);
  np_log (f.log, NPROF_WARNING, "two");
  np_log (f.log, NPROF_INFO, "three");
  np_log (f.log, NPROF_DEBUG, "four");
  np_log_status (f.log, "not on a pipe");
  g_autofree char *text = drain (&f);
  g_assert_cmpstr (text, ==, "nprof: error: one 1\nnprof: warning: two\nnprof: three\n");
}

/* Said with the warnings, but it is none. */
static void
test_notice (void)
{
  for (int level = NPROF_ERROR; level <= NPROF_WARNING; level++) {
    Fixture f;
    pipe_up (&f, level);
    np_log (f.log, NPROF_NOTICE, "it is there");
    g_autofree char *text = drain (&f);
    g_assert_cmpstr (text, ==, level == NPROF_ERROR ? "" : "nprof: it is there\n");
  }
}

static void
test_debug (void)
{
  Fixture f;
  pipe_up (&f, NPROF_DEBUG);
  np_log_text (f.log, NPROF_DEBUG, "100 %s");
  g_autofree char *text = drain (&f);
  g_assert_cmpstr (text, ==, "nprof: debug: 100 %s\n");
}

static void
test_escapes (void)
{
  Fixture f;
  pipe_up (&f, NPROF_INFO);
  np_log_text (f.log, NPROF_INFO, "a\033[31mb\nc\xff");
  g_autofree char *text = drain (&f);
  g_assert_cmpstr (text, ==, "nprof: a\\x1b[31mb\\x0ac\\xff\n");
}

static void
test_printable (void)
{
  static const struct {
    const char *in;
    gssize len;
    const char *out;
  } cases[] = {
    { "plain", -1, "plain" },
    { "", -1, "" },
    { "gr\xc3\xbc\xc3\x9f", -1, "gr\xc3\xbc\xc3\x9f" },
    { "a\0b", 3, "a\\x00b" },
    { "abc", 2, "ab" },
    { "\t\r\x7f", -1, "\\x09\\x0d\\x7f" },
    { "\xc2\x9b"
      "1m",
      -1, "\\xc2\\x9b1m" }, /* CSI of C1 */
    { "\xe2\x80\xae"
      "x",
      -1, "\\xe2\\x80\\xaex" }, /* turns the text around */
    { "\xe2\x82", -1, "\\xe2\\x82" },
    { "\xed\xa0\x80", -1, "\\xed\\xa0\\x80" },
    { "\xe2\x82\xac", 2, "\\xe2\\x82" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *out = np_printable (cases[i].in, cases[i].len);
    g_assert_cmpstr (out, ==, cases[i].out);
  }
}

/* -- Threads --------------------------------------------------------------- */

static void *
chatter (void *user)
{
  for (guint i = 0; i < 100; i++)
    np_log (user, NPROF_INFO, "a line that must come whole");
  return NULL;
}

static void
test_whole_lines (void)
{
  Fixture f;
  pipe_up (&f, NPROF_INFO);
  pthread_t threads[4];
  for (guint i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, chatter, f.log);
  for (guint i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  g_autofree char *text = drain (&f);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 401);
  for (guint i = 0; i < 400; i++)
    g_assert_cmpstr (lines[i], ==, "nprof: a line that must come whole");
}

/* -- A terminal ------------------------------------------------------------ */

static void
terminal_up (Fixture *f, gushort width)
{
  struct winsize size = { .ws_row = 24, .ws_col = width };
  g_assert_cmpint (openpty (&f->in, &f->out, NULL, NULL, &size), ==, 0);
  f->log = np_log_new (NPROF_INFO, f->out);
}

static void
test_status (void)
{
  Fixture f;
  terminal_up (&f, 20);
  np_log_status (f.log, "50 %");
  np_log (f.log, NPROF_INFO, "hello");
  np_log_status (f.log, NULL);
  np_log_status (f.log, NULL);
  np_log_status (f.log, "longer than the twenty columns");
  np_log_status (f.log, "a\033b");
  g_autofree char *text = drain (&f);
  g_assert_cmpstr (text, ==,
                   "\r\033[K50 %"
                   "\r\033[Knprof: hello\r\n50 %"
                   "\r\033[K"
                   "\r\033[Klonger than the twe"
                   "\r\033[Ka\\x1bb"
                   "\r\033[K");
}

static void
test_progress (void)
{
  Fixture f;
  terminal_up (&f, 80);
  NpProgress *progress = np_progress_new (f.log, TRUE, NULL);
  np_progress_total (progress, "a.json", 1000);
  for (guint i = 0; i < 100; i++)
    np_progress_add (progress, 10, 1);
  np_progress_stage (progress, NP_ANALYZES); /* too early to be of use */
  np_progress_end (progress);
  np_progress_add (progress, 10, 1); /* after the end nothing is shown */
  np_progress_free (progress);
  g_autofree char *text = drain (&f);
  guint lines = 0;
  for (const char *p = text; (p = strstr (p, "a.json")); p++)
    lines++;
  g_assert_cmpuint (lines, <=, 10); /* ten a second, and this is far less */
}

static void
take_progress (gpointer user, const NpProgressNow *now)
{
  g_array_append_val ((GArray *) user, *now);
}

/* Whoever listens is told of all inputs together, and of each stage. */
static void
test_progress_listener (void)
{
  g_autoptr (GArray) told = g_array_new (FALSE, FALSE, sizeof (NpProgressNow));
  const NpProgressListener listener = { take_progress, told };
  NpProgress *progress = np_progress_new (NULL, FALSE, &listener);
  np_progress_expect (progress, 3000);
  np_progress_total (progress, "a.json", 1000);
  np_progress_add (progress, 1000, 1);
  np_progress_total (progress, "b.json", 2000);
  np_progress_add (progress, 500, 1);
  np_progress_stage (progress, NP_READS);
  np_progress_stage (progress, NP_ANALYZES);
  np_progress_stage (progress, NP_FINISHES);
  np_progress_end (progress);
  np_progress_free (progress);
  g_assert_cmpuint (told->len, >=, 4); /* the first bytes are told at once */
  const NpProgressNow *last = &g_array_index (told, NpProgressNow, told->len - 3);
  g_assert_cmpuint (last[0].stage, ==, NP_READS);
  g_assert_cmpuint (last[0].done, ==, 1500);
  g_assert_cmpuint (last[0].total, ==, 3000);
  g_assert_cmpuint (last[1].stage, ==, NP_ANALYZES);
  g_assert_cmpuint (last[1].done, ==, 3000); /* a decoder may have skipped bytes */
  g_assert_cmpuint (last[2].stage, ==, NP_FINISHES);
  for (guint i = 1; i < told->len; i++)
    g_assert_cmpuint (g_array_index (told, NpProgressNow, i).done, >=,
                      g_array_index (told, NpProgressNow, i - 1).done);
}

static void
test_progress_text (void)
{
  static const struct {
    guint64 total, bytes, rows;
    double seconds;
    const char *text;
  } cases[] = {
    { 1000000000, 250000000, 7, 0.5, "x   25.0 %  500 MB/s  7 rows  2 s left" },
    { 1000, 0, 0, 0, "x    0.0 %  0 B/s  0 rows" },
    { 1000, 1000, 1, 1, "x  100.0 %  1.00 kB/s  1 rows" },
    { 1000, 2000, 1, 1, "x  100.0 %  2.00 kB/s  1 rows" },
    { 0, 3000000, 1, 1, "x  3.00 MB/s  1 rows" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *text
        = np_progress_text ("x", cases[i].total, cases[i].bytes, cases[i].rows, cases[i].seconds);
    g_assert_cmpstr (text, ==, cases[i].text);
  }
}

static void
test_no_progress (void)
{
  Fixture f;
  terminal_up (&f, 80);
  NpProgress *progress = np_progress_new (f.log, FALSE, NULL);
  np_progress_total (progress, "a.json", 1000);
  np_progress_add (progress, 10, 1);
  np_progress_end (progress);
  np_progress_free (progress);
  g_autofree char *text = drain (&f);
  g_assert_cmpstr (text, ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log/levels", test_levels);
  g_test_add_func ("/log/notice", test_notice);
  g_test_add_func ("/log/debug", test_debug);
  g_test_add_func ("/log/escapes", test_escapes);
  g_test_add_func ("/log/printable", test_printable);
  g_test_add_func ("/log/whole-lines", test_whole_lines);
  g_test_add_func ("/log/status", test_status);
  g_test_add_func ("/log/progress", test_progress);
  g_test_add_func ("/log/progress/listener", test_progress_listener);
  g_test_add_func ("/log/progress-text", test_progress_text);
  g_test_add_func ("/log/no-progress", test_no_progress);
  return g_test_run ();
}
