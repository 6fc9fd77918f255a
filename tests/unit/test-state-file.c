/* SPDX-License-Identifier: Apache-2.0 */
/* test-state-file.c - files of states come back as they were, and no bit of one changes without
 * being seen. */

#include "scale/state-file.h"

#include <glib/gstdio.h>
#include <string.h>

static char *path;

static NpStateRank *
rank (gint64 number)
{
  const NpStateRank of = { .number = number,
                           .world = 8,
                           .begin = 5,
                           .end = 9,
                           .host = (char *) "node0001",
                           .file = (char *) "rank.json",
                           .digest = (char *) "d1",
                           .source = (char *) "s1" };
  return np_state_rank_copy (&of);
}

static NpSaved *
saved (const char *analyzer, const char *bytes)
{
  NpSaved *one = g_new0 (NpSaved, 1);
  one->analyzer = g_strdup (analyzer);
  one->state = g_bytes_new (bytes, strlen (bytes));
  return one;
}

/* content: repeats, and is compressed; or does not. */
static NpState *
some_state (const char *content)
{
  NpState *state = np_state_new ();
  state->nprof = g_strdup ("nprof 1");
  state->options = g_strdup ("ranks");
  g_ptr_array_add (state->ranks, rank (7));
  g_ptr_array_add (state->ranks, rank (3));
  np_state_sort (state);
  g_ptr_array_add (state->states, saved ("ranks", content));
  g_ptr_array_add (state->states, saved ("latency", ""));
  return state;
}

static GBytes *
some_bytes (const char *content)
{
  g_autoptr (NpState) state = some_state (content);
  return np_state_to_bytes (state);
}

static NpState *
read_bytes (const void *data, gsize len, GError **error)
{
  g_assert_true (
      g_file_set_contents_full (path, data, (gssize) len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  return np_state_read (path, TRUE, error);
}

static const char *const contents[]
    = { "x", "the same again and again, the same again and again, the same again and again, the "
             "same again and again, the same again and again, the same again and again" };

static void
test_there_and_back (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (contents); i++) {
    g_autoptr (GBytes) bytes = some_bytes (contents[i]);
    gsize len;
    const void *data = g_bytes_get_data (bytes, &len);
    g_autoptr (NpState) back = read_bytes (data, len, NULL);
    g_assert_nonnull (back);
    g_assert_cmpuint (back->ranks->len, ==, 2);
    g_assert_cmpint (((NpStateRank *) g_ptr_array_index (back->ranks, 0))->number, ==, 3);
    const NpSaved *first = g_ptr_array_index (back->states, 0);
    g_autoptr (GBytes) wanted = g_bytes_new (contents[i], strlen (contents[i]));
    g_assert_true (g_bytes_equal (first->state, wanted));
    g_autoptr (GBytes) again = np_state_to_bytes (back);
    g_assert_true (g_bytes_equal (again, bytes));
  }
}

static void
must_be_refused (const guint8 *data, gsize len)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpState) state = read_bytes (data, len, &error);
  g_assert_null (state);
  g_assert_nonnull (strstr (error->message, path));
}

static void
test_every_bit (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (contents); i++) {
    g_autoptr (GBytes) bytes = some_bytes (contents[i]);
    gsize len;
    const void *data = g_bytes_get_data (bytes, &len);
    g_autofree guint8 *copy = g_memdup2 (data, len);
    for (gsize bit = 0; bit < 8 * len; bit++) {
      copy[bit / 8] ^= (guint8) (1u << bit % 8);
      must_be_refused (copy, len);
      copy[bit / 8] ^= (guint8) (1u << bit % 8);
    }
  }
}

static void
test_every_cut (void)
{
  g_autoptr (GBytes) bytes = some_bytes (contents[1]);
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  g_autofree guint8 *longer = g_malloc0 (len + 1);
  for (gsize cut = 0; cut < len; cut++)
    must_be_refused (data, cut);
  memcpy (longer, data, len);
  must_be_refused (longer, len + 1);
}

static void
test_a_later_version (void)
{
  g_autoptr (GBytes) bytes = some_bytes (contents[0]);
  g_autoptr (GError) error = NULL;
  gsize len;
  const void *data = g_bytes_get_data (bytes, &len);
  g_autofree guint8 *copy = g_memdup2 (data, len);
  copy[7]++;
  g_assert_null (read_bytes (copy, len, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_nonnull (strstr (error->message, "use the nprof that made it"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *folder = g_dir_make_tmp ("nprof-XXXXXX", NULL);
  path = g_build_filename (folder, "rank.nps", NULL);
  g_test_add_func ("/state-file/there-and-back", test_there_and_back);
  g_test_add_func ("/state-file/every-bit", test_every_bit);
  g_test_add_func ("/state-file/every-cut", test_every_cut);
  g_test_add_func ("/state-file/a-later-version", test_a_later_version);
  int status = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  return status;
}
