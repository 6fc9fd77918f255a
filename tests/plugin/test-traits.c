/* SPDX-License-Identifier: Apache-2.0 */
/* test-traits.c - traits of random rows beside the plain rules, asked row by row, and their numbers
 * beside attributes looked up one by one. */
#include "devicekit/traits.h"
#include "devicekit/work.h"
#include "testhost.h"

#include <nprof/keys.h>

enum { N_SETS = 80, N_ROWS = 6000 };

typedef struct {
  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  AnWork all, amounts;
  guint n_rows;
} Probe;

static guint seen;

/* -- The plain rules ------------------------------------------------------- */

/* Returns what the row says itself, else what its set says. */
static Meaning
plain_says (Probe *p, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_str key = nprof_intern (p->host, NPROF_KEY_WORK);
  const struct nprof_attrs *set = p->host->attr_set (p->host, batch->shared ? batch->shared[i] : 0);
  const char *word = NULL;
  for (uint32_t j = 0; j < set->n; j++)
    if (set->key[j] == key)
      word = nprof_text (p->host, set->value[j].s);
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == key)
      word = nprof_text (p->host, batch->attr_value[j].s);
  for (guint k = MEANS_NOTHING + 1; word && k < N_MEANINGS; k++)
    if (!strcmp (word, meaning_word ((Meaning) k)))
      return (Meaning) k;
  return MEANS_NOTHING;
}

static guint8
plain_is (const AnPlace *place, Meaning says, const char *category)
{
  const bool launched = !strcmp (category, "kernel") || !strcmp (category, "gpu_memcpy")
                        || !strcmp (category, "mtia_ccp_events");
  guint8 is = launched ? AN_IS_LAUNCHABLE : 0;
  if (place->queue || !strcmp (category, "instruction"))
    is |= AN_IS_BESIDE;
  if (says == MEANS_INFEED)
    is |= AN_IS_INFEED;
  if (says == MEANS_INFEED || says == MEANS_TRANSFER || says == MEANS_COMMUNICATION)
    is |= AN_IS_OVER_LINK;
  return is;
}

static void
check_kind (Probe *p, AnTraits t, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (p->places, batch->track[i]);
  const Meaning says = plain_says (p, batch, i);
  const AnRole role = an_role (place, says);
  g_assert_cmpint (t.says, ==, says);
  g_assert_cmpint (t.role, ==, role);
  if (role != AN_WORK && role != AN_ASYNC) {
    g_assert_cmpint (t.class, ==, AN_AROUND);
    return;
  }
  g_assert_cmpint (t.class, ==, an_class (says));
  g_assert_cmpint (t.is, ==, plain_is (place, says, nprof_text (p->host, batch->category[i])));
  g_assert_cmpint (an_class_of (t, true), ==, AN_COMMUNICATION);
}

/* Finds the last value of a key: the row's own, else that of its set.  FALSE: none, or it is no
 * count. */
static bool
find (Probe *p, const struct nprof_batch *batch, uint32_t i, const char *key, gint64 *value)
{
  const nprof_str k = nprof_intern (p->host, key);
  const struct nprof_attrs *set = p->host->attr_set (p->host, batch->shared ? batch->shared[i] : 0);
  bool found = false;
  *value = 0;
  for (uint32_t j = 0; j < set->n; j++)
    if (set->key[j] == k) {
      *value = set->value[j].i;
      found = true;
    }
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++)
    if (batch->attr_key[j] == k) {
      *value = batch->attr_value[j].i;
      found = true;
    }
  if (found && *value >= 0)
    return true;
  *value = 0;
  return false;
}

static void
check_number (Probe *p, const struct nprof_batch *batch, uint32_t i, const char *key, bool known,
              gint64 value)
{
  gint64 plain;
  g_assert_cmpint (find (p, batch, i, key, &plain), ==, known);
  g_assert_cmpint (plain, ==, value);
}

static void
check_numbers (Probe *p, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  const AnNumbers *n = an_work_row (&p->amounts, traits, batch, i);
  check_number (p, batch, i, NPROF_KEY_FLOPS, n->known & AN_KNOWS_FLOPS, n->flops);
  check_number (p, batch, i, NPROF_KEY_BYTES, n->known & AN_KNOWS_TRANSFER, n->transfer);
  n = an_work_row (&p->all, traits, batch, i);
  check_number (p, batch, i, NPROF_KEY_FLOPS, n->known & AN_KNOWS_FLOPS, n->flops);
  check_number (p, batch, i, NPROF_KEY_BYTES, n->known & AN_KNOWS_TRANSFER, n->transfer);
  check_number (p, batch, i, NPROF_KEY_STEP, n->known & AN_KNOWS_STEP, n->step);
  check_number (p, batch, i, NPROF_KEY_DEVICE_DURATION, n->known & AN_KNOWS_DEVICE_TIME,
                n->device_duration);
  check_number (p, batch, i, NPROF_KEY_CORRELATION_ID, n->known & AN_KNOWS_CORRELATION,
                (gint64) n->correlation);
}

/* -- Rows ------------------------------------------------------------------ */

static nprof_status
probe_open (void *self, const struct nprof_host *host)
{
  Probe *p = self;
  p->host = host;
  p->places = an_places_new (host);
  g_assert_cmpint (an_work_init (&p->all, host, true), ==, NPROF_OK);
  g_assert_cmpint (an_work_init (&p->amounts, host, false), ==, NPROF_OK);
  return an_traits_init (&p->traits, host, false);
}

static nprof_status
probe_consume (void *self, const struct nprof_batch *batch)
{
  Probe *p = self;
  const AnBatchTraits *traits = an_traits_of (&p->traits, batch);
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    check_kind (p, traits->of[i], batch, i);
    if (an_place (p->places, batch->track[i])->device)
      check_numbers (p, traits, batch, i);
    seen++;
  }
  return NPROF_OK;
}

