/* SPDX-License-Identifier: Apache-2.0 */
/* test-sorter.c - rows in order, compared with a plain sort of all rows. */

#include "sort/sorter.h"

#include "base/error.h"
#include "random-rows.h"

typedef struct { /* a row as the oracle keeps it */
  guint32 number;
  nprof_track device;
  gint64 start, duration;
  guint seq;
  char *text;
} Row;

static void
row_clear (gpointer p)
{
  g_free (((Row *) p)->text);
}

static gint
sign (gint64 a, gint64 b)
{
  return (a > b) - (a < b);
}

/* Start, then the longest, those without an end last, then as they came. */
static gint
by_time (gconstpointer pa, gconstpointer pb)
{
  const Row *a = pa, *b = pb;
  gint c = sign (a->start, b->start);
  if (!c)
    c = sign (b->duration, a->duration);
  return c ? c : sign (a->seq, b->seq);
}

static gint
by_track (gconstpointer pa, gconstpointer pb)
{
  const Row *a = pa, *b = pb;
  gint c = sign (a->number, b->number);
  return c ? c : by_time (a, b);
}

typedef struct {
  NpPool *pool;
  NpTracks *tracks;
  guint order;
  NpProjection keep;
  GArray *rows; /* of Row */
} Fixture;

static void
open_fixture (Fixture *f, guint order, guint pool_rows)
{
  memset (f, 0, sizeof *f);
  f->order = order;
  f->pool = np_pool_new (pool_rows, 4);
  f->tracks = np_tracks_new ();
  f->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (f->rows, row_clear);
  nprof_track root = np_tracks_root (f->tracks, 0, 1);
  for (guint i = 2; i < 10; i++)
    np_tracks_add (f->tracks, root, NPROF_TRACK_THREAD, i, 0, 0);
}

static void
close_fixture (Fixture *f)
{
  g_array_unref (f->rows);
  np_tracks_free (f->tracks);
  np_pool_free (f->pool);
}

/* Tracks 2 .. 5 are of one device, which lies in a host, 6 and 7 of another, that has only a core;
 * 8 and 9 are of none. */
static void
open_devices (Fixture *f, guint pool_rows)
{
  open_fixture (f, NPROF_ORDER_DEVICE, pool_rows);
  np_tracks_free (f->tracks);
  f->tracks = np_tracks_new ();
  nprof_track root = np_tracks_root (f->tracks, 0, 1);
  nprof_track device = np_tracks_add (f->tracks, root, NPROF_TRACK_DEVICE, 2, 0, 0);
  nprof_track core = np_tracks_add (f->tracks, device, NPROF_TRACK_CORE, 3, 0, 0);
  np_tracks_add (f->tracks, device, NPROF_TRACK_QUEUE, 4, 0, 0);
  np_tracks_add (f->tracks, core, NPROF_TRACK_ENGINE, 5, 0, 0);
  nprof_track alone = np_tracks_add (f->tracks, root, NPROF_TRACK_CORE, 6, 0, 0);
  np_tracks_add (f->tracks, alone, NPROF_TRACK_ENGINE, 7, 0, 0);
  nprof_track host = np_tracks_add (f->tracks, root, NPROF_TRACK_PROCESS, 8, 0, 0);
  np_tracks_add (f->tracks, host, NPROF_TRACK_THREAD, 9, 0, 0);
}

/* As open_devices made them. */
static nprof_track
device_of (nprof_track track)
{
  return track == 1 || track >= 8 ? 0 : track < 6 ? 2 : 6;
}

