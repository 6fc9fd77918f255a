/* SPDX-License-Identifier: Apache-2.0 */
/* test-analyzer-ends.c - analyzers end at the same time where nothing of one reaches the other, and
 * what they hand on comes in their order; whatever the number of threads. */

#include "pipeline/analyzer-ends.h"

#include <sched.h>

#define MOST 5u
#define ITEMS 60u /* more than are held for one whose turn has not come */

static const struct nprof_table first_table = { .name = "first" },
                                other_table = { .name = "other" };

static nprof_status
read_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells, uint32_t n)
{
  (void) self, (void) table, (void) cells, (void) n;
  return NPROF_OK;
}

/* clang-format off */
static const struct nprof_component
    plain = { .name = "plain", .tables = (const struct nprof_table *const[]){ &first_table, NULL } },
    no_rows = { .name = "no-rows", .flags = NPROF_ANALYZER_NO_ROWS,
                .tables = (const struct nprof_table *const[]){ &other_table, NULL } },
    makes = { .name = "makes", .flags = NPROF_ANALYZER_NO_ROWS,
              .tables = (const struct nprof_table *const[]){ &first_table, NULL } },
    reads_all = { .name = "reads-all", .flags = NPROF_ANALYZER_NO_ROWS, .table = read_table },
    reads_one = { .name = "reads-one", .flags = NPROF_ANALYZER_NO_ROWS, .table = read_table,
                  .table_wants = (const char *const[]){ "first", NULL } };
/* clang-format on */

typedef struct {
  NpAnalyzerEnds *ends;
  NpInstance instances[MOST];
  GPtrArray *analyzers;
  guint n_items, slow; /* items of each; the one that takes its time */
  nprof_status fails[MOST];
  gint ended[MOST], closed[MOST];
  gint at_work, most_at_work;
  gint meet; /* this many wait for each other in their ends; 0: none */
} Fixture;

static void
wait_for_others (Fixture *f)
{
  while (g_atomic_int_get (&f->most_at_work) < f->meet)
    sched_yield ();
}

static void
note_at_work (Fixture *f)
{
  gint now = g_atomic_int_add (&f->at_work, 1) + 1;
  for (gint most = g_atomic_int_get (&f->most_at_work); now > most;
       most = g_atomic_int_get (&f->most_at_work))
    g_atomic_int_compare_and_exchange (&f->most_at_work, most, now);
}

static nprof_status
end (gpointer user, guint number)
{
  Fixture *f = user;
  nprof_status status = NPROF_OK;
  note_at_work (f);
  wait_for_others (f);
  for (guint i = 0; i < 500 && number == f->slow; i++)
    sched_yield ();
  for (guint i = 0; i < f->n_items && !status; i++)
    status = np_analyzer_ends_add (f->ends, number,
                                   np_item_say (0, g_strdup_printf ("%u.%u", number, i)));
  g_atomic_int_add (&f->at_work, -1);
  g_atomic_int_inc (&f->ended[number]);
  return status ? status : f->fails[number];
}

static void
close_ (gpointer user, guint number)
{
  Fixture *f = user;
  g_assert_cmpint (g_atomic_int_get (&f->ended[number]), ==, 1);
  g_atomic_int_inc (&f->closed[number]);
}

static void
start (Fixture *f, guint n_threads, const struct nprof_component *const *components)
{
  f->analyzers = g_ptr_array_new ();
  for (guint i = 0; components[i]; i++) {
    f->instances[i].component = components[i];
    g_ptr_array_add (f->analyzers, &f->instances[i]);
  }
  f->ends = np_analyzer_ends_new (f->analyzers, f->analyzers->len, end, close_, f);
  g_assert_true (np_analyzer_ends_start (f->ends, n_threads));
}

/* Takes all that the analyzer whose turn it is hands on. */
static void
take_all (Fixture *f, guint number)
{
  guint n = 0;
  for (NpItem *item; (item = np_analyzer_ends_pop (f->ends)); np_item_free (item)) {
    g_autofree char *expected = g_strdup_printf ("%u.%u", number, n++);
    g_assert_cmpstr (item->say.text, ==, expected);
  }
  g_assert_cmpuint (n, ==, f->n_items);
}

/* Takes all from that number on until one fails; returns its number, or how many there are. */
static guint
deliver_from (Fixture *f, guint first)
{
  for (guint i = first; i < f->analyzers->len; i++) {
    take_all (f, i);
    if (np_analyzer_ends_status (f->ends))
      return i;
    np_analyzer_ends_next (f->ends);
  }
  return f->analyzers->len;
}

