/* SPDX-License-Identifier: Apache-2.0 */
/* test-parallel-decode.c - parts in any order on any number of threads: what is delivered, in which
 * order, and that each part that was begun is joined once, however the input ends. */

#include "pipeline/parallel-decode.h"

#include "fake-run.h"

#include <sched.h>

#define BATCH_ROWS 8
#define JOIN_ROW G_MAXUINT32 /* place of the row that join adds */
#define NEVER G_MAXUINT

/* -- A decoder that counts ------------------------------------------------- */

typedef struct {
  guint n_parts, jobs;
  guint *rows;               /* of each part */
  gboolean join_rows, words; /* words: rows of a table and log lines as well */
  guint fail, fail_too;      /* parts that fail, at their ends */
  guint cancelled;           /* the part that is told so by progress */
  guint join_fails;
  const struct nprof_host *host;
  atomic_uint begun, written, freed;
  guint joined, joined_failed; /* and in order */
  gint64 last_joined;
} Plan;

typedef struct {
  Plan *plan;
} Decoder;

typedef struct {
  guint number; /* + 1 */
  char *memory;
} State;

static const struct nprof_table words
    = { .size = sizeof words,
        .name = "words",
        .title = "Words",
        .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_UINT64, "part", "", "its number")) };

static void
dawdle (guint number)
{
  for (guint k = number * 2654435761u % 5; k > 0; k--)
    sched_yield ();
}

static nprof_status
write_rows (Plan *plan, guint number, const struct nprof_host *host)
{
  struct nprof_writer *w = host->writer (host);
  const struct nprof_input_info *input = host->input (host, 0);
  nprof_str name = nprof_intern (host, "row");
  for (guint i = 0; i < plan->rows[number]; i++) {
    if (i % 16 == 3)
      dawdle (number + i);
    atomic_fetch_add (&plan->written, 1);
    nprof_status status = nprof_instant (w, input->root, name, i);
    if (status)
      return status;
    nprof_set_id (w, (guint64) number << 32 | i);
  }
  return NPROF_OK;
}

static nprof_status
write_words (guint number, const struct nprof_host *host)
{
  nprof_log (host, NPROF_WARNING, "part %u", number);
  return host->row (host, &words,
                    (struct nprof_cell[]){ nprof_cell_str (host->input (host, 0)->label),
                                           nprof_cell_uint (number) });
}

static nprof_status
decode_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  Plan *plan = ((Decoder *) self)->plan;
  State *state = part;
  g_assert_cmpuint (state->number, ==, 0);
  g_assert_null (state->memory);
  state->number = number + 1;
  state->memory = g_strdup ("kept until join");
  atomic_fetch_add (&plan->begun, 1);
  dawdle (number);
  nprof_status status = plan->words ? write_words (number, host) : NPROF_OK;
  if (!status)
    status = write_rows (plan, number, host);
  if (!status && (number == plan->fail || number == plan->fail_too))
    return nprof_fail (host, NPROF_E_FORMAT, "part %u is bad", number);
  return !status && number == plan->cancelled ? NPROF_CANCELLED : status;
}

static nprof_status
join (void *self, uint32_t number, void *part, int failed)
{
  Plan *plan = ((Decoder *) self)->plan;
  State *state = part;
  g_assert_cmpuint (state->number, ==, number + 1);
  g_assert_cmpint (number, >, plan->last_joined);
  plan->last_joined = number;
  plan->joined++;
  plan->joined_failed += failed != 0;
  g_clear_pointer (&state->memory, g_free);
  atomic_fetch_add (&plan->freed, 1);
  if (failed)
    return NPROF_OK;
  if (number == plan->join_fails)
    return nprof_fail (plan->host, NPROF_E_FORMAT, "join %u is bad", number);
  if (!plan->join_rows)
    return NPROF_OK;
  struct nprof_writer *w = plan->host->writer (plan->host);
  nprof_status status = nprof_instant (w, plan->host->input (plan->host, 0)->root,
                                       nprof_intern (plan->host, "join"), 0);
  if (!status)
    nprof_set_id (w, (guint64) number << 32 | JOIN_ROW);
  return status;
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "parts",
  .instance_size = sizeof (Decoder),
  .part_size = sizeof (State),
  .tables = (const struct nprof_table *const[]){ &words, NULL },
  .decode_part = decode_part,
  .join = join,
};