/* Adds to the order and to the oracle. */
static void
add (Fixture *f, NpSorter *order, NpBatch *batch)
{
  const struct nprof_batch *b = &batch->view;
  struct nprof_batch kept = *b;
  if (f->keep.no_links) {
    kept.id = kept.parent = NULL;
    kept.flow = NULL;
  }
  for (guint i = 0; i < b->n_rows; i++) {
    np_tracks_delivered (f->tracks, b->track[i], 1);
    Row row = { np_tracks_get (f->tracks, b->track[i])->number,
                device_of (b->track[i]),
                b->start[i],
                b->duration[i],
                f->rows->len,
                print_row (&kept, i, f->keep.keys, f->keep.n) };
    g_array_append_val (f->rows, row);
  }
  g_autoptr (GError) error = NULL;
  g_assert_true (np_sorter_add (order, batch, &error));
  g_assert_no_error (error);
  np_batch_unref (batch);
}

typedef struct {
  const GArray *rows;
  guint at;
  gboolean was_short; /* the batch before was not full */
  guint last_input;
} Check;

static gboolean
check_batch (NpBatch *batch, gpointer user, GError **error)
{
  (void) error;
  Check *c = user;
  const struct nprof_batch *b = &batch->view;
  check_optional (b);
  g_assert_cmpuint (b->n_rows, >, 0);
  if (c->was_short)
    g_assert_cmpuint (b->input, !=, c->last_input);
  for (guint i = 0; i < b->n_rows; i++) {
    g_assert_cmpuint (c->at, <, c->rows->len);
    g_autofree char *text = print_row (b, i, NULL, 0);
    g_assert_cmpstr (text, ==, g_array_index (c->rows, Row, c->at).text);
    c->at++;
  }
  c->was_short = b->n_rows < batch->writer.max_rows;
  c->last_input = b->input;
  return TRUE;
}

