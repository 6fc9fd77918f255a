/* SPDX-License-Identifier: Apache-2.0 */
/* test-sweep.c - sdk/nprof/sweep.h against the definition, looked up for each span among all. */
#include <glib.h>
#include <nprof/sweep.h>

typedef struct {
  gint64 start, duration;
  gint64 self;
  int parent; /* -1: none */
  guint depth, closed;
} Span;

typedef struct {
  GArray *spans; /* of Span, as the sweep said */
  int last;
  nprof_status fails;
  guint fail_at, calls;
} Seen;

static gint64
end_of (const Span *s)
{
  return s->start + s->duration;
}

static int
by_order (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->duration < y->duration) - (x->duration > y->duration);
}

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent, uint32_t depth)
{
  Seen *seen = user;
  if (++seen->calls == seen->fail_at)
    return seen->fails;
  Span *s = &g_array_index (seen->spans, Span, span->tag);
  g_assert_cmpint (span->start, ==, s->start);
  g_assert_cmpint (span->end, ==, end_of (s));
  s->self = nprof_self (span);
  s->parent = parent ? (int) parent->tag : -1;
  s->depth = depth;
  s->closed++;
  return NPROF_OK;
}

static gboolean
has_child_at (GArray *spans, int parent, gint64 t)
{
  for (guint i = 0; i < spans->len; i++) {
    Span *s = &g_array_index (spans, Span, i);
    if (s->parent == parent && s->start <= t && t < end_of (s))
      return TRUE;
  }
  return FALSE;
}

/* contract: the direct parent is the last of those that contain it and come before it; self
 * time is that of the moments in which no direct child runs */
static void
define (GArray *spans)
{
  for (guint i = 0; i < spans->len; i++) {
    Span *s = &g_array_index (spans, Span, i);
    s->parent = -1;
    s->self = 0;
    s->depth = 0;
  }
  for (guint i = 0; i < spans->len; i++) {
    Span *s = &g_array_index (spans, Span, i);
    for (int j = (int) i - 1; j >= 0 && s->parent < 0; j--) {
      Span *around = &g_array_index (spans, Span, j);
      if (around->start <= s->start && end_of (around) >= end_of (s)) {
        s->parent = j;
        s->depth = around->depth + 1;
      }
    }
  }
  for (guint i = 0; i < spans->len; i++) {
    Span *s = &g_array_index (spans, Span, i);
    for (gint64 t = s->start; t < end_of (s); t++)
      s->self += !has_child_at (spans, (int) i, t);
  }
}

static GArray *
random_spans (GRand *rand)
{
  GArray *spans = g_array_new (FALSE, TRUE, sizeof (Span));
  guint n = (guint) g_rand_int_range (rand, 0, 24), range = (guint) g_rand_int_range (rand, 2, 40);
  for (guint i = 0; i < n; i++) {
    Span s = { .start = g_rand_int_range (rand, -10, (int) range) };
    s.duration = g_rand_int_range (rand, 0, 4) ? g_rand_int_range (rand, 0, (int) range) : 0;
    g_array_append_val (spans, s);
    if (!g_rand_int_range (rand, 0, 6))
      g_array_append_val (spans, s); /* equal ones */
  }
  g_array_sort (spans, by_order);
  return spans;
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  for (guint round = 0; round < 20000; round++) {
    g_autoptr (GArray) expected = random_spans (rand);
    g_autoptr (GArray) got = g_array_copy (expected);
    Seen seen = { .spans = got };
    struct nprof_sweep sweep = { .closed = closed, .user = &seen };
    for (guint i = 0; i < got->len; i++) {
      const Span *s = &g_array_index (got, Span, i);
      g_assert_cmpint (nprof_sweep_span (&sweep, s->start, s->duration, i), ==, NPROF_OK);
    }
    g_assert_cmpint (nprof_sweep_end (&sweep), ==, NPROF_OK);
    nprof_sweep_clear (&sweep);
    define (expected);
    for (guint i = 0; i < got->len; i++) {
      const Span *e = &g_array_index (expected, Span, i), *g = &g_array_index (got, Span, i);
      g_assert_cmpuint (g->closed, ==, 1);
      g_assert_cmpint (g->parent, ==, e->parent);
      g_assert_cmpint (g->self, ==, e->self);
      g_assert_cmpuint (g->depth, ==, e->depth);
    }
  }
}

/* A moment is within the innermost span around it, its ends included. */
static void
test_until (void)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, TRUE, sizeof (Span));
  const Span given[] = { { .start = 0, .duration = 100 }, { .start = 10, .duration = 20 } };
  g_array_append_vals (spans, given, G_N_ELEMENTS (given));
  Seen seen = { .spans = spans };
  struct nprof_sweep sweep = { .closed = closed, .user = &seen };
  for (guint i = 0; i < spans->len; i++)
    nprof_sweep_span (&sweep, given[i].start, given[i].duration, i);
  g_assert_cmpint (nprof_sweep_until (&sweep, 30), ==, NPROF_OK);
  g_assert_cmpuint (sweep.n, ==, 2);
  g_assert_cmpint (nprof_sweep_until (&sweep, 31), ==, NPROF_OK);
  g_assert_cmpuint (sweep.n, ==, 1);
  g_assert_cmpint (nprof_sweep_until (&sweep, 101), ==, NPROF_OK);
  g_assert_cmpuint (sweep.n, ==, 0);
  nprof_sweep_clear (&sweep);
}

static void
test_failure (void)
{
  for (guint at = 1; at <= 3; at++) {
    g_autoptr (GArray) spans = g_array_new (FALSE, TRUE, sizeof (Span));
    const Span given[] = { { .start = 0, .duration = 9 },
                           { .start = 1, .duration = 3 },
                           { .start = 20, .duration = 1 } };
    g_array_append_vals (spans, given, G_N_ELEMENTS (given));
    Seen seen = { .spans = spans, .fails = NPROF_E_IO, .fail_at = at };
    struct nprof_sweep sweep = { .closed = closed, .user = &seen };
    nprof_status status = NPROF_OK;
    for (guint i = 0; i < spans->len && !status; i++)
      status = nprof_sweep_span (&sweep, given[i].start, given[i].duration, i);
    if (!status)
      status = nprof_sweep_end (&sweep);
    g_assert_cmpint (status, ==, NPROF_E_IO);
    nprof_sweep_clear (&sweep);
  }
}

/* Ten thousand open at once. */
static void
test_deep (void)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, TRUE, sizeof (Span));
  g_array_set_size (spans, 10000);
  Seen seen = { .spans = spans };
  struct nprof_sweep sweep = { .closed = closed, .user = &seen };
  for (int i = 0; i < 10000; i++) {
    Span *s = &g_array_index (spans, Span, i);
    *s = (Span){ .start = i, .duration = 20000 - 2 * i };
    g_assert_cmpint (nprof_sweep_span (&sweep, s->start, s->duration, (guint64) i), ==, NPROF_OK);
  }
  g_assert_cmpint (nprof_sweep_end (&sweep), ==, NPROF_OK);
  for (int i = 0; i < 10000; i++)
    g_assert_cmpint (g_array_index (spans, Span, i).self, ==, 2);
  nprof_sweep_clear (&sweep);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sweep/random", test_random);
  g_test_add_func ("/sweep/until", test_until);
  g_test_add_func ("/sweep/failure", test_failure);
  g_test_add_func ("/sweep/deep", test_deep);
  return g_test_run ();
}
