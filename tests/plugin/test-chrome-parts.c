/* SPDX-License-Identifier: Apache-2.0 */
/* test-chrome-parts.c - lanes and arrows of the sink chrome, alone. */
#include "flows.h"
#include "lanes.h"

/* -- Lanes ----------------------------------------------------------------- */

/* The same by hand: the first lane where the span is within or behind all that are open. */
static guint
naive_lane (GPtrArray *all, gint64 start, gint64 end)
{
  for (guint lane = 0;; lane++) {
    if (lane == all->len)
      g_ptr_array_add (all, g_array_new (FALSE, FALSE, sizeof (gint64)));
    GArray *ends = g_ptr_array_index (all, lane);
    while (ends->len && g_array_index (ends, gint64, ends->len - 1) <= start)
      g_array_set_size (ends, ends->len - 1);
    if (ends->len && g_array_index (ends, gint64, ends->len - 1) < end)
      continue;
    g_array_append_val (ends, end);
    return lane;
  }
}

static void
count_over (gpointer user, guint lane G_GNUC_UNUSED, const struct lane_span *span)
{
  guint64 *sum = user;
  *sum += span->id;
}

static void
test_lanes (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  for (guint round = 0; round < 20; round++) {
    g_autoptr (GPtrArray) naive = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
    guint64 over = 0, given = 0;
    Lanes lanes = { .over = count_over, .user = &over };
    lanes_init (&lanes);
    gint64 start = 0;
    for (guint k = 1; k < 500; k++) {
      start += g_rand_int_range (random, 0, 4);
      gint64 end = start + g_rand_int_range (random, 0, 1 + (gint) round * 5);
      const struct lane_span span = { .start = start, .end = end, .id = k };
      given += k;
      g_assert_cmpuint (lanes_add (&lanes, &span), ==, naive_lane (naive, start, end));
    }
    lanes_close_all (&lanes);
    g_assert_cmpuint (over, ==, given);
    lanes_clear (&lanes);
  }
}

static guint
add_span (Lanes *lanes, gint64 start, gint64 end, guint64 id)
{
  const struct lane_span span = { .start = start, .end = end, .id = id };
  return lanes_add (lanes, &span);
}

static void
test_open_spans (void)
{
  Lanes lanes = { 0 };
  lanes_init (&lanes);
  g_assert_cmpuint (add_span (&lanes, 5, LANES_OPEN, 1), ==, 0);
  g_assert_cmpuint (add_span (&lanes, 5, 9, 2), ==, 1); /* at the same time: not within */
  g_assert_cmpuint (add_span (&lanes, 6, 12, 3), ==, 0);
  g_assert_cmpuint (add_span (&lanes, 7, LANES_OPEN, 4), ==, 2);
  lanes_close_all (&lanes);
  g_assert_cmpuint (add_span (&lanes, 0, 1, 5), ==, 0); /* and from the beginning again */
  lanes_clear (&lanes);
}

static void
test_find (void)
{
  Lanes lanes = { 0 };
  lanes_init (&lanes);
  g_assert_cmpuint (lanes_find (&lanes, 0, 0), ==, LANES_NONE);
  add_span (&lanes, 0, 10, 1);
  add_span (&lanes, 5, 15, 2);
  add_span (&lanes, 6, 8, 3);
  g_assert_cmpuint (lanes_find (&lanes, 7, 0), ==, 0); /* where the last one began */
  g_assert_cmpuint (lanes_find (&lanes, 7, 2), ==, 1);
  g_assert_cmpuint (lanes_find (&lanes, 7, 99), ==, 0);
  g_assert_cmpuint (lanes_find (&lanes, 10, 0), ==, 0); /* ends there */
  g_assert_cmpuint (lanes_find (&lanes, 11, 0), ==, 1);
  g_assert_cmpuint (lanes_find (&lanes, 15, 1), ==, 1);
  g_assert_cmpuint (lanes_find (&lanes, 16, 0), ==, LANES_NONE);
  lanes_clear (&lanes);
}

/* As many lanes as spans; were each span a walk over all lanes, this would take minutes. */
static void
test_many_lanes (void)
{
  Lanes lanes = { 0 };
  lanes_init (&lanes);
  for (guint k = 0; k < 200000; k++)
    g_assert_cmpuint (add_span (&lanes, k, 1000000 + k, k), ==, k);
  lanes_clear (&lanes);
}

