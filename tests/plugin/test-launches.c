/* SPDX-License-Identifier: Apache-2.0 */
/* test-launches.c - which call launched what, by ids and times; and rows that wait for their
 * launch. */
#include "devicekit/held-rows.h"
#include "devicekit/launch-table.h"
#include "devicekit/waiting-rows.h"
#include "system/launch-list.h"

static void
add (AnLaunches *launches, guint64 id, gint64 start, guint32 input)
{
  const AnLaunch launch = { .id = id, .start = start, .end = start + 1, .input = input };
  an_launches_add (launches, &launch);
}

static gint64
found_at (const AnLaunches *launches, guint64 id, gint64 work)
{
  const AnLaunch *launch = an_launches_find (launches, 0, id, work);
  return launch ? launch->start : -1;
}

/* The last that began no later than the work, else the first; ids of other inputs are others. */
static void
test_rule (void)
{
  AnLaunches launches = { 0 };
  g_assert_cmpint (found_at (&launches, 1, 5), ==, -1);
  add (&launches, 1, 10, 0);
  add (&launches, 1, 15, 1);
  add (&launches, 1, 20, 0);
  add (&launches, 1 + AN_LAUNCHES, 30, 0); /* has the same place */
  g_assert_cmpint (found_at (&launches, 1, 5), ==, 10);
  g_assert_cmpint (found_at (&launches, 1, 10), ==, 10);
  g_assert_cmpint (found_at (&launches, 1, 19), ==, 10);
  g_assert_cmpint (found_at (&launches, 1, 99), ==, 20);
  g_assert_cmpint (found_at (&launches, 2, 99), ==, -1);
  g_assert_cmpint (found_at (&launches, 1 + AN_LAUNCHES, 5), ==, 30);
  an_launches_clear (&launches);
}

/* -- One rule ---------------------------------------------------------------------------------- */

enum { IDS = 5, CALLS = 3000 };

typedef struct {
  AnLaunches launches;
  AnLaunchTable table;
  AnLaunchList list;
  gint64 start[CALLS]; /* ascending */
  guint64 id[CALLS];
  guint n;
} Calls;

/* Notes a call behind the others; work has come before it. */
static void
add_call (Calls *c, guint64 id, gint64 start)
{
  const AnLaunchKey key = { id, 0 };
  const AnLaunchSite site = { .start = start };
  const AnListedLaunch listed = { .id = id, .start = start };
  add (&c->launches, id, start, 0);
  an_launch_table_add (&c->table, &key, &site);
  an_launch_list_add (&c->list, &listed);
  c->start[c->n] = start;
  c->id[c->n++] = id;
}

/* Looks at all calls; -1: none has the id. */
static gint64
plain (const Calls *c, guint64 id, gint64 work)
{
  gint64 first = -1, last = -1;
  for (guint i = 0; i < c->n; i++) {
    if (c->id[i] != id)
      continue;
    first = first < 0 ? c->start[i] : first;
    last = c->start[i] <= work ? c->start[i] : last;
  }
  return last < 0 ? first : last;
}

/* Asks for work of all ids that begins then. */
static void
find_all (Calls *c, gint64 work)
{
  for (guint64 id = 1; id <= IDS + 1; id++) {
    const AnLaunchKey key = { id, 0 };
    const AnLaunchSite *site = an_launch_table_find (&c->table, &key, work);
    const AnListedLaunch *listed = an_launch_list_find (&c->list, 0, id, work);
    gint64 start = plain (c, id, work);
    g_assert_cmpint (found_at (&c->launches, id, work), ==, start);
    g_assert_cmpint (site ? site->start : -1, ==, start);
    g_assert_cmpint (listed ? listed->start : -1, ==, start);
  }
}

/* All ways to keep launches find the same one. Some calls come ahead of the work, then work begins
 * that no work to come lies before by more than these calls. */
static void
test_one_rule (void)
{
  Calls *c = g_new0 (Calls, 1);
  gint64 now = 0;
  while (c->n < CALLS - 10) {
    gint64 from = now;
    for (gint n = g_test_rand_int_range (1, 10); n; n--)
      add_call (c, (guint64) g_test_rand_int_range (1, IDS + 1),
                now += g_test_rand_int_range (0, 3));
    for (gint n = g_test_rand_int_range (0, 4); n; n--)
      find_all (c, g_test_rand_int_range ((gint32) from, (gint32) now + 4));
    find_all (c, now);
    an_launches_follow (&c->launches);
    an_launch_table_follow (&c->table);
  }
  an_launches_clear (&c->launches);
  an_launch_table_clear (&c->table);
  an_launch_list_clear (&c->list);
  g_free (c);
}

/* A table of many calls forgets old ones only behind work, and never the last call of an id that
 * came lately. */
static void
test_table_forgets (void)
{
  enum { MANY = 200000 };
  AnLaunchTable table = { 0 };
  for (guint i = 0; i < MANY; i++) {
    const AnLaunchSite site = { .start = i };
    g_assert_cmpint (an_launch_table_add (&table, &(AnLaunchKey){ 1 + i % (MANY / 2), 0 }, &site),
                     ==, i < MANY / 2);
  }
  g_assert_cmpint (an_launch_table_find (&table, &(AnLaunchKey){ 7, 0 }, MANY)->start, ==,
                   MANY / 2 + 6);
  g_assert_cmpint (an_launch_table_find (&table, &(AnLaunchKey){ MANY / 2, 0 }, MANY / 2)->start,
                   ==, MANY / 2 - 1);
  an_launch_table_follow (&table);
  g_assert_cmpint (an_launch_table_find (&table, &(AnLaunchKey){ 7, 0 }, 0)->start, ==,
                   MANY / 2 + 6);
  an_launch_table_follow (&table); /* nothing came since */
  g_assert_cmpint (an_launch_table_find (&table, &(AnLaunchKey){ 7, 0 }, 0)->start, ==,
                   MANY / 2 + 6);
  an_launch_table_clear (&table);
}