/* -- What is delivered ----------------------------------------------------- */

typedef struct {
  FakeRun *fake;
  Plan *plan;
  NpInstance *instance;
  pthread_t thread;
  GArray *ids;        /* of guint64: rows as delivered */
  GString *words;     /* rows of the table, and log lines */
  guint cancel_after; /* rows; NEVER */
  guint most_out;     /* rows written and not yet delivered */
  GError *error;
} Delivery;

static void
note_out (Delivery *d)
{
  guint out = atomic_load (&d->plan->written) - d->ids->len;
  d->most_out = MAX (d->most_out, out);
}

static nprof_status
feed_batch (gpointer user, NpBatch *batch)
{
  Delivery *d = user;
  g_assert_true (pthread_equal (d->thread, pthread_self ()));
  if (!d->plan->join_rows)
    note_out (d);
  guint first = (guint) (batch->view.id[0] >> 32);
  g_assert_cmpuint (atomic_load (&d->plan->begun), <=, first + 2 * d->plan->jobs);
  g_array_append_vals (d->ids, batch->view.id, batch->view.n_rows);
  np_batch_unref (batch);
  return d->ids->len >= d->cancel_after ? NPROF_CANCELLED : NPROF_OK;
}

static nprof_status
feed_chunk (gpointer user, NpChunk *chunk)
{
  Delivery *d = user;
  g_assert_true (pthread_equal (d->thread, pthread_self ()));
  for (guint i = 0; i < chunk->n_rows; i++)
    g_string_append_printf (d->words, "row %u\n", (guint) chunk->cells[2 * i + 1].v.u);
  np_chunk_unref (chunk);
  return NPROF_OK;
}

static void
feed_say (gpointer user, int level, char *text)
{
  Delivery *d = user;
  g_assert_true (pthread_equal (d->thread, pthread_self ()));
  g_assert_cmpint (level, ==, NPROF_WARNING);
  g_string_append_printf (d->words, "%s\n", text);
  g_free (text);
}

static Delivery *
delivery_new (Plan *plan, const struct nprof_component *component)
{
  Delivery *d = g_new0 (Delivery, 1);
  d->fake = fake_run_new (BATCH_ROWS);
  d->plan = plan;
  d->thread = pthread_self ();
  d->ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  d->words = g_string_new (NULL);
  d->cancel_after = NEVER;
  NpFeed feed = { feed_batch, feed_chunk, feed_say, d };
  d->instance = np_instance_new (&d->fake->run, component, NULL, fake_input (d->fake, "in", 0),
                                 NULL, feed, &d->error);
  g_assert_no_error (d->error);
  ((Decoder *) d->instance->self)->plan = plan;
  plan->host = &d->instance->host;
  plan->last_joined = -1;
  return d;
}

static void
delivery_free (Delivery *d)
{
  np_instance_free (d->instance);
  g_array_unref (d->ids);
  g_string_free (d->words, TRUE);
  g_clear_error (&d->error);
  fake_run_free (d->fake); /* all batches have come back */
  g_free (d);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Delivery, delivery_free)

static void
plan_init (Plan *plan, guint n_parts, guint jobs, guint most_rows, guint32 seed)
{
  memset (plan, 0, sizeof *plan);
  plan->n_parts = n_parts;
  plan->jobs = jobs;
  plan->fail = plan->fail_too = plan->cancelled = plan->join_fails = NEVER;
  plan->rows = g_new0 (guint, n_parts + 2);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  for (guint k = 0; k < n_parts; k++)
    plan->rows[k] = most_rows ? (guint) g_rand_int_range (rand, 0, (gint32) most_rows + 1) : 0;
}

/* Rows of parts 0 .. n-1, in order, are delivered first; returns how many these are. */
static guint
check_rows (const Delivery *d, guint n)
{
  guint at = 0;
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < d->plan->rows[k] + (d->plan->join_rows ? 1 : 0); i++, at++) {
      guint64 place = i < d->plan->rows[k] ? i : JOIN_ROW;
      g_assert_cmpuint (at, <, d->ids->len);
      g_assert_cmpuint (g_array_index (d->ids, guint64, at), ==, (guint64) k << 32 | place);
    }
  return at;
}

