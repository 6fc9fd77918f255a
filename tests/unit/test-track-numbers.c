/* SPDX-License-Identifier: Apache-2.0 */
/* test-track-numbers.c - the same tracks get the same numbers in whatever order they were
 * made, and depth costs no more than width. */

#include "rows/track-numbers.h"

#include <nprof/sdk.h>

#define N 60

typedef struct {
  NpStrings *strings;
  NpTracks *tracks;
} Forest;

static void
forest_init (Forest *f)
{
  f->strings = np_strings_new ();
  f->tracks = np_tracks_new ();
}

static void
forest_clear (Forest *f)
{
  np_tracks_free (f->tracks);
  np_strings_free (f->strings);
}

static nprof_str
str (Forest *f, const char *text)
{
  return np_strings_intern (f->strings, text, strlen (text));
}

static guint
number (Forest *f, nprof_track track)
{
  return np_tracks_get (f->tracks, track)->number;
}

static nprof_track
child (Forest *f, nprof_track parent, guint kind, const char *key, gint64 sort)
{
  return np_tracks_add (f->tracks, parent, kind, str (f, key), 0, sort);
}

static void
test_by_what_they_are (void)
{
  Forest f;
  forest_init (&f);
  nprof_track root = np_tracks_root (f.tracks, 0, str (&f, "in"));
  nprof_track b = child (&f, root, NPROF_TRACK_THREAD, "b", 0);
  nprof_track a = child (&f, root, NPROF_TRACK_THREAD, "a", 0);
  nprof_track process = child (&f, root, NPROF_TRACK_PROCESS, "z", 0);
  nprof_track last = child (&f, root, NPROF_TRACK_HOST, "a", 9);
  nprof_track below = child (&f, b, NPROF_TRACK_QUEUE, "0", -5);
  nprof_track delivered = child (&f, root, NPROF_TRACK_THREAD, "zz", 3);
  nprof_track under = child (&f, delivered, NPROF_TRACK_QUEUE, "0", 0);
  np_tracks_delivered (f.tracks, delivered, 4);
  np_track_numbers_complete (f.tracks, f.strings);
  const nprof_track order[] = { root, delivered, process, a, b, last, under, below };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    g_assert_cmpuint (number (&f, order[i]), ==, i + 1);
  np_track_numbers_complete (f.tracks, f.strings); /* changes nothing */
  g_assert_cmpuint (number (&f, below), ==, 8);
  forest_clear (&f);
}

/* Two inputs of one label, as siblings in two folders have. */
static void
test_roots (void)
{
  Forest f;
  forest_init (&f);
  nprof_track roots[4];
  for (guint i = 0; i < 4; i++)
    roots[i] = np_tracks_root (f.tracks, i, str (&f, i % 2 ? "a" : "b"));
  np_track_numbers_complete (f.tracks, f.strings);
  static const guint expected[] = { 3, 1, 4, 2 };
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (number (&f, roots[i]), ==, expected[i]);
  forest_clear (&f);
}

/* Makes the tracks 0..N-1, each below (i - 1) / 3, in a random order. */
static char *
random_forest (guint32 seed)
{
  Forest f;
  forest_init (&f);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  nprof_track made[N] = { np_tracks_root (f.tracks, 0, str (&f, "in")) };
  for (guint n = 1; n < N;) {
    guint i = (guint) g_rand_int_range (rand, 1, N);
    nprof_track parent = made[(i - 1) / 3];
    if (made[i] || !parent)
      continue;
    g_autofree char *key = g_strdup_printf ("%u", i * 7 % 10);
    made[i] = child (&f, parent, NPROF_TRACK_THREAD + i % 2, key, i % 4);
    n++;
  }
  np_track_numbers_complete (f.tracks, f.strings);
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < N; i++)
    g_string_append_printf (text, "%u ", number (&f, made[i]));
  forest_clear (&f);
  return g_string_free (text, FALSE);
}

static void
test_any_order_of_making (void)
{
  g_autofree char *expected = random_forest (0);
  for (guint32 seed = 1; seed < 20; seed++) {
    g_autofree char *found = random_forest (seed);
    g_assert_cmpstr (found, ==, expected);
  }
}

static void
test_deep (void)
{
  Forest f;
  forest_init (&f);
  nprof_track track = np_tracks_root (f.tracks, 0, str (&f, "in"));
  for (guint i = 0; i < 50000; i++)
    track = child (&f, track, NPROF_TRACK_THREAD, "t", 0);
  np_track_numbers_complete (f.tracks, f.strings);
  g_assert_cmpuint (number (&f, track), ==, 50001);
  forest_clear (&f);
}

static void
test_none (void)
{
  Forest f;
  forest_init (&f);
  np_track_numbers_complete (f.tracks, f.strings);
  g_assert_cmpuint (np_tracks_count (f.tracks), ==, 0);
  forest_clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/track-numbers/by-what-they-are", test_by_what_they_are);
  g_test_add_func ("/track-numbers/roots", test_roots);
  g_test_add_func ("/track-numbers/any-order-of-making", test_any_order_of_making);
  g_test_add_func ("/track-numbers/deep", test_deep);
  g_test_add_func ("/track-numbers/none", test_none);
  return g_test_run ();
}
