/* SPDX-License-Identifier: Apache-2.0 */
/* test-common-parts.c - percentiles by definition, and how far a histogram may be off. */
#include "dist.h"

static const guint milles[] = { 0, 1, 500, 900, 950, 970, 990, 999, 1000 };

static int
compare (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;
  return (x > y) - (x < y);
}

/* Between the ranks around (n - 1) q, by whole numbers: twice the value, and one, over two. */
static gint64
linear (const gint64 *sorted, guint64 n, guint mille)
{
  __int128 whole = (__int128) (n - 1) * mille, below = whole / 1000, rest = whole % 1000;
  __int128 value = (__int128) sorted[below] * (1000 - rest);
  if (rest)
    value += (__int128) sorted[below + 1] * rest;
  return (gint64) ((value * 2 + 1000) / 2000);
}

/* The least value that at least q of all are not above. */
static gint64
nearest (const gint64 *sorted, guint64 n, guint mille)
{
  for (guint64 i = 0; i < n; i++)
    if ((__int128) (i + 1) * 1000 >= (__int128) n * mille)
      return sorted[i];
  return sorted[n - 1];
}

static gint64
random_value (GRand *rand)
{
  switch (g_rand_int_range (rand, 0, 4)) {
  case 0:
    return g_rand_int_range (rand, 0, 5);
  case 1:
    return g_rand_int_range (rand, 0, 3000);
  case 2:
    return (gint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 31);
  default:
    return G_MAXINT64 - g_rand_int_range (rand, 0, 2000);
  }
}

static void
test_exact (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  for (guint round = 0; round < 3000; round++) {
    guint n = (guint) g_rand_int_range (rand, 1, round % 10 ? 80 : 2000);
    g_autofree gint64 *value = g_new (gint64, n);
    Dist d = { 0 };
    DistSum total = 0;
    for (guint i = 0; i < n; i++) {
      value[i] = random_value (rand);
      total += value[i];
      dist_add (&d, value[i]);
    }
    qsort (value, n, sizeof *value, compare);
    dist_sort (&d);
    for (guint i = 0; i < n; i++)
      g_assert_cmpint (dist_value (&d, i), ==, value[i]);
    g_assert_true (d.total == total);
    for (guint m = 0; m < G_N_ELEMENTS (milles); m++) {
      g_assert_cmpint (dist_percentile (&d, milles[m], false), ==, linear (value, n, milles[m]));
      g_assert_cmpint (dist_percentile (&d, milles[m], true), ==, nearest (value, n, milles[m]));
    }
    dist_clear (&d);
  }
}

/* The figures of Furiosa's guide, whose tool cuts what is behind the point. */
static void
test_guide (void)
{
  static const gint64 durations[] = { 650018, 365199, 258540, 270625 };
  static const struct {
    guint mille;
    gint64 ns;
  } printed[] = { { 500, 317912 }, { 900, 564572 }, { 950, 607295 },
                  { 970, 624384 }, { 990, 641473 }, { 999, 649163 } };
  Dist d = { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (durations); i++)
    dist_add (&d, durations[i] * 1000);
  dist_sort (&d);
  for (guint i = 0; i < G_N_ELEMENTS (printed); i++)
    g_assert_cmpint (dist_percentile (&d, printed[i].mille, false) / 1000, ==, printed[i].ns);
  g_assert_cmpint (dist_mean (&d) / 1000, ==, 386095);
  dist_clear (&d);
}

/* Buckets follow each other without a hole, and none is wider than it may be. */
static void
test_buckets (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  guint before = 0;
  for (gint64 v = 0; v < 100000; v++) {
    guint b = dist_bucket (v);
    g_assert_true (b == before || b == before + 1);
    before = b;
  }
  for (guint i = 0; i < 200000; i++) {
    gint64 v = random_value (rand);
    guint b = dist_bucket (v);
    g_assert_cmpuint (b, <, DIST_BUCKETS);
    g_assert_cmpuint (dist_bucket (dist_middle (b)), ==, b);
    __int128 off = (__int128) dist_middle (b) - v;
    g_assert_true ((off < 0 ? -off : off) * 1000 <= v); /* 0.1 % */
  }
}

static void
test_histogram (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  for (guint round = 0; round < 200; round++) {
    guint n = (guint) g_rand_int_range (rand, 1, 1000);
    Dist exact = { 0 }, rough = { 0 };
    guint change = (guint) g_rand_int_range (rand, 0, (gint32) n + 1);
    for (guint i = 0; i < n; i++) {
      gint64 v = random_value (rand);
      if (i == change)
        dist_make_histogram (&rough);
      dist_add (&exact, v);
      dist_add (&rough, v);
    }
    dist_make_histogram (&rough);
    dist_sort (&exact);
    dist_sort (&rough);
    g_assert_true (rough.count == exact.count && rough.total == exact.total);
    g_assert_true (rough.min == exact.min && rough.max == exact.max);
    for (guint m = 0; m < G_N_ELEMENTS (milles); m++)
      for (int method = 0; method < 2; method++) {
        gint64 e = dist_percentile (&exact, milles[m], method),
               r = dist_percentile (&rough, milles[m], method);
        __int128 off = (__int128) r - e;
        g_assert_true (((off < 0 ? -off : off) - 1) * 1000 <= e); /* 1 ps: rounding */
      }
    dist_clear (&exact);
    dist_clear (&rough);
  }
}

/* Values take more bytes when a larger one comes, counts when they no longer fit. */
static void
test_widths (void)
{
  Dist d = { 0 };
  guint64 n = 0;
  for (guint bits = 0; bits < 63; bits++)
    for (gint64 less = 1; less >= 0; less--)
      dist_add (&d, (gint64) ((G_GUINT64_CONSTANT (1) << bits) - (guint64) less));
  for (guint bits = 0; bits < 63; bits++)
    for (gint64 less = 1; less >= 0; less--)
      g_assert_cmpint (dist_value (&d, n++), ==, (gint64) (G_GUINT64_CONSTANT (1) << bits) - less);
  dist_clear (&d);

  static const guint64 counts[] = { 1, 254, 1, 65279, 1, G_MAXUINT32 - 65536, 1, G_MAXUINT32 };
  guint64 sum = 0, found;
  dist_make_histogram (&d);
  dist_add_bucket (&d, 64, 7);
  dist_add_bucket (&d, 66, 255);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    dist_add_bucket (&d, 65, counts[i]);
    sum += counts[i];
    g_assert_cmpuint (dist_next_bucket (&d, 0, &found), ==, 64);
    g_assert_cmpuint (found, ==, 7);
    g_assert_cmpuint (dist_next_bucket (&d, 65, &found), ==, 65);
    g_assert_cmpuint (found, ==, sum);
    g_assert_cmpuint (dist_next_bucket (&d, 66, &found), ==, 66);
    g_assert_cmpuint (found, ==, 255);
  }
  dist_clear (&d);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/common-parts/exact", test_exact);
  g_test_add_func ("/common-parts/guide", test_guide);
  g_test_add_func ("/common-parts/buckets", test_buckets);
  g_test_add_func ("/common-parts/histogram", test_histogram);
  g_test_add_func ("/common-parts/widths", test_widths);
  return g_test_run ();
}
