/* SPDX-License-Identifier: Apache-2.0 */
/* test-batch-notes.c - notes beside batches are made once for all analyzers that want them, by the
 * maker of the first, before anybody reads them on whatever thread. */

#include "pipeline/analyzer-threads.h"
#include "pipeline/batch-notes.h"

#include "fake-run.h"
#include "random-rows.h"

#define BATCHES 60u

/* -- Makers ---------------------------------------------------------------- */

/* The note: the sum of the starts of the batch, and of all batches so far. */
typedef struct {
  gint64 of_batch, of_all;
  const gint64 *before; /* sums that the maker keeps: that of the batch before is the last */
} Note;

typedef struct {
  gint64 sums[BATCHES + 1]; /* what is here stays */
  guint n;
} Sums;

static guint opened, made, closed;

static void *
open_sums (const struct nprof_host *host)
{
  opened += host != NULL;
  return g_new0 (Sums, 1);
}

static void
make_sums (void *maker, const struct nprof_batch *batch, void *note)
{
  Sums *sums = maker;
  Note *to = note;
  made++;
  to->of_batch = 0;
  for (guint i = 0; i < batch->n_rows; i++)
    to->of_batch += batch->start[i];
  to->before = &sums->sums[sums->n];
  to->of_all = sums->sums[sums->n] + to->of_batch;
  sums->sums[++sums->n] = to->of_all;
}

static void
close_sums (void *maker)
{
  closed++;
  g_free (maker);
}

static void *
open_never (const struct nprof_host *host)
{
  (void) host;
  g_assert_not_reached (); /* the maker of the first is enough */
  return NULL;
}

static void
make_rows (void *maker, const struct nprof_batch *batch, void *note)
{
  (void) maker;
  *(guint32 *) note = batch->n_rows;
}

#define MAKER(name_, bytes_, open_, make_)                                                         \
  {                                                                                                \
    .size = sizeof (struct nprof_note_maker), .bytes = (bytes_), .name = (name_), .open = (open_), \
    .make = (make_), .close = close_sums                                                           \
  }
static const struct nprof_note_maker sums_maker
    = MAKER ("sums", sizeof (Note), open_sums, make_sums),
    same_maker = MAKER ("sums", sizeof (Note), open_never, make_sums),
    other_size = MAKER ("sums", 4, open_never, make_rows),
    rows_maker = MAKER ("rows", 4, open_sums, make_rows);

/* -- Analyzers ------------------------------------------------------------- */

typedef struct {
  const struct nprof_note_maker *wants; /* NULL: nothing */
  const struct nprof_host *host;
  gint64 of_all;
  guint n;
  NpInstance instance;
} Reader;

static nprof_status
reader_open (void *self, const struct nprof_host *host)
{
  Reader *r = self;
  const struct nprof_notes *notes = host->extension (host, NPROF_NOTES);
  r->host = host;
  return r->wants ? notes->want (host, r->wants) : NPROF_OK;
}

static void
check_sums (Reader *r, const struct nprof_batch *batch, const Note *note)
{
  gint64 sum = 0;
  for (guint i = 0; i < batch->n_rows; i++)
    sum += batch->start[i];
  g_assert_cmpint (note->of_batch, ==, sum);
  g_assert_cmpint (*note->before, ==, r->of_all);
  r->of_all += sum;
  g_assert_cmpint (note->of_all, ==, r->of_all);
}

static nprof_status
reader_consume (void *self, const struct nprof_batch *batch)
{
  Reader *r = self;
  const struct nprof_notes *notes = r->host->extension (r->host, NPROF_NOTES);
  const void *note = notes->of (r->host, batch);
  r->n++;
  if (!r->wants)
    g_assert_null (note);
  else if (r->wants->make == make_rows)
    g_assert_cmpuint (*(const guint32 *) note, ==, batch->n_rows);
  else
    check_sums (r, batch, note);
  return NPROF_OK;
}