static void
check (Fixture *f, NpSorter *order)
{
  g_autoptr (GError) error = NULL;
  Check c = { .rows = f->rows };
  g_array_sort (f->rows, f->order == NPROF_ORDER_TRACK ? by_track : by_time);
  g_assert_true (np_sorter_emit (order, check_batch, &c, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (c.at, ==, f->rows->len);
  np_sorter_free (order);
}

static const guint pool_rows[] = { 1, 7, 4096 };

/* Rows of n_tracks, in runs from one row to all of them. */
static NpSorter *
random_order (Fixture *f, GRand *rand, guint n_tracks)
{
  RandomRows like = { .n_tracks = n_tracks,
                      .n_inputs = (guint) g_rand_int_range (rand, 1, 4),
                      .times = g_rand_boolean (rand) ? 4 : 1000,
                      .max_attrs = 4 };
  guint64 run_bytes = (guint64) 1 << g_rand_int_range (rand, 0, 16);
  NpSorter *order = np_sorter_new (f->order, f->pool, f->tracks, run_bytes, &f->keep);
  for (gint32 n = g_rand_int_range (rand, 0, 20); n > 0; n--)
    add (f, order, random_batch (rand, f->pool, &like, 12));
  return order;
}

static void
random_case (guint32 seed)
{
  static const guint8 keep[] = { 0, 1, 0, 1 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Fixture f;
  open_fixture (&f, g_rand_boolean (rand) ? NPROF_ORDER_TRACK : NPROF_ORDER_TIME,
                pool_rows[seed % 3]);
  if (g_rand_boolean (rand)) {
    f.keep.keys = keep;
    f.keep.n = sizeof keep;
  }
  f.keep.no_links = g_rand_boolean (rand);
  check (&f, random_order (&f, rand, (guint) g_rand_int_range (rand, 1, 9)));
  close_fixture (&f);
}

static void
test_random (void)
{
  for (guint32 seed = 0; seed < 2000; seed++)
    random_case (seed);
}

/* -- Device by device ------------------------------------------------------ */

enum { N_TRACKS = 9, N_DEVICES = 8 };

typedef struct {
  const GArray *rows; /* sorted */
  guint at[N_DEVICES], n, turns;
  nprof_track last;
  gint64 latest;        /* start of a device's row so far               */
  gint64 host, settled; /* of a row of no device; of those before the last turn of devices */
} DeviceCheck;

/* By time, but of no device by start alone. */
static gint
by_device (gconstpointer pa, gconstpointer pb)
{
  const Row *a = pa, *b = pb;
  if (a->start != b->start)
    return sign (a->start, b->start);
  if (!a->device || !b->device)
    return a->device ? 1 : b->device ? -1 : sign (a->seq, b->seq);
  return by_time (a, b);
}

/* Each device's rows, and those of none, are what sorting leaves of them. */
static void
check_device_row (DeviceCheck *c, const struct nprof_batch *b, guint i)
{
  nprof_track device = device_of (b->track[i]);
  guint *at = &c->at[device];
  while (g_array_index (c->rows, Row, *at).device != device)
    g_assert_cmpuint (++*at, <, c->rows->len);
  g_autofree char *text = print_row (b, i, NULL, 0);
  g_assert_cmpstr (text, ==, g_array_index (c->rows, Row, *at).text);
  ++*at;
  if (!device) {
    g_assert_cmpint (b->start[i], >, c->latest);
    c->settled = c->last ? c->host : c->settled;
    c->host = b->start[i];
  } else {
    c->latest = MAX (c->latest, b->start[i]);
  }
  g_assert_cmpint (b->start[i], >=, c->settled);
  c->turns += device != c->last;
  c->last = device;
  c->n++;
}

static gboolean
check_device_batch (NpBatch *batch, gpointer user, GError **error)
{
  (void) error;
  for (guint i = 0; i < batch->view.n_rows; i++)
    check_device_row (user, &batch->view, i);
  return TRUE;
}

/* Returns how often another device had its turn. */
static guint
check_devices (Fixture *f, NpSorter *order)
{
  g_autoptr (GError) error = NULL;
  DeviceCheck c
      = { .rows = f->rows, .latest = G_MININT64, .host = G_MININT64, .settled = G_MININT64 };
  g_array_sort (f->rows, by_device);
  g_assert_true (np_sorter_emit (order, check_device_batch, &c, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (c.n, ==, f->rows->len);
  np_sorter_free (order);
  return c.turns;
}

static void
random_devices (guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Fixture f;
  open_devices (&f, pool_rows[seed % 3]);
  check_devices (&f, random_order (&f, rand, N_TRACKS));
  close_fixture (&f);
}

static void
test_random_devices (void)
{
  for (guint32 seed = 0; seed < 2000; seed++)
    random_devices (seed);
}

static NpBatch *plain_batch (Fixture *f, nprof_track track, gint64 start, guint n,
                             gboolean backwards, guint input);

/* Rows of all tracks begin at the same times: in the order of time each would be another's turn. */
static void
test_turns (void)
{
  Fixture f;
  open_devices (&f, 64);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, 2000, NULL);
  for (guint track = 2; track <= N_TRACKS; track++)
    for (gint64 start = 0; start < 2000; start += 50)
      add (&f, order, plain_batch (&f, track, start, 50, FALSE, 0));
  g_assert_cmpuint (check_devices (&f, order), <, f.rows->len / 20);
  close_fixture (&f);
}

/* -- By key ---------------------------------------------------------------- */

/* Rows start .. start + n - 1 on one track, forwards or backwards. */
static NpBatch *
plain_batch (Fixture *f, nprof_track track, gint64 start, guint n, gboolean backwards, guint input)
{
  NpBatch *batch = np_pool_take (f->pool);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (nprof_span (&batch->writer, track, i,
                                 backwards ? start + n - 1 - i : start + i, 1),
                     ==, 0);
  np_batch_seal (batch, input);
  return batch;
}

/* More runs than are merged at once: two levels. */
static void
levels_case (gboolean descending)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 64);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, 2000, NULL);
  for (gint32 n = 500; n > 0; n--) {
    gint64 start = descending ? n * 40 : g_rand_int_range (rand, 0, 100000);
    add (&f, order, plain_batch (&f, 2, start, 40, n % 3 == 0, (guint) n % 2));
  }
  check (&f, order);
  close_fixture (&f);
}

static void
test_levels (void)
{
  levels_case (TRUE);
  levels_case (FALSE);
}

/* Blocks of as many rows as a block can have. */
static void
test_full_blocks (void)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 4096);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, NP_SORT_RUN_BYTES, NULL);
  add (&f, order, plain_batch (&f, 2, 10000, 4096, FALSE, 0));
  add (&f, order, plain_batch (&f, 2, 14096, 4096, FALSE, 0));
  add (&f, order, plain_batch (&f, 2, 0, 4096, FALSE, 0));
  check (&f, order);
  close_fixture (&f);
}

