/* SPDX-License-Identifier: Apache-2.0 */
/* test-perfetto-sets.c - random rows give the same trace, to the byte, whether their attributes
 * come in sets that rows share, which the sink perfetto puts once and copies, or in the rows. */
#include "testhost.h"

#include <nprof/format.h>
#include <nprof/keys.h>
#include <string.h>

#define MOST_ATTRS 6
#define FUTURE_TYPE 42
#define KEYS 80 /* more than a set's 64 bits keep apart */

typedef struct {
  guint n_rows, n_sets;
  guint length; /* of texts */
} Case;

typedef struct {
  guint n;
  nprof_str key[MOST_ATTRS];
  guint8 type[MOST_ATTRS];
  nprof_value value[MOST_ATTRS];
  struct nprof_buf bytes;
} Attrs;

static nprof_str
random_text (const struct nprof_host *h, GRand *random, guint length)
{
  g_autofree char *text
      = g_strdup_printf ("%u %*s", (guint) g_rand_int_range (random, 0, 100000), (int) length, "");
  return nprof_intern (h, text);
}

static void
add_attr (const struct nprof_host *h, GRand *random, const Case *of, Attrs *to)
{
  static const char *const odd[] = { "args", "start_ps", "flow", NPROF_KEY_FLOW_PHASE };
  static const char json[] = "{\"k1\": [1, \"two\"], \"k2\": \"\\u0007\"}";
  static const guint8 types[] = { NPROF_INT64, NPROF_UINT64, NPROF_DOUBLE, NPROF_STRING,
                                  NPROF_TEXT,  NPROF_JSON,   FUTURE_TYPE };
  const guint which = (guint) g_rand_int_range (random, 0, 400), k = to->n++;
  g_autofree char *name
      = which < G_N_ELEMENTS (odd) ? g_strdup (odd[which]) : g_strdup_printf ("k%u", which % KEYS);
  const guint pick = (guint) g_rand_int_range (random, 0, 100);
  nprof_value *v = to->value + k;
  to->key[k] = nprof_intern (h, name);
  to->type[k] = strcmp (name, "args") == 0 ? NPROF_JSON : types[pick ? pick % 6 : 6];
  memset (v, 0, sizeof *v);
  switch (to->type[k]) {
  case NPROF_STRING:
    v->s = random_text (h, random, of->length);
    break;
  case NPROF_DOUBLE:
    v->f = g_rand_double (random);
    break;
  case NPROF_TEXT:
  case NPROF_JSON:
    v->bytes.at = (guint32) to->bytes.len;
    v->bytes.len = sizeof json - 1;
    nprof_put (&to->bytes, json, sizeof json - 1);
    break;
  default:
    v->u = g_rand_int (random);
    break;
  }
}

static void
add_own (struct nprof_writer *w, const Attrs *from)
{
  for (guint k = 0; k < from->n; k++)
    if (from->type[k] == NPROF_TEXT || from->type[k] == NPROF_JSON)
      nprof_attr_bytes (w, from->key[k], from->type[k], from->bytes.data + from->value[k].bytes.at,
                        from->value[k].bytes.len);
    else
      nprof_attr (w, from->key[k], from->type[k], from->value[k]);
}

static guint
count_unknown (const Attrs *from)
{
  guint n = 0;
  for (guint k = 0; k < from->n; k++)
    n += from->type[k] == FUTURE_TYPE;
  return n;
}

static void
make_attrs (const struct nprof_host *h, GRand *random, const Case *of, Attrs *to, guint n)
{
  to->bytes.len = to->n = 0;
  while (to->n < n)
    add_attr (h, random, of, to);
}

static void
add_row (const struct nprof_host *h, GRand *random, guint k, nprof_track track)
{
  struct nprof_writer *w = h->writer (h);
  const guint kind = (guint) g_rand_int_range (random, 0, 12);
  const gint64 start = 100000 * (gint64) k + g_rand_int_range (random, 0, 3);
  const nprof_str name = random_text (h, random, 1);
  nprof_row (w,
             kind == 0   ? NPROF_INSTANT
             : kind == 1 ? NPROF_GAP
             : kind == 2 ? NPROF_COUNTER
             : kind == 3 ? NPROF_FLOW
                         : NPROF_SPAN,
             track, name, start, kind == 3 ? 0 : g_rand_int_range (random, -1, 500000));
  if (kind == 3)
    nprof_set_flow (w, 1 + k % 7);
  if (kind == 2 && k % 2)
    nprof_set_value (w, k);
}

/* Returns the trace of rows of a seed. */
static char *
make_trace (const Case *of, gboolean shared, gsize *len)
{
  const struct nprof_component *sink
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "perfetto");
  const NprofTestConfig config = { .label = "random", .target_name = "trace.pftrace" };
  g_autoptr (NprofTestRun) run = nprof_test_open (sink, NULL, &config);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  const struct nprof_host *h = nprof_test_host (run);
  const nprof_track device = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, "device"), 0, 0);
  g_autofree Attrs *sets = g_new0 (Attrs, of->n_sets);
  g_autofree nprof_set *handles = g_new0 (nprof_set, of->n_sets);
  Attrs own = { .n = 0 };
  guint unknown = 0;
  for (guint k = 0; k < of->n_sets; k++) {
    Attrs *a = sets + k;
    make_attrs (h, random, of, a, 1 + k % MOST_ATTRS);
    const struct nprof_attrs attrs
        = { sizeof attrs, a->n, a->key, a->type, a->value, a->bytes.data };
    handles[k] = h->attrs (h, &attrs);
  }
  for (guint k = 0; k < of->n_rows; k++) {
    const guint set = (guint) g_rand_int_range (random, 0, (gint32) of->n_sets + 1);
    make_attrs (h, random, of, &own, (guint) g_rand_int_range (random, 0, 4));
    add_row (h, random, k, device);
    struct nprof_writer *w = h->writer (h);
    if (set && shared)
      nprof_set_shared (w, handles[set - 1]);
    else if (set)
      add_own (w, sets + set - 1);
    add_own (w, &own);
    unknown += count_unknown (&own) + (set ? count_unknown (sets + set - 1) : 0);
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  for (guint k = 0; k < of->n_sets; k++)
    nprof_buf_clear (&sets[k].bytes);
  nprof_buf_clear (&own.bytes);
  g_autofree char *skipped
      = g_strdup_printf ("%u attributes of unknown types were skipped", unknown);
  g_assert_true (nprof_test_logged (run, skipped));
  *len = nprof_test_output_size (run, NULL);
  return g_memdup2 (nprof_test_output (run, NULL), *len);
}

static void
test_same (gconstpointer of)
{
  gsize by_sets, by_rows;
  g_autofree char *one = make_trace (of, TRUE, &by_sets), *other = make_trace (of, FALSE, &by_rows);
  g_assert_cmpmem (one, by_sets, other, by_rows);
}

int
main (int argc, char **argv)
{
  /* What is put once is put anew behind 8 MB of it, where two sets have one place, and behind 64 MB
   * of texts, which readers forget. */
  static const Case few = { 5000, 20, 1 }, many = { 60000, 20000, 300 },
                    texts = { 80000, 300, 4000 };
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/perfetto/sets/few", &few, test_same);
  g_test_add_data_func ("/perfetto/sets/many", &many, test_same);
  g_test_add_data_func ("/perfetto/sets/long-texts", &texts, test_same);
  return g_test_run ();
}
