/* SPDX-License-Identifier: Apache-2.0 */
/* test-device-sweep.c - the sweep of a device against its definition, moment by moment, on
 * thousands of small sets of spans that nest, overlap and coincide. */

#include "devicekit/device-sweep.h"

#include <string.h>

#define CLASSES 3
#define LANES 3
#define LENGTH 40 /* moments */
#define MOST 24   /* spans   */

typedef struct {
  gint64 start, end;
  AnKind kind;
  int around; /* index of the span that it lies in directly; -1: none */
  gboolean leaf;
} Given;

typedef struct {
  AnActive at[LENGTH];
  gboolean passed[LENGTH];
  guint n_ended;
  gint64 last_end;
  const Given *given;
} Seen;

static void
seen_passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  Seen *seen = user;
  g_assert_cmpint (from, <, to);
  for (gint64 t = from; t < to; t++) {
    g_assert_false (seen->passed[t]);
    seen->passed[t] = TRUE;
    seen->at[t] = *active;
  }
}

static void
seen_ended (gpointer user, const AnSpan *span)
{
  Seen *seen = user;
  const Given *g = &seen->given[span->item.name];
  g_assert_cmpint (span->start, ==, g->start);
  g_assert_cmpint (span->end, ==, g->end);
  g_assert_cmpint (span->leaf, ==, g->leaf);
  g_assert_cmpuint (span->kind.class, ==, g->kind.class);
  g_assert_cmpuint (span->kind.apart, ==, g->kind.apart);
  g_assert_cmpuint (span->kind.lane, ==, g->kind.lane);
  g_assert_cmpint (span->end, >=, seen->last_end);
  seen->last_end = span->end;
  seen->n_ended++;
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Given *x = a, *y = b;
  return x->start != y->start ? (x->start < y->start ? -1 : 1)
                              : (x->end != y->end ? (x->end > y->end ? -1 : 1) : 0);
}

static guint
make (Given *given)
{
  guint n = (guint) g_test_rand_int_range (0, MOST);
  for (guint i = 0; i < n; i++) {
    gint64 start = g_test_rand_int_range (0, LENGTH - 1);
    given[i] = (Given){ .start = start,
                        .end = g_test_rand_int_range ((int) start + 1, LENGTH),
                        .around = -1,
                        .leaf = TRUE };
    given[i].kind = (AnKind){ .class = (guint8) g_test_rand_int_range (0, CLASSES),
                              .linked = g_test_rand_bit (),
                              .lane = (guint32) g_test_rand_int_range (0, LANES) };
    if (g_test_rand_int_range (0, 6) == 0) {
      given[i].kind.apart = TRUE;
      given[i].kind.lane = AN_NO_LANE;
    }
  }
  qsort (given, n, sizeof *given, by_time);
  return n;
}

/* The last before it, of its lane, that neither begins after nor ends before it. */
static void
find_around (Given *given, guint n)
{
  for (guint i = 0; i < n; i++)
    for (guint k = i; k-- > 0 && given[i].around < 0;)
      if (given[i].kind.lane != AN_NO_LANE && given[k].kind.lane == given[i].kind.lane
          && given[k].start <= given[i].start && given[k].end >= given[i].end) {
        given[i].around = (int) k;
        given[k].leaf = FALSE;
      }
}

static gboolean
under_way (const Given *g, gint64 t)
{
  return g->start <= t && t < g->end;
}

static gboolean
innermost (const Given *given, guint n, guint i, gint64 t)
{
  for (guint k = 0; k < n; k++)
    if (given[k].around == (int) i && under_way (&given[k], t))
      return FALSE;
  return under_way (&given[i], t);
}

static void
check_moment (const Given *given, guint n, gint64 t, const AnActive *found)
{
  AnActive expected = { 0 };
  for (guint i = 0; i < n; i++) {
    AnKind kind = given[i].kind;
    if (!innermost (given, n, i, t))
      continue;
    if (kind.apart) {
      expected.apart[kind.class]++;
      expected.any_apart |= 1u << kind.class;
      continue;
    }
    expected.work[kind.class]++;
    expected.any_work |= 1u << kind.class;
    expected.linked[kind.class] += kind.linked;
    expected.any_linked |= (guint32) kind.linked << kind.class;
  }
  g_assert_cmpmem (found, sizeof *found, &expected, sizeof expected);
}

static void
one_case (void)
{
  Given given[MOST];
  Seen seen = { .given = given, .last_end = G_MININT64 };
  guint n = make (given);
  find_around (given, n);
  AnSweep *line = an_sweep_new (&(AnSweepCalls){ seen_passed, seen_ended, &seen });
  for (guint i = 0; i < n; i++) {
    an_sweep_pass (line, given[i].start);
    *an_sweep_add (line, given[i].start, given[i].end - given[i].start, given[i].kind)
        = (AnItem){ .name = i };
  }
  gint64 end = an_sweep_end (line);
  g_assert_cmpuint (seen.n_ended, ==, n);
  for (gint64 t = n ? given[0].start : LENGTH; t < LENGTH; t++) {
    g_assert_cmpint (seen.passed[t], ==, t < end);
    if (t < end)
      check_moment (given, n, t, &seen.at[t]);
  }
  an_sweep_free (line);
}

static void
test_definition (void)
{
  for (int i = 0; i < 20000; i++)
    one_case ();
}

/* 100 deep, over and over: what is open is all that is kept. */
static void
count_passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  g_assert_cmpuint (active->work[0], ==, 1);
  *(gint64 *) user += to - from;
}

static void
test_deep (void)
{
  gint64 busy = 0;
  AnSweep *line = an_sweep_new (&(AnSweepCalls){ count_passed, NULL, &busy });
  for (gint64 k = 0; k < 2000; k++)
    for (gint64 i = 0; i < 100; i++) {
      an_sweep_pass (line, k * 1000 + i);
      an_sweep_add (line, k * 1000 + i, 1000 - 2 * i, (AnKind){ 0 });
    }
  an_sweep_end (line);
  g_assert_cmpint (busy, ==, 2000 * 1000);
  an_sweep_free (line);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/line/definition", test_definition);
  g_test_add_func ("/line/deep", test_deep);
  return g_test_run ();
}