/* Rows of part n may follow, from its first on, and nothing else. */
static void
check_beginning_of (const Delivery *d, guint n, guint from)
{
  for (guint at = from; at < d->ids->len; at++)
    g_assert_cmpuint (g_array_index (d->ids, guint64, at), ==, (guint64) n << 32 | (at - from));
}

static void
check_all_joined (const Plan *plan, guint well)
{
  g_assert_cmpuint (plan->joined, ==, atomic_load (&plan->begun));
  g_assert_cmpuint (atomic_load (&plan->freed), ==, atomic_load (&plan->begun));
  g_assert_cmpuint (plan->joined - plan->joined_failed, ==, well);
}

/* -- Tests ----------------------------------------------------------------- */

static void
test_all (void)
{
  for (guint jobs = 1; jobs <= 8; jobs++)
    for (guint32 seed = 0; seed < 6; seed++) {
      Plan plan;
      plan_init (&plan, 1 + seed * 9, jobs, 60, seed);
      plan.join_rows = seed & 1;
      plan.words = TRUE;
      g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
      g_assert_cmpint (np_parallel_decode (d->instance, plan.n_parts, jobs), ==, NPROF_OK);
      g_assert_cmpuint (check_rows (d, plan.n_parts), ==, d->ids->len);
      check_all_joined (&plan, plan.n_parts);
      g_autoptr (GString) expected = g_string_new (NULL);
      for (guint k = 0; k < plan.n_parts; k++)
        g_string_append_printf (expected, "part %u\nrow %u\n", k, k);
      g_assert_cmpstr (d->words->str, ==, expected->str);
      g_free (plan.rows);
    }
}

/* Rows that plan wrote come before those of the parts; no parts at all is fine. */
static void
test_after_plan (void)
{
  for (guint n_parts = 0; n_parts < 4; n_parts++) {
    Plan plan;
    plan_init (&plan, n_parts, 2, 0, 0);
    plan.rows[1] = n_parts > 1 ? 3 : 0;
    g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
    struct nprof_writer *w = plan.host->writer (plan.host);
    g_assert_cmpint (nprof_instant (w, 1, 1, 0), ==, NPROF_OK);
    nprof_set_id (w, 77);
    g_assert_cmpint (np_parallel_decode (d->instance, n_parts, 2), ==, NPROF_OK);
    g_assert_cmpuint (d->ids->len, ==, 1 + plan.rows[1]);
    g_assert_cmpuint (g_array_index (d->ids, guint64, 0), ==, 77);
    check_all_joined (&plan, n_parts);
    g_free (plan.rows);
  }
}

static void
test_the_first_failure_is_told (void)
{
  for (guint jobs = 1; jobs <= 8; jobs++)
    for (guint fail = 0; fail < 12; fail += 3) {
      Plan plan;
      plan_init (&plan, 30, jobs, 30, fail);
      plan.fail = fail;
      plan.fail_too = fail + 1; /* often fails before the first one does */
      plan.rows[fail] = 50;
      plan.rows[fail + 1] = 0;
      g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
      g_assert_cmpint (np_parallel_decode (d->instance, 30, jobs), ==, NPROF_E_FORMAT);
      g_autoptr (GError) error = np_instance_take_error (d->instance, NPROF_E_FORMAT);
      g_autofree char *text = g_strdup_printf ("in: part %u is bad", fail);
      g_assert_error (error, NP_ERROR, NP_EXIT_INPUT);
      g_assert_cmpstr (error->message, ==, text);
      check_beginning_of (d, fail, check_rows (d, fail));
      check_all_joined (&plan, fail);
      g_free (plan.rows);
    }
}

static void
test_cancelled_by_who_takes_rows (void)
{
  for (guint jobs = 1; jobs <= 8; jobs++)
    for (guint after = 1; after < 400; after += 57) {
      Plan plan;
      plan_init (&plan, 40, jobs, 40, after);
      g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
      d->cancel_after = after;
      g_assert_cmpint (np_parallel_decode (d->instance, 40, jobs), ==, NPROF_CANCELLED);
      g_assert_cmpuint (d->ids->len, >=, after);
      g_assert_cmpuint (d->ids->len, <, after + BATCH_ROWS);
      guint well = plan.joined - plan.joined_failed;
      check_beginning_of (d, well, check_rows (d, well));
      check_all_joined (&plan, well);
      g_assert_null (d->instance->error);
      g_free (plan.rows);
    }
}

