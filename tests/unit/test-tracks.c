/* SPDX-License-Identifier: Apache-2.0 */
/* test-tracks.c - identity, labels, processes and numbers of tracks. */

#include "rows/tracks.h"

#include <pthread.h>

static void
test_roots (void)
{
  NpTracks *tracks = np_tracks_new ();
  nprof_track a = np_tracks_root (tracks, 0, 5), b = np_tracks_root (tracks, 1, 5);
  g_assert_cmpuint (a, ==, 1);
  g_assert_cmpuint (b, ==, 2); /* two inputs may share a label */
  g_assert_cmpuint (np_tracks_root (tracks, 0, 5), ==, a);
  const struct nprof_track_info *info = np_tracks_get (tracks, b);
  g_assert_cmpuint (info->size, ==, sizeof *info);
  g_assert_cmpuint (info->kind, ==, NPROF_TRACK_INPUT);
  g_assert_cmpuint (info->parent, ==, 0);
  g_assert_cmpuint (info->input, ==, 1);
  g_assert_cmpuint (info->key, ==, 5);
  g_assert_cmpuint (info->process, ==, 0);
  np_tracks_free (tracks);
  np_tracks_free (NULL);
}

static void
test_identity (void)
{
  NpTracks *tracks = np_tracks_new ();
  nprof_track root = np_tracks_root (tracks, 7, 1);
  nprof_track t = np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 2, 3, 4);
  g_assert_cmpuint (np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 2, 99, 98), ==, t);
  g_assert_cmpuint (np_tracks_add (tracks, root, NPROF_TRACK_QUEUE, 2, 3, 4), !=, t);
  g_assert_cmpuint (np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 3, 3, 4), !=, t);
  g_assert_cmpuint (np_tracks_add (tracks, t, NPROF_TRACK_THREAD, 2, 3, 4), !=, t);
  g_assert_cmpuint (np_tracks_count (tracks), ==, 5);
  const struct nprof_track_info *info = np_tracks_get (tracks, t);
  g_assert_cmpuint (info->label, ==, 3); /* the first label stays */
  g_assert_cmpint (info->sort, ==, 4);
  g_assert_cmpuint (info->input, ==, 7);
  np_tracks_free (tracks);
}

static void
test_late_label (void)
{
  NpTracks *tracks = np_tracks_new ();
  nprof_track root = np_tracks_root (tracks, 0, 1);
  nprof_track t = np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 2, 0, 5);
  np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 2, 3, 0);
  g_assert_cmpuint (np_tracks_get (tracks, t)->label, ==, 3);
  g_assert_cmpint (np_tracks_get (tracks, t)->sort, ==, 5);
  nprof_track u = np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 9, 0, 0);
  np_tracks_add (tracks, root, NPROF_TRACK_THREAD, 9, 3, -2);
  g_assert_cmpint (np_tracks_get (tracks, u)->sort, ==, -2);
  np_tracks_free (tracks);
}

static void
test_unknown (void)
{
  NpTracks *tracks = np_tracks_new ();
  g_assert_cmpuint (np_tracks_add (tracks, 0, NPROF_TRACK_THREAD, 1, 1, 0), ==, 0);
  g_assert_cmpuint (np_tracks_add (tracks, 1, NPROF_TRACK_THREAD, 1, 1, 0), ==, 0);
  np_tracks_root (tracks, 0, 1);
  g_assert_null (np_tracks_get (tracks, 0));
  g_assert_null (np_tracks_get (tracks, 2));
  g_assert_null (np_tracks_get (tracks, G_MAXUINT32));
  np_tracks_delivered (tracks, 99, 1); /* nothing to count */
  g_assert_cmpuint (np_tracks_rows (tracks, 99), ==, 0);
  np_tracks_free (tracks);
}

static void
test_process (void)
{
  NpTracks *tracks = np_tracks_new ();
  nprof_track root = np_tracks_root (tracks, 0, 1);
  nprof_track host = np_tracks_add (tracks, root, NPROF_TRACK_HOST, 2, 0, 0);
  nprof_track process = np_tracks_add (tracks, host, NPROF_TRACK_PROCESS, 3, 0, 0);
  nprof_track thread = np_tracks_add (tracks, process, NPROF_TRACK_THREAD, 4, 0, 0);
  nprof_track device = np_tracks_add (tracks, thread, NPROF_TRACK_DEVICE, 5, 0, 0);
  nprof_track core = np_tracks_add (tracks, device, NPROF_TRACK_CORE, 6, 0, 0);
  g_assert_cmpuint (np_tracks_get (tracks, host)->process, ==, 0);
  g_assert_cmpuint (np_tracks_get (tracks, process)->process, ==, process);
  g_assert_cmpuint (np_tracks_get (tracks, thread)->process, ==, process);
  g_assert_cmpuint (np_tracks_get (tracks, device)->process, ==, device);
  g_assert_cmpuint (np_tracks_get (tracks, core)->process, ==, device);
  np_tracks_free (tracks);
}