/* Runs that lie one behind the other, with equal keys where they meet. */
static void
test_chain (void)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TRACK, 64);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, 2000, NULL);
  for (guint track = 2; track < 6; track++)
    for (gint64 start = 0; start < 2000; start += 39)
      add (&f, order, plain_batch (&f, track, start, 40, FALSE, 0));
  check (&f, order);
  close_fixture (&f);
}

/* Tracks one after the other, as decoders bring them: in the order of time each is a stretch. */
static void
stretches_case (guint n_stretches, guint64 run_bytes)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 64);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, run_bytes, NULL);
  for (guint k = 0; k < n_stretches; k++)
    for (gint64 start = k % 3; start < 500; start += 50)
      add (&f, order, plain_batch (&f, 2 + k % 8, start, 50, FALSE, k % 2));
  check (&f, order);
  close_fixture (&f);
}

static void
test_stretches (void)
{
  static const guint64 run_bytes[] = { 2000, 20000, 200000, NP_SORT_RUN_BYTES };
  for (guint i = 0; i < G_N_ELEMENTS (run_bytes); i++) {
    stretches_case (5, run_bytes[i]);
    stretches_case (200, run_bytes[i]); /* more than are merged at once */
  }
}

/* Long batches in order but for a few rows, some equal, that change tracks now and then. */
static void
nearly_case (guint order, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  Fixture f;
  open_fixture (&f, order, 4096);
  NpSorter *rows = np_sorter_new (f.order, f.pool, f.tracks, 20000u << seed % 8, NULL);
  gint64 start = 0;
  nprof_track track = 2;
  for (guint n = 0; n < 4; n++) {
    NpBatch *batch = np_pool_take (f.pool);
    for (guint i = 0; i < 500; i++) {
      track = (nprof_track) (g_rand_int_range (rand, 0, 150) ? track : 2 + (track - 1) % 7);
      start += g_rand_int_range (rand, 0, 200) ? g_rand_int_range (rand, 0, 4) : -50;
      gint64 duration = g_rand_int_range (rand, 0, 3) ? 10 : g_rand_int_range (rand, -1, 3);
      g_assert_cmpint (nprof_span (&batch->writer, track, i, start, duration), ==, 0);
    }
    np_batch_seal (batch, 0);
    add (&f, rows, batch);
  }
  check (&f, rows);
  close_fixture (&f);
}

static void
test_nearly (void)
{
  for (guint32 seed = 0; seed < 100; seed++) {
    nearly_case (NPROF_ORDER_TRACK, seed);
    nearly_case (NPROF_ORDER_TIME, seed);
  }
}

static void
test_extremes (void)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 4096);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, NP_SORT_RUN_BYTES, NULL);
  static const gint64 at[] = { G_MAXINT64, G_MININT64, 0, -1 };
  static const gint64 duration[] = { -1, 0, G_MAXINT64, 1 };
  NpBatch *batch = np_pool_take (f.pool);
  for (guint i = 0; i < 16; i++)
    g_assert_cmpint (nprof_span (&batch->writer, 2, i, at[i / 4], duration[i % 4]), ==, 0);
  np_batch_seal (batch, 0);
  add (&f, order, batch);
  check (&f, order);
  close_fixture (&f);
}