static void
test_cancelled_in_a_part (void)
{
  for (guint jobs = 1; jobs <= 4; jobs++) {
    Plan plan;
    plan_init (&plan, 20, jobs, 20, 5);
    plan.cancelled = 7;
    g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
    g_assert_cmpint (np_parallel_decode (d->instance, 20, jobs), ==, NPROF_CANCELLED);
    g_autoptr (GError) error = np_instance_take_error (d->instance, NPROF_CANCELLED);
    g_assert_error (error, NP_ERROR, NP_EXIT_INTERRUPTED);
    g_assert_true (np_error_is_silent (error));
    check_beginning_of (d, 7, check_rows (d, 7));
    check_all_joined (&plan, 7);
    g_free (plan.rows);
  }
}

static void
test_a_join_fails (void)
{
  for (guint jobs = 1; jobs <= 4; jobs++) {
    Plan plan;
    plan_init (&plan, 20, jobs, 20, 5);
    plan.join_fails = 6;
    g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
    g_assert_cmpint (np_parallel_decode (d->instance, 20, jobs), ==, NPROF_E_FORMAT);
    g_autoptr (GError) error = np_instance_take_error (d->instance, NPROF_E_FORMAT);
    g_assert_cmpstr (error->message, ==, "in: join 6 is bad");
    g_assert_cmpuint (check_rows (d, 7), ==, d->ids->len);
    check_all_joined (&plan, 7); /* 6 was told of no failure, it is one */
    g_free (plan.rows);
  }
}

/* Parts behind the head wait when enough rows do. */
static void
test_memory_is_bounded (void)
{
  for (guint jobs = 2; jobs <= 4; jobs++) {
    Plan plan;
    plan_init (&plan, 6 * jobs, jobs, 0, 0);
    for (guint k = 0; k < plan.n_parts; k++)
      plan.rows[k] = 1000;
    g_autoptr (Delivery) d = delivery_new (&plan, &decoder);
    g_assert_cmpint (np_parallel_decode (d->instance, plan.n_parts, jobs), ==, NPROF_OK);
    g_assert_cmpuint (check_rows (d, plan.n_parts), ==, d->ids->len);
    /* those that wait, 8 more of the head, one being written by each thread, one delivered */
    g_assert_cmpuint (d->most_out, <=, (4 * jobs + 8 + 2 * jobs + 1) * BATCH_ROWS);
    g_free (plan.rows);
  }
}

static nprof_status
decode_nothing (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  (void) number, (void) part, (void) host;
  atomic_fetch_add (&((Decoder *) self)->plan->begun, 1);
  return NPROF_OK;
}

static void
test_no_join_and_no_state (void)
{
  struct nprof_component small = decoder;
  small.part_size = 0;
  small.join = NULL;
  small.decode_part = decode_nothing;
  for (guint jobs = 1; jobs <= 3; jobs++) {
    Plan plan;
    plan_init (&plan, 50, jobs, 0, 0);
    g_autoptr (Delivery) d = delivery_new (&plan, &small);
    g_assert_cmpint (np_parallel_decode (d->instance, 50, jobs), ==, NPROF_OK);
    g_assert_cmpuint (atomic_load (&plan.begun), ==, 50);
    g_free (plan.rows);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parts/all", test_all);
  g_test_add_func ("/parts/after-plan", test_after_plan);
  g_test_add_func ("/parts/the-first-failure-is-told", test_the_first_failure_is_told);
  g_test_add_func ("/parts/cancelled-by-who-takes-rows", test_cancelled_by_who_takes_rows);
  g_test_add_func ("/parts/cancelled-in-a-part", test_cancelled_in_a_part);
  g_test_add_func ("/parts/a-join-fails", test_a_join_fails);
  g_test_add_func ("/parts/memory-is-bounded", test_memory_is_bounded);
  g_test_add_func ("/parts/no-join-and-no-state", test_no_join_and_no_state);
  return g_test_run ();
}