/* -- Arrows ---------------------------------------------------------------- */

static void
write_arrow (gpointer user, const struct flow_end *ends, guint n)
{
  g_string_append_printf (user, "%u:", (guint) ends[0].flow);
  for (guint k = 0; k < n; k++)
    g_string_append_printf (user, " %d%c", (int) ends[k].time, "bse"[ends[k].phase]);
  g_string_append_c (user, '\n');
}

static void
add_end (Flows *flows, guint64 flow, gint64 time, guint phase)
{
  const struct flow_end end = { .flow = flow, .time = time, .phase = phase };
  flows_add (flows, &end);
}

static void
test_arrows (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  Flows flows = { .arrow = write_arrow, .user = out };
  flows_init (&flows);
  add_end (&flows, 2, 30, FLOW_END);
  add_end (&flows, 1, 9, FLOW_END); /* the same number twice */
  add_end (&flows, 1, 5, FLOW_BEGIN);
  add_end (&flows, 1, 1, FLOW_BEGIN);
  add_end (&flows, 1, 3, FLOW_END);
  add_end (&flows, 2, 20, FLOW_STEP);
  add_end (&flows, 2, 20, FLOW_BEGIN);
  add_end (&flows, 3, 8, FLOW_END); /* ends before it begins */
  add_end (&flows, 3, 9, FLOW_BEGIN);
  add_end (&flows, 4, 1, FLOW_BEGIN);
  add_end (&flows, 4, 2, FLOW_STEP);
  flows_finish (&flows);
  g_assert_cmpstr (out->str, ==, "1: 1b 3e\n1: 5b 9e\n2: 20b 20s 30e\n4: 1b 2s\n");
  g_assert_cmpuint (flows.alone, ==, 2);
  flows_clear (&flows);
}

static void
test_many_ends (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  Flows flows = { .arrow = write_arrow, .user = out };
  flows_init (&flows);
  add_end (&flows, 1, 1, FLOW_BEGIN);
  add_end (&flows, 1, 2, FLOW_STEP);
  add_end (&flows, 1, 3, FLOW_END);
  add_end (&flows, 1, 4, FLOW_END);
  add_end (&flows, 1, 5, FLOW_STEP);
  add_end (&flows, 2, 1, FLOW_END); /* two ends without a beginning */
  add_end (&flows, 2, 2, FLOW_END);
  add_end (&flows, 3, 1, FLOW_STEP);
  add_end (&flows, 3, 2, FLOW_END);
  flows_finish (&flows);
  g_assert_cmpstr (out->str, ==, "1: 1b 2s 3e\n1: 1b 4e\n1: 1b 5s\n3: 1s 2e\n");
  g_assert_cmpuint (flows.alone, ==, 2);
  flows_clear (&flows);
}

/* Complete arrows leave memory on the way, the others wait. */
static void
test_settled_on_the_way (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  Flows flows = { .arrow = write_arrow, .user = out };
  flows_init (&flows);
  flows.limit = 4;
  add_end (&flows, 1, 1, FLOW_BEGIN);
  add_end (&flows, 2, 1, FLOW_BEGIN);
  add_end (&flows, 2, 2, FLOW_STEP);
  add_end (&flows, 1, 3, FLOW_END);
  g_assert_cmpstr (out->str, ==, "1: 1b 3e\n");
  g_assert_cmpuint (flows.ends->len, ==, 3);
  add_end (&flows, 2, 4, FLOW_END);
  add_end (&flows, 1, 5, FLOW_END); /* of a beginning that has one already */
  flows_finish (&flows);
  g_assert_cmpstr (out->str, ==, "1: 1b 3e\n1: 1b 5e\n2: 1b 2s 4e\n");
  g_assert_cmpuint (flows.alone, ==, 0);
  flows_clear (&flows);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lanes/as-by-hand", test_lanes);
  g_test_add_func ("/lanes/open-spans", test_open_spans);
  g_test_add_func ("/lanes/find", test_find);
  g_test_add_func ("/lanes/many", test_many_lanes);
  g_test_add_func ("/flows/arrows", test_arrows);
  g_test_add_func ("/flows/many-ends", test_many_ends);
  g_test_add_func ("/flows/settled-on-the-way", test_settled_on_the_way);
  return g_test_run ();
}