/* -- Rows that wait ---------------------------------------------------------------------------- */

typedef struct {
  guint taken, linked;
  gint64 last;
} Seen;

static void
take (gpointer user, const struct nprof_batch *row, const AnLaunch *launch)
{
  Seen *seen = user;
  g_assert_cmpint (row->start[0], >, seen->last);
  seen->last = row->start[0];
  seen->taken++;
  seen->linked += launch != NULL;
}

/* More rows than may wait go on in their order, without launches. */
static void
test_bound (void)
{
  enum { MORE = 100, ALL = AN_MOST_HELD + MORE };
  AnHeld held;
  Seen seen = { .last = -1 };
  an_held_init (&held, take, &seen);
  g_assert_false (an_held_holds (&held, 1));
  for (guint i = 0; i < ALL; i++) {
    const gint64 start = i, duration = 1;
    const nprof_track track = 2;
    const nprof_str none = 0;
    const uint8_t kind = NPROF_SPAN;
    const struct nprof_batch batch = { .size = sizeof batch,
                                       .n_rows = 1,
                                       .start = &start,
                                       .duration = &duration,
                                       .track = &track,
                                       .name = &none,
                                       .category = &none,
                                       .kind = &kind };
    an_held_add (&held, 1, &batch, 0, 1 + i, NULL);
  }
  g_assert_true (an_held_holds (&held, 1));
  g_assert_cmpuint (seen.taken, ==, MORE);
  for (guint i = 1; i < 4; i++) {
    const AnLaunch launch = { .id = MORE + i, .start = ALL + i };
    an_held_launch (&held, &launch);
  }
  g_assert_cmpuint (seen.taken, ==, MORE + 2); /* the last one waits for a later launch */
  an_held_end (&held);
  g_assert_cmpuint (seen.taken, ==, ALL);
  g_assert_cmpuint (seen.linked, ==, 3);
  an_held_clear (&held);
}

/* -- Rows that wait, beside a list of them all ------------------------------------------------- */

enum { WAIT_IDS = 40, WAIT_ROWS = 20000, WAIT_MOST = 500 };

typedef struct {
  guint64 id[WAIT_ROWS]; /* 0: it was taken, or forgotten */
  guint n, from, next;
} Listed;

/* The rows of an id come as they were added. */
static void
take_listed (gpointer user, guint number)
{
  Listed *listed = user;
  const guint64 id = listed->id[number];
  g_assert_cmpuint (number, >=, listed->next);
  g_assert_cmpuint (id, !=, 0);
  for (guint i = listed->next; i < number; i++)
    g_assert_cmpuint (listed->id[i], !=, id);
  listed->id[number] = 0;
  listed->next = number + 1;
}

static void
take_all (AnWaitingRows *waiting, Listed *listed, guint64 id)
{
  const AnLaunchKey key = { id, 0 }, other = { id, 1 };
  listed->next = 0;
  an_waiting_rows_take (waiting, &other, take_listed, listed); /* ids of other inputs are others */
  g_assert_cmpuint (listed->next, ==, 0);
  an_waiting_rows_take (waiting, &key, take_listed, listed);
  for (guint i = 0; i < listed->n; i++)
    g_assert_cmpuint (listed->id[i], !=, id);
}

static void
forget_listed (AnWaitingRows *waiting, Listed *listed)
{
  guint from = listed->n - (guint) g_test_rand_int_range (0, WAIT_MOST);
  an_waiting_rows_forget (waiting, from);
  for (; listed->from < from; listed->from++)
    listed->id[listed->from] = 0;
}

static void
test_waiting (void)
{
  AnWaitingRows waiting = { 0 };
  g_autofree Listed *listed = g_new0 (Listed, 1);
  take_all (&waiting, listed, 1);
  while (listed->n < WAIT_ROWS) {
    const AnLaunchKey key = { (guint64) g_test_rand_int_range (1, WAIT_IDS), 0 };
    listed->id[listed->n] = key.correlation;
    an_waiting_rows_add (&waiting, &key, listed->n++);
    if (g_test_rand_int_range (0, 8) == 0)
      take_all (&waiting, listed, (guint64) g_test_rand_int_range (1, WAIT_IDS));
    if (listed->n - listed->from > 2 * WAIT_MOST)
      forget_listed (&waiting, listed);
  }
  g_assert_cmpuint (waiting.rows->len, <=, 2 * WAIT_MOST + 1); /* whatever was given up is gone */
  for (guint64 id = 1; id < WAIT_IDS; id++)
    take_all (&waiting, listed, id);
  g_assert_cmpuint (waiting.n_waiting, ==, 0);
  an_waiting_rows_clear (&waiting);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launches/rule", test_rule);
  g_test_add_func ("/launches/one-rule", test_one_rule);
  g_test_add_func ("/launches/table-forgets", test_table_forgets);
  g_test_add_func ("/launches/bound", test_bound);
  g_test_add_func ("/launches/waiting", test_waiting);
  return g_test_run ();
}