static const struct nprof_component component
    = { .kind = NPROF_ANALYZER, .name = "reader", .open = reader_open, .consume = reader_consume };

static nprof_status
reader_init (Reader *r, FakeRun *fake, const struct nprof_note_maker *wants)
{
  *r = (Reader){ .wants = wants,
                 .instance = { .run = &fake->run, .component = &component, .self = r } };
  np_host_init (&r->instance.host, fake->run.log);
  return np_instance_open (&r->instance);
}

/* -- Tests ----------------------------------------------------------------- */

/* Makes notes of batches and gives these to the readers, by threads where there are any. */
static void
give (FakeRun *fake, NpBatchNotes *notes, GPtrArray *instances, guint n_threads)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  RandomRows like = { .n_tracks = 3, .n_inputs = 1, .times = 1000, .max_attrs = 2 };
  g_autoptr (GError) error = NULL;
  NpAnalyzerThreads *threads = n_threads ? np_analyzer_threads_new (instances, n_threads) : NULL;
  for (guint b = 0; b < BATCHES; b++) {
    NpBatch *batch = random_batch (rand, fake->run.pool, &like, 50);
    np_batch_notes_make (notes, batch, &error);
    g_assert_no_error (error);
    for (guint i = 0; !threads && i < instances->len; i++)
      np_analyzer_consume (g_ptr_array_index (instances, i), batch, &error);
    if (threads)
      np_analyzer_threads_add (threads, batch, &error);
    g_assert_no_error (error);
    np_batch_unref (batch);
  }
  if (threads)
    np_analyzer_threads_end (threads, &error);
  g_assert_no_error (error);
  np_analyzer_threads_free (threads);
}

static void
test_once_for_all (void)
{
  for (guint n_threads = 0; n_threads <= 4; n_threads++) {
    g_autoptr (FakeRun) fake = fake_run_new (64);
    const struct nprof_note_maker *const wants[] = { NULL, &sums_maker, &rows_maker, &same_maker };
    Reader readers[G_N_ELEMENTS (wants)];
    g_autoptr (GPtrArray) instances = g_ptr_array_new ();
    NpBatchNotes *notes = np_batch_notes_new (&fake->run);
    opened = made = closed = 0;
    for (guint i = 0; i < G_N_ELEMENTS (wants); i++) {
      g_assert_cmpint (reader_init (&readers[i], fake, wants[i]), ==, NPROF_OK);
      g_ptr_array_add (instances, &readers[i].instance);
      np_batch_notes_add (notes, &readers[i].instance);
    }
    give (fake, notes, instances, n_threads);
    g_assert_cmpuint (opened, ==, 2);
    g_assert_cmpuint (made, ==, BATCHES);
    g_assert_cmpuint (closed, ==, 0);
    np_batch_notes_free (notes);
    g_assert_cmpuint (closed, ==, 2);
    for (guint i = 0; i < G_N_ELEMENTS (wants); i++)
      g_assert_cmpuint (readers[i].n, ==, BATCHES);
  }
}

/* Each stream of rows has a maker of its own, since its batches come on a thread of their own. */
static void
test_streams (void)
{
  g_autoptr (FakeRun) fake = fake_run_new (64);
  opened = made = closed = 0;
  for (guint stream = 0; stream < 2; stream++) {
    Reader reader;
    g_autoptr (GPtrArray) instances = g_ptr_array_new ();
    g_assert_cmpint (reader_init (&reader, fake, &sums_maker), ==, NPROF_OK);
    g_ptr_array_add (instances, &reader.instance);
    NpBatchNotes *notes = np_batch_notes_new (&fake->run);
    np_batch_notes_add (notes, &reader.instance);
    give (fake, notes, instances, 0);
    np_batch_notes_free (notes);
  }
  g_assert_cmpuint (opened, ==, 2);
  g_assert_cmpuint (closed, ==, 2);
}

/* -- Looking ahead ---------------------------------------------------------- */

