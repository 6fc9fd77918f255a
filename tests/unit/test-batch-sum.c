/* SPDX-License-Identifier: Apache-2.0 */
/* test-batch-sum.c - the sum of random batches says what their rows say one by one. */

#include "rows/batch-sum.h"

#include <nprof/sdk.h>

#define ROWS 700

typedef struct {
  gint64 start[ROWS], duration[ROWS];
  nprof_track track[ROWS];
  uint8_t kind[ROWS];
  struct nprof_batch view;
} Rows;

static void
rows_view (Rows *rows, guint n)
{
  rows->view = (struct nprof_batch){ .size = sizeof rows->view,
                                     .n_rows = n,
                                     .start = rows->start,
                                     .duration = rows->duration,
                                     .track = rows->track,
                                     .kind = rows->kind };
}

static gint64
random_time (GRand *rand, gboolean far)
{
  gint64 t = (gint64) ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand));
  return far ? t : t >> 20;
}

/* Most are of one track, or of few; some have rows without a time, spans without an end, ends that
 * no int64 holds. */
static void
random_rows (Rows *rows, GRand *rand)
{
  guint n = (guint) g_rand_int_range (rand, 1, ROWS + 1);
  gint32 tracks = g_rand_boolean (rand) ? 1 : 1 << g_rand_int_range (rand, 0, 10);
  gint32 odd = g_rand_boolean (rand) ? 0 : g_rand_int_range (rand, 0, 4);
  for (guint i = 0; i < n; i++) {
    gboolean is_odd = odd && g_rand_int_range (rand, 0, 50) == 0;
    rows->track[i] = 5 + (nprof_track) g_rand_int_range (rand, 0, tracks);
    rows->start[i] = random_time (rand, is_odd && odd == 1);
    rows->duration[i] = random_time (rand, is_odd && odd == 1);
    if (rows->duration[i] < 0)
      rows->duration[i] = ~rows->duration[i];
    if (is_odd && odd == 2)
      rows->duration[i] = -1;
    rows->kind[i] = (uint8_t) g_rand_int_range (rand, NPROF_SPAN, NPROF_GAP);
    if (is_odd && odd == 3)
      rows->kind[i] = g_rand_boolean (rand) ? NPROF_GAP : NPROF_FACT;
    else if (rows->kind[i] == NPROF_FACT)
      rows->kind[i] = NPROF_SPAN;
  }
  rows_view (rows, n);
}

static void
assert_times (const Rows *rows, const NpTimes *times)
{
  __int128 first = INT64_MAX, last = INT64_MIN;
  guint unclosed = 0;
  for (guint i = 0; i < rows->view.n_rows; i++) {
    if (rows->kind[i] == NPROF_FACT || rows->kind[i] == NPROF_GAP)
      continue;
    __int128 end = (__int128) rows->start[i] + MAX (rows->duration[i], 0);
    first = MIN (first, rows->start[i]);
    last = MAX (last, MIN (end, INT64_MAX));
    unclosed += rows->duration[i] < 0;
  }
  g_assert_cmpint (times->first, ==, (gint64) first);
  g_assert_cmpint (times->last, ==, (gint64) last);
  g_assert_cmpuint (times->unclosed, ==, unclosed);
}

/* Tracks stand as they come first, each with all its rows. */
static void
assert_tracks (const Rows *rows, const NpBatchSum *sum)
{
  guint n = 0;
  for (guint row = 0; row < rows->view.n_rows; row++) {
    guint before = 0, all = 0;
    for (guint i = 0; i < rows->view.n_rows; i++) {
      all += rows->track[i] == rows->track[row];
      before += i < row && rows->track[i] == rows->track[row];
    }
    if (before)
      continue;
    g_assert_cmpuint (n, <, sum->n_tracks);
    g_assert_cmpuint (sum->tracks[n].track, ==, rows->track[row]);
    g_assert_cmpuint (sum->tracks[n++].n, ==, all);
  }
  g_assert_cmpuint (n, ==, sum->n_tracks);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autofree Rows *rows = g_new0 (Rows, 1);
  guint counted = 0, facts = 0;
  for (guint i = 0; i < 3000; i++) {
    NpBatchSum sum;
    random_rows (rows, rand);
    np_batch_sum (&sum, &rows->view);
    g_assert_true (sum.known);
    assert_times (rows, &sum.times);
    if (sum.n_tracks && i % 8 == 0)
      assert_tracks (rows, &sum);
    g_assert_cmpint (sum.any_facts, ==, memchr (rows->kind, NPROF_FACT, rows->view.n_rows) != NULL);
    counted += sum.n_tracks > 0;
    facts += sum.any_facts != 0;
  }
  g_assert_cmpuint (counted, >, 2000);
  g_assert_cmpuint (counted, <, 3000); /* some have more tracks than fit */
  g_assert_cmpuint (facts, >, 0);
}

/* Handles that share a place are not mixed up. */
static void
test_far_handles (void)
{
  g_autofree Rows *rows = g_new0 (Rows, 1);
  NpBatchSum sum;
  rows->track[0] = 1;
  rows->track[1] = 257;
  rows->track[2] = 1;
  rows_view (rows, 3);
  np_batch_sum (&sum, &rows->view);
  g_assert_cmpuint (sum.n_tracks, ==, 0);
  rows_view (rows, 1);
  np_batch_sum (&sum, &rows->view);
  g_assert_cmpuint (sum.n_tracks, ==, 1);
  g_assert_cmpuint (sum.tracks[0].n, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch-sum/random", test_random);
  g_test_add_func ("/batch-sum/far-handles", test_far_handles);
  return g_test_run ();
}
