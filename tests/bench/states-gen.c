/* SPDX-License-Identifier: Apache-2.0 */
/* states-gen.c - states of the ranks of a large job, as nprof map leaves them, without their
 * profiles: 1,500 collectives in three groups, 500 operators, three steps and the anchors of each
 * group a rank. */
#include "ranks.h"
#include "scale/state-file.h"

#include <stdlib.h>
#include <string.h>

#define EVERY G_GINT64_CONSTANT (400000000) /* ps between calls */

enum { TP = 1000, DP = 480, WORLD = 20, OPERATORS = 500, STEPS = 3, LOCAL = 8, ANCHORS = 64 };

/* save.c asks for the rows of profiles, of which there are none. */
nprof_status
rk_end (Ranks *r, bool rows)
{
  (void) r;
  (void) rows;
  return NPROF_OK;
}

nprof_status
rk_check (const Ranks *r)
{
  (void) r;
  return NPROF_OK;
}

/* -- A host with texts only -------------------------------------------------------------------- */

static GHashTable *handles;
static GPtrArray *texts;

static nprof_str
intern (const struct nprof_host *host, const char *text, size_t len)
{
  (void) host;
  g_autofree char *key = g_strndup (text, len);
  gpointer known = g_hash_table_lookup (handles, key);
  if (known || !len)
    return GPOINTER_TO_UINT (known);
  g_ptr_array_add (texts, g_strdup (key));
  g_hash_table_insert (handles, g_ptr_array_index (texts, texts->len - 1),
                       GUINT_TO_POINTER (texts->len - 1));
  return texts->len - 1;
}

static const char *
string (const struct nprof_host *host, nprof_str str, size_t *len)
{
  (void) host;
  const char *text = g_ptr_array_index (texts, str);
  if (len)
    *len = strlen (text);
  return text;
}

static const struct nprof_host host = { .size = sizeof host, .intern = intern, .string = string };

/* -- One rank ---------------------------------------------------------------------------------- */

typedef struct {
  Job *job;
  GRand *random;
  guint32 rank, before;
  guint turn;   /* of its calls, which all ranks make at one time */
  gint64 clock; /* ps: what its host's differs by                 */
} Making;

static gint64
about (Making *m, gint64 ps)
{
  return ps + g_rand_int_range (m->random, 0, (gint32) MIN (ps / 8, G_MAXINT32));
}

static guint32
group_of (Making *m, const char *kind, guint number, guint size)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, number);
  const guint32 key[G_WORDS] = { [G_NAME] = intern (&host, name, strlen (name)),
                                 [G_LABEL] = intern (&host, kind, strlen (kind)),
                                 [G_SIZE] = size };
  return an_key_table_get (&m->job->group_keys, key);
}

static guint32
signature_of (Making *m, const char *name, AnKindOf kind, guint elements)
{
  const guint32 key[S_WORDS]
      = { intern (&host, name, strlen (name)), kind, 0, elements, 0, elements, 0, 1 };
  return an_key_table_get (&m->job->signature_keys, key);
}

static void
make_call (Making *m, guint32 group, guint32 signature, gint64 number, guint of)
{
  guint32 key[C_WORDS] = { group, signature, BY_SEQUENCE };
  set_key_number (key, C_NUMBER_LOW, number);
  guint32 call = job_call_of (m->job, key);
  gint64 end = EVERY * ++m->turn + m->clock + about (m, 32000000), took = about (m, 90000000),
         start = end - took;
  Call part = { .n = 1,
                .n_windows = 1,
                .total = took,
                .exposed = about (m, 60000000),
                .shortest = { took },
                .first = { m->rank },
                .longest = took,
                .step = number * STEPS / of };
  part.window.has = 1;
  part.window.before = m->before;
  part.window.seg[SEG_COMPUTE] = about (m, 300000000);
  part.window.seg[SEG_HOST] = about (m, 9000000);
  for (guint i = 0; i < SEGS; i++)
    part.seg[i] = part.window.seg[i];
  const Start begun = { start, m->rank, 0 };
  job_add_call (m->job, call, &part, &begun, 1);
  m->before = call + 1;
  if (number < ANCHORS) {
    const Anchor anchor = { call, start, end };
    rank_add_anchor (job_rank (m->job, m->rank), &anchor);
  }
}

static void
make_calls (Making *m, guint rank, guint ranks)
{
  guint32 tp = group_of (m, "tp", rank / LOCAL, LOCAL),
          dp = group_of (m, "dp", rank % LOCAL, ranks / LOCAL),
          world = group_of (m, "world", 0, ranks);
  guint32 reduce = signature_of (m, "allreduce", AN_KIND_ALLREDUCE, 8388608),
          scatter = signature_of (m, "reduce_scatter", AN_KIND_REDUCESCATTER, 33554432),
          one = signature_of (m, "allreduce", AN_KIND_ALLREDUCE, 1);
  guint n_dp = 0, n_world = 0;
  for (guint i = 0; i < TP; i++) {
    make_call (m, tp, reduce, i, TP);
    for (; n_dp * TP < (i + 1) * DP; n_dp++)
      make_call (m, dp, scatter, n_dp, DP);
    for (; n_world * TP < (i + 1) * WORLD; n_world++)
      make_call (m, world, one, n_world, WORLD);
  }
}

