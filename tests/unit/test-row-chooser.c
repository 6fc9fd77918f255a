/* SPDX-License-Identifier: Apache-2.0 */
/* test-row-chooser.c - rows that random analyzers choose, compared with a plain look at all
 * rows. */

#include "pipeline/row-chooser.h"

#include "random-rows.h"

typedef struct { /* an analyzer: chooses rows whose name is a multiple of `every` */
  guint every;
  NpInstance instance;
} Picky;

static nprof_status
choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  const Picky *picky = self;
  for (guint i = 0; i < batch->n_rows; i++)
    if (batch->name[i] % picky->every == 0)
      rows[i >> 3] = (guint8) (rows[i >> 3] | 1u << (i & 7));
  return NPROF_OK;
}

static nprof_status
refuse (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  (void) self;
  (void) batch;
  (void) rows;
  return NPROF_E_NOMEM;
}

static const struct nprof_component picky_component = { .name = "picky", .choose = choose };
static const struct nprof_component refusing = { .name = "refusing", .choose = refuse };

static gboolean
collect (NpBatch *batch, gpointer user, GError **error)
{
  (void) error;
  check_optional (&batch->view);
  for (guint i = 0; i < batch->view.n_rows; i++)
    g_ptr_array_add (user, print_row (&batch->view, i, NULL, 0));
  return TRUE;
}

static gboolean
is_chosen (const NpBatch *batch, guint row, const Picky *pickies, guint n)
{
  for (guint k = 0; k < n; k++)
    if (batch->view.name[row] % pickies[k].every == 0)
      return TRUE;
  return FALSE;
}

/* All rows of a batch of which three quarters are chosen, as they are, else those, with what is
 * kept of them. */
static void
expect (GPtrArray *rows, const NpBatch *batch, const NpProjection *keep, const Picky *pickies,
        guint n)
{
  guint n_rows = batch->view.n_rows, chosen = 0;
  struct nprof_batch kept = batch->view;
  for (guint i = 0; i < n_rows; i++)
    chosen += is_chosen (batch, i, pickies, n) ? 1 : 0;
  gboolean all = chosen >= n_rows - n_rows / 4;
  if (!all && keep->no_links) {
    kept.id = kept.parent = NULL;
    kept.flow = NULL;
  }
  for (guint i = 0; i < n_rows; i++)
    if (all || is_chosen (batch, i, pickies, n))
      g_ptr_array_add (rows, print_row (&kept, i, all ? NULL : keep->keys, keep->n));
}

static void
random_case (guint32 seed)
{
  static const guint every[] = { 1, 2, 3, 50, 1u << 31 }; /* all, many, few, none */
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) expected = g_ptr_array_new_with_free_func (g_free);
  NpPool *pool = np_pool_new (seed % 3 ? 4096 : 7, 4);
  static const guint8 keys[] = { 0, 1, 0, 1, 1 };
  const NpProjection keep
      = { .keys = seed % 2 ? keys : NULL, .n = G_N_ELEMENTS (keys), .no_links = seed % 4 > 1 };
  NpRowChooser *chooser = np_row_chooser_new (pool, &keep, collect, found);
  Picky pickies[2];
  guint n = (guint) g_rand_int_range (rand, 1, 3);
  for (guint k = 0; k < n; k++) {
    pickies[k].every = every[g_rand_int_range (rand, 0, G_N_ELEMENTS (every))];
    pickies[k].instance = (NpInstance){ .component = &picky_component, .self = &pickies[k] };
    np_row_chooser_add (chooser, &pickies[k].instance);
  }
  RandomRows like = { .n_tracks = 3, .n_inputs = 3, .times = 1000, .max_attrs = 4 };
  for (gint32 b = g_rand_int_range (rand, 0, 20); b > 0; b--) {
    NpBatch *batch = random_batch (rand, pool, &like, seed % 5 ? 100 : 400);
    expect (expected, batch, &keep, pickies, n);
    g_assert_true (np_row_chooser_batch (chooser, batch, NULL));
    np_batch_unref (batch);
  }
  g_assert_true (np_row_chooser_end (chooser, NULL));
  np_row_chooser_free (chooser);
  g_assert_cmpuint (found->len, ==, expected->len);
  for (guint i = 0; i < found->len; i++)
    g_assert_cmpstr (found->pdata[i], ==, expected->pdata[i]);
  np_pool_free (pool);
}

static void
test_random (void)
{
  for (guint32 seed = 0; seed < 500; seed++)
    random_case (seed);
}

/* Its failure comes through, and no batch stays behind (np_pool_free looks). */
static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  RandomRows like = { .n_tracks = 3, .n_inputs = 1, .times = 10 };
  NpPool *pool = np_pool_new (16, 4);
  const NpProjection all = { 0 };
  NpRowChooser *chooser = np_row_chooser_new (pool, &all, collect, NULL);
  NpInstance instance = { .component = &refusing };
  np_row_chooser_add (chooser, &instance);
  NpBatch *batch = random_batch (rand, pool, &like, 16);
  g_assert_false (np_row_chooser_batch (chooser, batch, &error));
  g_assert_nonnull (error);
  np_batch_unref (batch);
  np_row_chooser_free (chooser);
  np_pool_free (pool);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/choose/random", test_random);
  g_test_add_func ("/choose/refused", test_refused);
  return g_test_run ();
}
