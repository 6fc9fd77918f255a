/* SPDX-License-Identifier: Apache-2.0 */
/* test-trace-out.c - lanes, arrows and parts of traces for viewers, alone. */
#include "base/temp-file.h"
#include "flows.h"
#include "lanes.h"
#include "split.h"

#include <sys/mman.h>

static struct nprof_temp *
temp_file (const struct nprof_host *unused)
{
  (void) unused;
  return np_temp_new ();
}

static const void *
extension (const struct nprof_host *unused, const char *id)
{
  static const struct nprof_temp_files files = { sizeof files, 0, temp_file };
  (void) unused;
  return g_str_equal (id, NPROF_TEMP_FILE) ? &files : NULL;
}

/* Texts of this test differ in their first letters. */
static nprof_str
intern (const struct nprof_host *unused, const char *text, size_t len)
{
  (void) unused;
  return len ? (nprof_str) *text : 0;
}

static const struct nprof_host host
    = { .size = sizeof host, .extension = extension, .intern = intern };

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
  flows_init (&flows, &host);
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
test_phases (void)
{
  struct nprof_field fields[] = { { .type = NPROF_STRING, .key = 'x', .value = { .s = 'b' } },
                                  { .type = NPROF_INT64, .key = 'f', .value = { .i = 'b' } },
                                  { .type = NPROF_STRING, .key = 'f', .value = { .s = 'e' } } };
  struct nprof_row_columns row = { .unmapped = fields, .n_unmapped = 2 };
  Flows flows = { 0 };
  flows_init (&flows, &host);
  g_assert_cmpint (flows_phase (&flows, &row), ==, -1);
  row.n_unmapped = 3;
  g_assert_cmpint (flows_phase (&flows, &row), ==, FLOW_END);
  fields[2].value.s = 's';
  g_assert_cmpint (flows_phase (&flows, &row), ==, FLOW_STEP);
  flows_clear (&flows);
}