static void
test_delivered (void)
{
  NpTracks *tracks = np_tracks_new ();
  nprof_track root = np_tracks_root (tracks, 0, 1);
  nprof_track a = np_tracks_add (tracks, root, NPROF_TRACK_PROCESS, 2, 0, 0);
  nprof_track b = np_tracks_add (tracks, root, NPROF_TRACK_PROCESS, 3, 0, 0);
  nprof_track c = np_tracks_add (tracks, b, NPROF_TRACK_THREAD, 4, 0, 0);
  g_assert_cmpuint (np_tracks_get (tracks, c)->number, ==, 0);
  np_tracks_delivered (tracks, c, 10);
  np_tracks_delivered (tracks, a, 0);
  np_tracks_delivered (tracks, c, G_GUINT64_CONSTANT (1) << 40);
  np_tracks_delivered (tracks, b, 1);
  g_assert_cmpuint (np_tracks_get (tracks, root)->number, ==, 1); /* parents first */
  g_assert_cmpuint (np_tracks_get (tracks, b)->number, ==, 2);
  g_assert_cmpuint (np_tracks_get (tracks, c)->number, ==, 3);
  g_assert_cmpuint (np_tracks_get (tracks, a)->number, ==, 4);
  g_assert_cmpuint (np_tracks_rows (tracks, root), ==, 0);
  g_assert_cmpuint (np_tracks_rows (tracks, a), ==, 0);
  g_assert_cmpuint (np_tracks_rows (tracks, b), ==, 1);
  g_assert_cmpuint (np_tracks_rows (tracks, c), ==, (G_GUINT64_CONSTANT (1) << 40) + 10);
  np_tracks_free (tracks);
}

/* A hostile input may nest tracks as deep as it likes. */
static void
test_deep (void)
{
  enum { DEPTH = 200000 };
  NpTracks *tracks = np_tracks_new ();
  nprof_track t = np_tracks_root (tracks, 0, 1);
  for (guint i = 0; i < DEPTH; i++)
    t = np_tracks_add (tracks, t, NPROF_TRACK_THREAD, 1, 0, 0);
  np_tracks_delivered (tracks, t, 1);
  g_assert_cmpuint (np_tracks_get (tracks, t)->number, ==, DEPTH + 1);
  g_assert_cmpuint (np_tracks_get (tracks, 1)->number, ==, 1);
  np_tracks_free (tracks);
}

/* Infos that were handed out stay where they are while the forest grows. */
static void
test_many (void)
{
  enum { N = 20000 };
  NpTracks *tracks = np_tracks_new ();
  nprof_track parent = np_tracks_root (tracks, 0, 1);
  const struct nprof_track_info *first = np_tracks_get (tracks, parent);
  for (guint i = 1; i < N; i++)
    g_assert_cmpuint (np_tracks_add (tracks, parent, NPROF_TRACK_THREAD, i, i, i), ==, i + 1);
  g_assert_true (np_tracks_get (tracks, parent) == first);
  for (guint i = 1; i < N; i++)
    g_assert_cmpuint (np_tracks_get (tracks, i + 1)->key, ==, i);
  np_tracks_free (tracks);
}

/* -- Threads --------------------------------------------------------------- */

static void *
work (void *user)
{
  NpTracks *tracks = user;
  for (guint i = 1; i <= 3000; i++) {
    nprof_track t = np_tracks_add (tracks, 1, NPROF_TRACK_THREAD, i, i, 0);
    const struct nprof_track_info *info = np_tracks_get (tracks, t);
    g_assert_cmpuint (info->key, ==, i);
    g_assert_cmpuint (info->parent, ==, 1);
    np_tracks_get (tracks, np_tracks_count (tracks) + 1);
  }
  return NULL;
}

static void
test_threads (void)
{
  NpTracks *tracks = np_tracks_new ();
  np_tracks_root (tracks, 0, 1);
  pthread_t threads[4];
  for (guint i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, work, tracks);
  for (guint i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  g_assert_cmpuint (np_tracks_count (tracks), ==, 3001);
  np_tracks_free (tracks);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tracks/roots", test_roots);
  g_test_add_func ("/tracks/identity", test_identity);
  g_test_add_func ("/tracks/late-label", test_late_label);
  g_test_add_func ("/tracks/unknown", test_unknown);
  g_test_add_func ("/tracks/process", test_process);
  g_test_add_func ("/tracks/delivered", test_delivered);
  g_test_add_func ("/tracks/deep", test_deep);
  g_test_add_func ("/tracks/many", test_many);
  g_test_add_func ("/tracks/threads", test_threads);
  return g_test_run ();
}
