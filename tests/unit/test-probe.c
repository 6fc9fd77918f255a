/* SPDX-License-Identifier: Apache-2.0 */
/* test-probe.c - which decoder reads a file.  Those of tests/unit/plugins/bidders.c bid what
 * the file says; they are copied into a folder of the test. */

#include "plugin/probe.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"

typedef struct {
  char *folder, *so;
  NpRegistry *modules;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  f->folder = g_dir_make_tmp ("nprof-bids-XXXXXX", NULL);
  f->so = g_build_filename (f->folder, "bidders.so", NULL);
  g_setenv ("NPROF_PLUGIN_PATH", f->folder, TRUE);
  g_setenv ("XDG_DATA_HOME", f->folder, TRUE);
  if (data) {
    g_autofree char *from = g_test_build_filename (G_TEST_BUILT, "plugins", data, NULL);
    g_autofree char *bytes = NULL;
    gsize len;
    g_assert_true (g_file_get_contents (from, &bytes, &len, NULL));
    g_assert_true (g_file_set_contents (f->so, bytes, (gssize) len, NULL));
    g_assert_cmpint (g_chmod (f->so, 0644), ==, 0);
  }
  f->modules = np_registry_new (NULL);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_registry_free (f->modules);
  g_remove (f->so);
  g_rmdir (f->folder);
  g_free (f->so);
  g_free (f->folder);
}

static void
check_winner (Fixture *f, const char *path, const char *head, const char *expected)
{
  gboolean tie;
  g_autoptr (GError) error = NULL;
  const struct nprof_component *c
      = np_probe_decoders (f->modules, path, head, strlen (head), strlen (head), NP_SCORE_ANY, NULL,
                           &tie, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (c->name, ==, expected);
}

static void
check_none (Fixture *f, const char *head, NpExit code, const char *expected)
{
  gboolean tie;
  g_autoptr (GError) error = NULL;
  g_assert_null (np_probe_decoders (f->modules, "a.bin", head, strlen (head), strlen (head),
                                    NP_SCORE_ANY, NULL, &tie, &error));
  GQuark domain = code == NP_EXIT_INPUT ? NP_UNKNOWN_FORMAT : NP_ERROR;
  g_assert_error (error, domain, (int) code);
  g_assert_cmpstr (error->message, ==, expected);
}

static void
test_the_highest_wins (Fixture *f, gconstpointer data)
{
  (void) data;
  check_winner (f, "a", "one=1", "one");
  check_winner (f, "a", "one=60 two=90 three=40", "two");
  check_winner (f, "a", "one=60 two=40 three=90", "three");
  check_winner (f, "a", "one=90 two=40 three=40", "one"); /* a tie below it is none */
  check_winner (f, "a", "one=40 two=90 three=40", "two");
  check_winner (f, "a.three", "one=19", "three"); /* by the name of the file */
  check_winner (f, "a", "one=-5 two=1 three=-5", "two");
}

static void
test_the_size_is_told (Fixture *f, gconstpointer data)
{
  gboolean tie;
  (void) data;
  g_autoptr (GError) error = NULL;
  const struct nprof_component *c
      = np_probe_decoders (f->modules, "-", "two=50", 6, 0, NP_SCORE_ANY, NULL, &tie, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (c->name, ==, "two");
  c = np_probe_decoders (f->modules, "-", "one=1 two=50", 12, 0, NP_SCORE_ANY, NULL, &tie, &error);
  g_assert_no_error (error);
  g_assert_nonnull (c);
}

static void
test_a_tie (Fixture *f, gconstpointer data)
{
  (void) data;
  static const struct {
    const char *head, *winner, *bids;
    gboolean tie;
  } cases[] = { { "one=60 two=60", "one", "one 60, two 60", TRUE },
                { "two=60 three=60", "three", "three 60, two 60", TRUE },
                { "one=60 two=60 three=60", "one", "one 60, three 60, two 60", TRUE },
                { "one=60 two=60 three=61", "three", "one 60, three 61, two 60", FALSE } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *bids = NULL;
    gboolean tie;
    const char *head = cases[i].head;
    const struct nprof_component *c = np_probe_decoders (
        f->modules, "a.bin", head, strlen (head), strlen (head), NP_SCORE_ANY, &bids, &tie, NULL);
    g_assert_cmpstr (c->name, ==, cases[i].winner);
    g_assert_cmpstr (bids, ==, cases[i].bids);
    g_assert_cmpint (tie, ==, cases[i].tie);
  }
}

static void
test_no_bid (Fixture *f, gconstpointer data)
{
  (void) data;
  check_none (f, "something else", NP_EXIT_INPUT,
              "a.bin: is text, but no decoder knows this format: name one with -d if you are sure "
              "(nprof plugins lists them)");
  check_none (f, "one=-1 two=-1 three=-1", NP_EXIT_INPUT,
              "a.bin: is text, but no decoder knows this format: name one with -d if you are sure "
              "(nprof plugins lists them)");
  check_none (f, "", NP_EXIT_INPUT, "a.bin: the file is empty: byte 0: expected a profile");
}

/* In a folder a mere hint is not enough. */
static void
test_a_hint (Fixture *f, gconstpointer data)
{
  gboolean tie;
  (void) data;
  g_autoptr (GError) error = NULL;
  g_assert_null (
      np_probe_decoders (f->modules, "a", "one=19", 6, 6, NP_SCORE_BY_NAME, NULL, &tie, &error));
  g_assert_error (error, NP_UNKNOWN_FORMAT, NP_EXIT_INPUT);
  g_assert_nonnull (
      np_probe_decoders (f->modules, "a", "one=20", 6, 6, NP_SCORE_BY_NAME, NULL, &tie, NULL));
}

static void
test_no_decoder (Fixture *f, gconstpointer data)
{
  (void) data;
  check_none (f, "one=60", NP_EXIT_INPUT,
              "a.bin: is text, but no decoder knows this format: name one with -d if you are sure "
              "(nprof plugins lists them)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, plugin, fn) g_test_add (path, Fixture, plugin, set_up, fn, tear_down)
  TEST ("/bids/the-highest-wins", "bidders.so", test_the_highest_wins);
  TEST ("/bids/the-size-is-told", "bidders.so", test_the_size_is_told);
  TEST ("/bids/a-tie", "bidders.so", test_a_tie);
  TEST ("/bids/no-bid", "bidders.so", test_no_bid);
  TEST ("/bids/a-hint", "bidders.so", test_a_hint);
  TEST ("/bids/no-decoder", NULL, test_no_decoder);
  return g_test_run ();
}