static void
make_operators (Making *m)
{
  Rank *rank = job_rank (m->job, m->rank);
  for (guint i = 0; i < OPERATORS; i++) {
    g_autofree char *name = g_strdup_printf ("void cutlass::gemm_%u<float, 128, 128>", i);
    const guint32 key[] = { intern (&host, name, strlen (name)), intern (&host, "kernel", 6) };
    RankOperator *o = rank_operator (rank, an_key_table_get (&m->job->operator_keys, key));
    o->count = 30 + i % 7;
    o->in_steps = (guint32) o->count;
    for (guint k = 0; k < o->count; k++)
      o->total += about (m, 20000000);
  }
}

static void
make_steps (Making *m)
{
  const gint64 length = EVERY * (TP + DP + WORLD) / STEPS;
  for (guint i = 0; i < STEPS; i++) {
    const RankStep step = { .number = i,
                            .start = length * i + m->clock,
                            .end = length * (i + 1) + m->clock,
                            .compute = about (m, 100000000000),
                            .exposed = about (m, 9000000000) };
    rank_add_step (job_rank (m->job, m->rank), &step);
  }
}

static void
make_rank (Job *job, guint rank, guint ranks)
{
  g_autofree char *node = g_strdup_printf ("node%05u", rank / LOCAL),
                  *file = g_strdup_printf ("rank%05u.json", rank);
  Making m = { .job = job, .random = g_rand_new_with_seed (rank) };
  m.clock = (gint64) (rank / LOCAL * 7919 % 20000) * 1000000;
  Rank who = { .number = rank, .world = ranks, .origin = G_GINT64_CONSTANT (1760000000000000000) };
  who.input = intern (&host, file, strlen (file));
  who.host = intern (&host, node, strlen (node));
  who.device = intern (&host, "GPU", 3);
  m.rank = job_rank_of (job, &who);
  make_calls (&m, rank, ranks);
  make_operators (&m);
  make_steps (&m);
  job_rank (job, m.rank)->span = EVERY * (TP + DP + WORLD);
  g_rand_free (m.random);
}

/* -- Its file ---------------------------------------------------------------------------------- */

typedef struct {
  struct nprof_output pub;
  GByteArray *to;
} Kept;

static nprof_status
keep (struct nprof_output *output, const void *data, size_t len)
{
  g_byte_array_append (((Kept *) output)->to, data, (guint) len);
  return NPROF_OK;
}

static void
write_rank (const char *folder, const Ranks *r, guint rank, guint ranks)
{
  GByteArray *bytes = g_byte_array_new ();
  Kept kept = { { .size = sizeof kept.pub, .write = keep }, bytes };
  if (rk_save ((void *) r, &kept.pub))
    exit (1);
  g_autoptr (NpState) state = np_state_new ();
  NpSaved *saved = g_new0 (NpSaved, 1);
  saved->analyzer = g_strdup ("ranks");
  saved->state = g_byte_array_free_to_bytes (bytes);
  g_ptr_array_add (state->states, saved);
  NpStateRank *who = g_new0 (NpStateRank, 1);
  who->number = rank;
  who->world = ranks;
  who->file = g_strdup_printf ("rank%05u.json", rank);
  who->host = g_strdup_printf ("node%05u", rank / LOCAL);
  who->digest = np_states_digest (state->states);
  g_ptr_array_add (state->ranks, who);
  state->options = g_strdup ("ranks");
  g_autoptr (GBytes) file = np_state_to_bytes (state);
  g_autofree char *path = g_strdup_printf ("%s/rank-%05u" NP_STATE_SUFFIX, folder, rank);
  gsize len;
  const char *data = g_bytes_get_data (file, &len);
  if (!g_file_set_contents_full (path, data, (gssize) len, G_FILE_SET_CONTENTS_NONE, 0666, NULL))
    exit (1);
}

int
main (int argc, char **argv)
{
  if (argc != 3) {
    g_printerr ("usage: states-gen RANKS FOLDER\n");
    return 1;
  }
  guint ranks = (guint) g_ascii_strtoull (argv[1], NULL, 10);
  g_mkdir_with_parents (argv[2], 0777);
  handles = g_hash_table_new (g_str_hash, g_str_equal);
  texts = g_ptr_array_new ();
  g_ptr_array_add (texts, g_strdup (""));
  for (guint i = 0; i < ranks; i++) {
    Ranks r = { .host = &host };
    job_init (&r.job, &host);
    make_rank (&r.job, i, ranks);
    write_rank (argv[2], &r, i, ranks);
    job_clear (&r.job);
  }
  return 0;
}