static guint
deliver (Fixture *f)
{
  return deliver_from (f, 0);
}

static void
stop (Fixture *f)
{
  np_analyzer_ends_free (f->ends);
  g_ptr_array_unref (f->analyzers);
}

static const struct nprof_component *const mixed[]
    = { &no_rows, &makes, &plain, &reads_one, &no_rows, NULL };

static void
test_order (void)
{
  for (guint n_threads = 1; n_threads <= 5; n_threads++)
    for (guint slow = 0; slow <= 5; slow++) {
      Fixture f = { .n_items = ITEMS, .slow = slow };
      start (&f, n_threads, mixed);
      g_assert_cmpuint (deliver (&f), ==, 5);
      stop (&f);
      for (guint i = 0; i < 5; i++)
        g_assert_cmpint (f.ended[i], ==, 1);
    }
}

static void
test_failure (void)
{
  for (guint n_threads = 1; n_threads <= 4; n_threads++)
    for (guint bad = 0; bad < 5; bad++) {
      Fixture f = { .n_items = 3, .slow = bad };
      for (guint i = bad; i < 5; i++)
        f.fails[i] = NPROF_E_FORMAT;
      start (&f, n_threads, mixed);
      g_assert_cmpuint (deliver (&f), ==, bad);
      stop (&f);
    }
}

/* They wait for each other, so this hangs unless so many end at the same time. */
static void
check_together (gint together, const struct nprof_component *const *components)
{
  Fixture f = { .n_items = 1, .slow = MOST, .meet = together };
  start (&f, (guint) together, components);
  guint n = f.analyzers->len;
  g_assert_cmpuint (deliver (&f), ==, n);
  stop (&f);
  g_assert_cmpint (f.most_at_work, ==, together);
}

static void
test_together (void)
{
  const struct nprof_component *const sets[][4] = { { &no_rows, &no_rows, &no_rows },
                                                    { &no_rows, &makes, &plain },
                                                    { &no_rows, &reads_one, &no_rows } };
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    check_together (3, sets[i]);
}

/* An analyzer that waits for another begins only when all of that is delivered. */
static void
test_apart (void)
{
  const struct nprof_component *const pairs[][3] = {
    { &plain, &no_rows }, { &plain, &plain }, { &makes, &reads_one }, { &no_rows, &reads_all }
  };
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    Fixture f = { .n_items = 2, .slow = 0 };
    start (&f, 4, pairs[i]);
    g_assert_cmpuint (deliver (&f), ==, 2);
    stop (&f);
    g_assert_cmpint (f.most_at_work, ==, 1);
  }
}

/* Both threads are at ends of analyzers that must wait for room, before the one whose turn it is
 * has begun. */
static void
test_all_wait_before_the_turn (void)
{
  const struct nprof_component *const waiting[] = { &makes, &reads_one, &no_rows, &no_rows, NULL };
  Fixture f = { .n_items = ITEMS, .slow = MOST };
  start (&f, 2, waiting);
  take_all (&f, 0);
  while (g_atomic_int_get (&f.at_work) < 2)
    sched_yield ();
  np_analyzer_ends_next (f.ends);
  g_assert_cmpuint (deliver_from (&f, 1), ==, 4);
  stop (&f);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (f.ended[i], ==, 1);
}

/* Analyzers whose items nobody takes any more are told to stop. */
static void
test_dropped (void)
{
  Fixture f = { .n_items = 1000, .slow = MOST };
  start (&f, 3, mixed);
  np_item_free (np_analyzer_ends_pop (f.ends));
  stop (&f);
}

static void
test_closed (void)
{
  for (guint n_threads = 1; n_threads <= 3; n_threads++) {
    Fixture f = { .n_items = 2, .slow = MOST };
    start (&f, n_threads, mixed);
    g_assert_cmpuint (deliver (&f), ==, 5);
    stop (&f);
    for (guint i = 0; i < 5; i++)
      g_assert_cmpint (f.closed[i], ==, 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/analyzer-ends/order", test_order);
  g_test_add_func ("/analyzer-ends/failure", test_failure);
  g_test_add_func ("/analyzer-ends/together", test_together);
  g_test_add_func ("/analyzer-ends/apart", test_apart);
  g_test_add_func ("/analyzer-ends/all-wait-before-the-turn", test_all_wait_before_the_turn);
  g_test_add_func ("/analyzer-ends/dropped", test_dropped);
  g_test_add_func ("/analyzer-ends/closed", test_closed);
  return g_test_run ();
}