static void
test_many_ends (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  Flows flows = { .arrow = write_arrow, .user = out };
  flows_init (&flows, &host);
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

/* Runs that wait on disk, of one end and more, give what one sort in memory gives; flows are numbers
 * from 1 on, or multiples of `step`. */
static void
test_runs (gconstpointer step)
{
  g_autoptr (GString) whole = g_string_new (NULL), runs = g_string_new (NULL);
  guint64 alone = 0;
  for (guint run = 0; run < 5; run++) {
    static const guint sizes[] = { FLOWS_RUN, 4, 1, 7, 3000 };
    GString *out = run ? g_string_truncate (runs, 0) : whole;
    g_autoptr (GRand) random = g_rand_new_with_seed (5);
    Flows flows = { .arrow = write_arrow, .user = out };
    flows_init (&flows, &host);
    flows.run = sizes[run];
    for (guint k = 0; k < 5000; k++)
      add_end (&flows, (1 + (guint64) g_rand_int_range (random, 0, 900)) * *(const guint64 *) step,
               g_rand_int_range (random, 0, 50), (guint) g_rand_int_range (random, 0, 3));
    flows_finish (&flows);
    g_assert_cmpint (flows.spill.failed, ==, 0);
    g_assert_cmpstr (out->str, ==, whole->str);
    g_assert_cmpuint (flows.alone, ==, run ? alone : flows.alone);
    alone = flows.alone;
    flows_clear (&flows);
  }
  g_assert_cmpuint (whole->len, >, 10000);
}

static void
test_no_arrows (void)
{
  Flows flows = { .arrow = write_arrow };
  flows_init (&flows, &host);
  flows_finish (&flows);
  g_assert_cmpuint (flows.alone, ==, 0);
  flows_clear (&flows);
}

/* -- Parts ----------------------------------------------------------------- */

static gboolean
keep_event (gpointer user, guint part, const char *text, gsize len)
{
  g_string_append_printf (user, "%u:", part);
  g_string_append_len (user, text, (gssize) len);
  g_string_append_c (user, ' ');
  return TRUE;
}

static void
put_event (Split *split, struct nprof_buf *buf, gint64 at, const char *text)
{
  split_begin (split, buf, at);
  nprof_put_text (buf, text);
}

static void
test_split (void)
{
  g_autoptr (GString) out = g_string_new (NULL);
  struct nprof_buf buf = { 0 };
  Split split;
  split_init (&split, &host, 8, 100);
  put_event (&split, &buf, SPLIT_EVERYWHERE, "MM");
  put_event (&split, &buf, 50, "five");
  put_event (&split, &buf, 0, "0");
  split_flush (&split, &buf, TRUE);
  put_event (&split, &buf, 100, "end");
  put_event (&split, &buf, -7, "-");
  put_event (&split, &buf, 1, "");
  put_event (&split, &buf, G_MAXINT64 - 1, "longer than a part may be");
  split_flush (&split, &buf, FALSE); /* waits */
  g_assert_cmpuint (buf.len, >, 0);
  split_flush (&split, &buf, TRUE);
  g_assert_cmpuint (split_plan (&split), ==, 3);
  g_assert_true (split_replay (&split, 0, 3, keep_event, out));
  g_assert_cmpstr (out->str, ==,
                   "0:MM 1:MM 2:MM 0:five 0:0 1:end 0:- 0: 2:longer than a part may be ");
  g_string_truncate (out, 0);
  g_assert_true (split_replay (&split, 1, 2, keep_event, out));
  g_assert_cmpstr (out->str, ==, "1:MM 1:end ");
  split_clear (&split);
  nprof_buf_clear (&buf);
}

/* Events larger than what is read at once, and events on its edges. */
static void
test_long_events (void)
{
  g_autofree char *large = g_strnfill (3000000, 'x');
  g_autoptr (GString) out = g_string_new (NULL), expected = g_string_new (NULL);
  struct nprof_buf buf = { 0 };
  Split split;
  split_init (&split, &host, 1, 0);
  for (guint k = 0; k < 40; k++) {
    gsize len = k % 7 == 3 ? 3000000 : 1 + k * 6007;
    g_autofree char *text = g_strndup (large, len);
    put_event (&split, &buf, k, text);
    split_flush (&split, &buf, FALSE);
    keep_event (expected, 0, text, len);
  }
  split_flush (&split, &buf, TRUE);
  g_assert_cmpuint (split_plan (&split), ==, 40);
  for (guint k = 0; k < 40; k++)
    g_assert_true (split_replay (&split, k, k + 1, keep_event, out));
  g_assert_cmpuint (out->len, >=, expected->len);
  split_clear (&split);
  nprof_buf_clear (&buf);
}

/* A length that the head of a record could not tell: memory that is never touched. */
static void
test_too_long (void)
{
  gsize room = (gsize) SPLIT_RECORD_MAX + 4096;
  void *data = mmap (NULL, room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true (data != MAP_FAILED);
  struct nprof_buf buf = { .data = data, .max = room };
  Split split;
  split_init (&split, &host, 1, 0);
  split_begin (&split, &buf, 0);
  buf.len += (gsize) SPLIT_RECORD_MAX + 1;
  split_flush (&split, &buf, FALSE);
  g_assert_true (buf.failed);
  g_assert_cmpuint (split.spill.size, ==, 0);
  split_clear (&split);
  munmap (data, room);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lanes/as-by-hand", test_lanes);
  g_test_add_func ("/lanes/open-spans", test_open_spans);
  g_test_add_func ("/lanes/find", test_find);
  g_test_add_func ("/lanes/many", test_many_lanes);
  g_test_add_func ("/flows/phases", test_phases);
  g_test_add_func ("/flows/arrows", test_arrows);
  g_test_add_func ("/flows/many-ends", test_many_ends);
  static const guint64 one = 1, some = 1000, wide = G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  g_test_add_data_func ("/flows/runs/small", &one, test_runs);
  g_test_add_data_func ("/flows/runs/large", &some, test_runs);
  g_test_add_data_func ("/flows/runs/wide", &wide, test_runs);
  g_test_add_func ("/flows/none", test_no_arrows);
  g_test_add_func ("/split/by-time", test_split);
  g_test_add_func ("/split/long-events", test_long_events);
  g_test_add_func ("/split/too-long", test_too_long);
  return g_test_run ();
}