static void
look_at_rows (void *maker, const struct nprof_batch *batch)
{
  Sums *sums = maker;
  sums->n++;
  sums->sums[0] += batch->n_rows;
}

static void
make_looked (void *maker, const struct nprof_batch *batch, void *note)
{
  (void) batch;
  *(gint64 *) note = ((Sums *) maker)->sums[0];
}

static const struct nprof_note_maker looking_maker = { .size = sizeof looking_maker,
                                                       .bytes = sizeof (gint64),
                                                       .name = "looked",
                                                       .open = open_sums,
                                                       .make = make_looked,
                                                       .close = close_sums,
                                                       .look = look_at_rows };

/* A note may say what all rows of the stream come to, since the maker has looked at them before. */
static void
test_look (void)
{
  g_autoptr (FakeRun) fake = fake_run_new (64);
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  RandomRows like = { .n_tracks = 3, .n_inputs = 1, .times = 1000, .max_attrs = 2 };
  g_autoptr (GError) error = NULL;
  Reader looking, other;
  NpBatchNotes *notes = np_batch_notes_new (&fake->run);
  opened = closed = 0;
  g_assert_cmpint (reader_init (&looking, fake, &looking_maker), ==, NPROF_OK);
  g_assert_cmpint (reader_init (&other, fake, &rows_maker), ==, NPROF_OK); /* does not look */
  np_batch_notes_add (notes, &looking.instance);
  np_batch_notes_add (notes, &other.instance);
  NpBatch *batches[3];
  gint64 rows = 0;
  for (guint i = 0; i < G_N_ELEMENTS (batches); i++) {
    batches[i] = random_batch (rand, fake->run.pool, &like, 50);
    g_assert_true (np_batch_notes_look (notes, batches[i], &error));
    rows += batches[i]->view.n_rows;
  }
  g_assert_cmpuint (opened, ==, 2);
  for (guint i = 0; i < G_N_ELEMENTS (batches); i++) {
    g_assert_true (np_batch_notes_make (notes, batches[i], &error));
    g_assert_cmpint (*(const gint64 *) batches[i]->notes, ==, rows);
    np_batch_unref (batches[i]);
  }
  np_batch_notes_free (notes);
  g_assert_cmpuint (closed, ==, 2);
}

static void
test_no_batches (void)
{
  g_autoptr (FakeRun) fake = fake_run_new (64);
  Reader reader;
  opened = closed = 0;
  g_assert_cmpint (reader_init (&reader, fake, &sums_maker), ==, NPROF_OK);
  NpBatchNotes *notes = np_batch_notes_new (&fake->run);
  np_batch_notes_add (notes, &reader.instance);
  np_batch_notes_free (notes);
  g_assert_cmpuint (opened + closed, ==, 0);
}

static void
refuses (FakeRun *fake, Reader *reader, const struct nprof_note_maker *maker, const char *why)
{
  g_assert_cmpint (reader_init (reader, fake, maker), ==, NPROF_E_CONTRACT);
  g_autoptr (GError) error = np_instance_take_error (&reader->instance, NPROF_E_CONTRACT);
  assert_part (error->message, why);
}

static void
test_refusals (void)
{
  g_autoptr (FakeRun) fake = fake_run_new (64);
  Reader first, second;
  g_assert_cmpint (reader_init (&first, fake, &sums_maker), ==, NPROF_OK);
  refuses (fake, &second, &other_size, "\"sums\"");
  const struct nprof_notes *notes = first.host->extension (first.host, NPROF_NOTES);
  g_assert_cmpint (notes->want (first.host, &rows_maker), ==, NPROF_E_CONTRACT);
  g_clear_error (&first.instance.error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/batch-notes/once-for-all", test_once_for_all);
  g_test_add_func ("/batch-notes/streams", test_streams);
  g_test_add_func ("/batch-notes/look", test_look);
  g_test_add_func ("/batch-notes/no-batches", test_no_batches);
  g_test_add_func ("/batch-notes/refusals", test_refusals);
  return g_test_run ();
}