/* Attributes far beyond the room of a batch. */
static void
test_large_rows (void)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 4096);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, 1 << 20, NULL);
  g_autofree char *text = g_malloc (700000);
  memset (text, 'x', 700000);
  for (gint i = 9; i > 0; i--) {
    NpBatch *batch = plain_batch (&f, 2, i, 1, FALSE, 0);
    text[0] = (char) ('0' + i);
    g_assert_cmpint (nprof_attr_bytes (&batch->writer, 3, NPROF_JSON, text, 700000), ==, 0);
    np_batch_seal (batch, 0);
    add (&f, order, batch);
  }
  check (&f, order);
  close_fixture (&f);
}

static void
test_empty (void)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TRACK, 8);
  check (&f, np_sorter_new (f.order, f.pool, f.tracks, 1000, NULL));
  np_sorter_free (NULL);
  close_fixture (&f);
}

static gboolean
refuse (NpBatch *batch, gpointer user, GError **error)
{
  (void) batch;
  if (++*(guint *) user < 3)
    return TRUE;
  g_set_error_literal (error, NP_ERROR, NP_EXIT_SINK, "refused");
  return FALSE;
}

/* The status with which fn fails comes through, and no batch stays behind (np_pool_free looks). */
static void
refused_case (guint64 run_bytes)
{
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 7);
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, run_bytes, NULL);
  for (gint i = 10; i > 0; i--)
    add (&f, order, plain_batch (&f, 2, 5 * i, 7, TRUE, 0));
  g_autoptr (GError) error = NULL;
  guint n = 0;
  g_assert_false (np_sorter_emit (order, refuse, &n, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_SINK);
  g_assert_cmpuint (n, ==, 3);
  np_sorter_free (order);
  close_fixture (&f);
}

static void
test_refused (void)
{
  refused_case (1 << 20);
  refused_case (400);
}

static void
test_no_disk (void)
{
  g_autofree char *before = g_strdup (g_getenv ("TMPDIR"));
  g_setenv ("TMPDIR", "/nowhere/at/all", TRUE);
  Fixture f;
  open_fixture (&f, NPROF_ORDER_TIME, 64);

  /* one run needs none, in order or not */
  NpSorter *order = np_sorter_new (f.order, f.pool, f.tracks, 1 << 20, NULL);
  add (&f, order, plain_batch (&f, 2, 100, 60, TRUE, 0));
  add (&f, order, plain_batch (&f, 2, 0, 60, TRUE, 0));
  check (&f, order);

  g_autoptr (GError) error = NULL;
  order = np_sorter_new (f.order, f.pool, f.tracks, 400, NULL);
  NpBatch *batch = plain_batch (&f, 2, 0, 60, FALSE, 0);
  g_assert_false (np_sorter_add (order, batch, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_ROOM);
  g_assert_true (
      g_str_has_prefix (error->message, "/nowhere/at/all: cannot make a temporary file"));
  np_batch_unref (batch);
  np_sorter_free (order);
  close_fixture (&f);
  if (before)
    g_setenv ("TMPDIR", before, TRUE);
  else
    g_unsetenv ("TMPDIR");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/order/empty", test_empty);
  g_test_add_func ("/order/random", test_random);
  g_test_add_func ("/order/devices/random", test_random_devices);
  g_test_add_func ("/order/devices/turns", test_turns);
  g_test_add_func ("/order/levels", test_levels);
  g_test_add_func ("/order/full-blocks", test_full_blocks);
  g_test_add_func ("/order/chain", test_chain);
  g_test_add_func ("/order/stretches", test_stretches);
  g_test_add_func ("/order/nearly", test_nearly);
  g_test_add_func ("/order/extremes", test_extremes);
  g_test_add_func ("/order/large-rows", test_large_rows);
  g_test_add_func ("/order/refused", test_refused);
  g_test_add_func ("/order/no-disk", test_no_disk);
  return g_test_run ();
}