static void
probe_close (void *self)
{
  Probe *p = self;
  an_traits_clear (&p->traits);
  an_work_clear (&p->all);
  an_work_clear (&p->amounts);
  an_places_free (p->places);
}

static const struct nprof_component probe = {
  .size = sizeof probe,
  .kind = NPROF_ANALYZER,
  .name = "probe",
  .summary = "holds traits against the rules",
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_DEVICE,
  .instance_size = sizeof (Probe),
  .open = probe_open,
  .consume = probe_consume,
  .close = probe_close,
};

static const char *const categories[] = {
  "",       "kernel",     "gpu_memcpy",  "mtia_ccp_events", "instruction",         "execution",
  "infeed", "copy-start", "loop fusion", "user_annotation", "unknown instruction",
};

static void
add_attr (struct nprof_attrs *to, nprof_str *key, guint8 *type, nprof_value *value, nprof_str k,
          gint64 v)
{
  key[to->n] = k;
  type[to->n] = NPROF_INT64;
  value[to->n++].i = v;
}

static nprof_set
make_set (const struct nprof_host *h, GRand *rand)
{
  static const char *const keys[] = { NPROF_KEY_FLOPS, NPROF_KEY_BYTES, NPROF_KEY_STEP,
                                      NPROF_KEY_DEVICE_DURATION, NPROF_KEY_CORRELATION_ID };
  nprof_str key[G_N_ELEMENTS (keys) + 1];
  guint8 type[G_N_ELEMENTS (keys) + 1];
  nprof_value value[G_N_ELEMENTS (keys) + 1];
  const char *says = meaning_word ((Meaning) g_rand_int_range (rand, 0, N_MEANINGS));
  struct nprof_attrs set = { .size = sizeof set, .key = key, .type = type, .value = value };
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    if (g_rand_boolean (rand))
      add_attr (&set, key, type, value, nprof_intern (h, keys[k]), g_rand_int_range (rand, 1, 900));
  if (says) {
    add_attr (&set, key, type, value, nprof_intern (h, NPROF_KEY_WORK), 0);
    type[set.n - 1] = NPROF_STRING;
    value[set.n - 1].s = nprof_intern (h, says);
  }
  return set.n ? h->attrs (h, &set) : 0;
}

static void
add_own (struct nprof_writer *w, const struct nprof_host *h, GRand *rand)
{
  static const char *const keys[] = {
    NPROF_KEY_DEVICE_OFFSET, NPROF_KEY_DEVICE_DURATION, NPROF_KEY_STEP, NPROF_KEY_CORRELATION_ID,
    NPROF_KEY_FLOPS,         NPROF_KEY_BYTES,           "other key"
  };
  const bool clock = g_rand_int_range (rand, 0, 3) > 0;
  for (guint k = 0; k < 2 && clock; k++)
    nprof_attr_int (w, nprof_intern (h, keys[k]), g_rand_int_range (rand, 0, 900));
  for (guint k = clock ? 2 : 0; k < G_N_ELEMENTS (keys); k++)
    if (!g_rand_int_range (rand, 0, 4))
      nprof_attr_int (w, nprof_intern (h, keys[k]), g_rand_int_range (rand, 0, 900));
  const char *says = meaning_word ((Meaning) g_rand_int_range (rand, 0, N_MEANINGS));
  if (says && !g_rand_int_range (rand, 0, 8))
    nprof_attr_str (w, nprof_intern (h, NPROF_KEY_WORK), nprof_intern (h, says));
}

static void
make_tracks (const struct nprof_host *h, nprof_track *track)
{
  static const struct {
    guint kind;
    const char *label;
  } of_device[] = { { NPROF_TRACK_ENGINE, "XLA Ops" },
                    { NPROF_TRACK_QUEUE, "stream 7" },
                    { NPROF_TRACK_ASYNC, "Async" },
                    { NPROF_TRACK_THREAD, "Steps" },
                    { NPROF_TRACK_THREAD, "XLA Modules" } };
  nprof_track device = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "GPU 0"), 0, 0);
  for (guint i = 0; i < G_N_ELEMENTS (of_device); i++)
    track[i] = h->track (h, device, of_device[i].kind, nprof_intern (h, of_device[i].label),
                         nprof_intern (h, of_device[i].label), 0);
  track[5] = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "python"), 0, 0);
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  g_autoptr (NprofTestRun) run = nprof_test_open (&probe, NULL, &(NprofTestConfig){ .rows = 64 });
  const struct nprof_host *h = nprof_test_host (run);
  const nprof_str name = nprof_intern (h, "row");
  nprof_track track[6];
  nprof_set set[N_SETS];
  make_tracks (h, track);
  for (guint i = 0; i < N_SETS; i++)
    set[i] = make_set (h, rand);
  seen = 0;
  for (guint i = 0; i < N_ROWS; i++) {
    struct nprof_writer *w = h->writer (h);
    const char *category = categories[g_rand_int_range (rand, 0, G_N_ELEMENTS (categories))];
    g_assert_cmpint (nprof_span (w, track[g_rand_int_range (rand, 0, 6)], name, i, 5), ==,
                     NPROF_OK);
    nprof_set_category (w, nprof_intern (h, category));
    nprof_set_shared (w, set[g_rand_int_range (rand, 0, N_SETS)]);
    add_own (w, h, rand);
  }
  g_assert_cmpint (nprof_test_finish (run), ==, NPROF_OK);
  g_assert_cmpuint (seen, ==, N_ROWS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/traits/random", test_random);
  return g_test_run ();
}
