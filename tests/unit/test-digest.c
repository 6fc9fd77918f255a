/* SPDX-License-Identifier: Apache-2.0 */
/* test-digest.c - the digest of an input: the same for a file and for its bytes, by size and both
 * ends only. */
#include "input/digest.h"

#include "base/error.h"
#include "fake-run.h"
#include "run/instance.h"

#include <glib/gstdio.h>
#include <nprof/draft/digest.h>
#include <string.h>

/* sha1sum of "0" and of "3abcabc" */
static void
test_known (void)
{
  char hex[NP_DIGEST_HEX + 1];
  np_digest_memory ("", 0, hex);
  g_assert_cmpstr (hex, ==, "b6589fc6ab0dc82cf12099d1c2d40ab994e8410c");
  np_digest_memory ("abc", 3, hex);
  g_autofree char *expected = g_compute_checksum_for_string (G_CHECKSUM_SHA1, "3abcabc", -1);
  g_assert_cmpstr (hex, ==, expected);
}

static void
check_file (const char *data, gsize len)
{
  char of_memory[NP_DIGEST_HEX + 1], of_file[NP_DIGEST_HEX + 1];
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "nprof-digest-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, data, (gssize) len, NULL));
  np_digest_memory (data, len, of_memory);
  g_assert_true (np_digest_file (path, of_file, NULL));
  g_assert_cmpstr (of_file, ==, of_memory);
  g_unlink (path);
}

static void
test_file (void)
{
  const gsize lens[] = { 0, 1, NP_DIGEST_BYTES - 1, NP_DIGEST_BYTES, 2 * NP_DIGEST_BYTES + 5 };
  g_autofree char *data = g_malloc (lens[G_N_ELEMENTS (lens) - 1]);
  for (gsize k = 0; k < lens[G_N_ELEMENTS (lens) - 1]; k++)
    data[k] = (char) (k * 2654435761u >> 24);
  for (guint k = 0; k < G_N_ELEMENTS (lens); k++)
    check_file (data, lens[k]);
}

/* Each end counts, the middle does not. */
static void
test_ends (void)
{
  gsize len = 3 * NP_DIGEST_BYTES;
  g_autofree char *data = g_malloc0 (len);
  char none[NP_DIGEST_HEX + 1], hex[NP_DIGEST_HEX + 1];
  np_digest_memory (data, len, none);
  const struct {
    gsize at;
    gboolean counts;
  } flips[] = { { 0, TRUE },
                { NP_DIGEST_BYTES - 1, TRUE },
                { NP_DIGEST_BYTES, FALSE },
                { 2 * NP_DIGEST_BYTES - 1, FALSE },
                { 2 * NP_DIGEST_BYTES, TRUE },
                { len - 1, TRUE } };
  for (guint k = 0; k < G_N_ELEMENTS (flips); k++) {
    data[flips[k].at] = 1;
    np_digest_memory (data, len, hex);
    data[flips[k].at] = 0;
    g_assert_cmpint (strcmp (hex, none) != 0, ==, flips[k].counts);
  }
  np_digest_memory (data, len - 1, hex);
  g_assert_cmpstr (hex, !=, none);
}

static void
test_missing (void)
{
  char hex[NP_DIGEST_HEX + 1];
  g_autoptr (GError) error = NULL;
  g_assert_false (np_digest_file ("/nowhere/at/all", hex, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_INPUT);
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all"));
}

/* A sink asks while it is opened: later others read the inputs, and nobody else asks. */
static void
test_host (void)
{
  g_autoptr (FakeRun) fake = fake_run_new (8);
  struct nprof_component sink = { .size = sizeof sink, .kind = NPROF_SINK, .name = "asks" };
  NpInstance self = { .run = &fake->run, .component = &sink };
  char hex[NP_DIGEST_HEX + 1];
  np_host_init (&self.host, fake->run.log);
  fake_input (fake, "/proc/self/exe", NPROF_NO_EPOCH);
  const struct nprof_digest *digest = self.host.extension (&self.host, NPROF_DIGEST);
  self.opening = TRUE;
  g_assert_cmpint (digest->of (&self.host, 0, hex), ==, NPROF_OK);
  g_assert_cmpint (digest->of (&self.host, 1, hex), ==, NPROF_E_CONTRACT);
  g_clear_error (&self.error);
  self.opening = FALSE;
  g_assert_cmpint (digest->of (&self.host, 0, hex), ==, NPROF_E_CONTRACT);
  g_assert_nonnull (strstr (self.error->message, "from open only"));
  g_clear_error (&self.error);
  self.opening = TRUE;
  sink.kind = NPROF_ANALYZER;
  g_assert_cmpint (digest->of (&self.host, 0, hex), ==, NPROF_E_CONTRACT);
  g_clear_error (&self.error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/digest/known", test_known);
  g_test_add_func ("/digest/file", test_file);
  g_test_add_func ("/digest/ends", test_ends);
  g_test_add_func ("/digest/missing", test_missing);
  g_test_add_func ("/digest/host", test_host);
  return g_test_run ();
}
