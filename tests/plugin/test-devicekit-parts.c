/* SPDX-License-Identifier: Apache-2.0 */
/* test-devicekit-parts.c - percentiles by definition, and how far a histogram may be off. */
#include "devicekit/distribution.h"
#include "devicekit/nth-element.h"

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

/* All at once and one by one; the values stay as they are. */
static void
check_percentiles (const Dist *d, const gint64 *sorted, guint n)
{
  gint64 by_line[G_N_ELEMENTS (milles)], by_rank[G_N_ELEMENTS (milles)];
  dist_percentiles (d, milles, G_N_ELEMENTS (milles), false, by_line);
  dist_percentiles (d, milles, G_N_ELEMENTS (milles), true, by_rank);
  for (guint m = 0; m < G_N_ELEMENTS (milles); m++) {
    g_assert_cmpint (by_line[m], ==, linear (sorted, n, milles[m]));
    g_assert_cmpint (by_rank[m], ==, nearest (sorted, n, milles[m]));
    g_assert_cmpint (dist_percentile (d, milles[m], false), ==, by_line[m]);
    g_assert_cmpint (dist_percentile (d, milles[m], true), ==, by_rank[m]);
  }
}

/* All ranks are wanted: then they are arranged as sorting would. */
static gint64 *
sorted_values (const Dist *d)
{
  gint64 *value = dist_values (d);
  g_autofree guint64 *rank = g_new (guint64, d->count);
  for (guint64 i = 0; i < d->count; i++)
    rank[i] = i;
  an_nth_elements (value, value + d->count, d->count, rank, d->count);
  return value;
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
    check_percentiles (&d, value, n);
    g_autofree gint64 *sorted = sorted_values (&d);
    for (guint i = 0; i < n; i++)
      g_assert_cmpint (sorted[i], ==, value[i]);
    g_assert_true (d.total == total);
    check_percentiles (&d, value, n);
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
  for (guint i = 0; i < G_N_ELEMENTS (printed); i++)
    g_assert_cmpint (dist_percentile (&d, printed[i].mille, false) / 1000, ==, printed[i].ns);
  g_assert_cmpint (dist_mean (&d) / 1000, ==, 386095);
  dist_clear (&d);
}

/* Few, many, all the same, far apart, or all but one near each other. */
static gint64
value_of_shape (GRand *rand, guint shape, guint i)
{
  switch (shape) {
  case 0:
    return random_value (rand);
  case 1:
    return 12345;
  case 2:
    return g_rand_int_range (rand, 4000000, 4100000);
  case 3:
    return i == 17 ? G_MAXINT64 : g_rand_int_range (rand, 0, 100);
  default:
    return (gint64) 1 << g_rand_int_range (rand, 0, 63);
  }
}

/* Each rank that was asked for stands where sorting puts it, no value is lost, and ranks may come
 * in any order. */
static void
test_arrange (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  for (guint round = 0; round < 4000; round++) {
    guint n = (guint) g_rand_int_range (rand, 1, round % 10 ? 100 : 5000);
    g_autofree gint64 *value = g_new (gint64, n), *sorted = g_new (gint64, n);
    g_autofree gint64 *spare = g_new (gint64, n);
    guint64 rank[8];
    for (guint i = 0; i < n; i++)
      sorted[i] = value[i] = value_of_shape (rand, round % 5, i);
    qsort (sorted, n, sizeof *sorted, compare);
    for (guint i = 0; i < G_N_ELEMENTS (rank); i++)
      rank[i] = (guint64) g_rand_int_range (rand, 0, (gint32) n);
    an_nth_elements (value, spare, n, rank, G_N_ELEMENTS (rank));
    for (guint i = 0; i < G_N_ELEMENTS (rank); i++)
      g_assert_cmpint (value[rank[i]], ==, sorted[rank[i]]);
    qsort (value, n, sizeof *value, compare);
    g_assert_cmpmem (value, n * sizeof *value, sorted, n * sizeof *sorted);
  }
}

/* The middle of the bucket where the rank is, found by counting all buckets before it. */
static gint64
counted (const Dist *d, guint64 rank)
{
  guint64 before = 0, n;
  for (guint b = dist_next_bucket (d, 0, &n); b < DIST_BUCKETS;
       b = dist_next_bucket (d, b + 1, &n)) {
    before += n;
    if (before > rank)
      return rank == 0 ? d->min : CLAMP (dist_middle (b), d->min, d->max);
  }
  g_assert_not_reached ();
}

/* Also with counts that take more than a byte. */
static void
test_ranks_of_histogram (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (10);
  for (guint round = 0; round < 200; round++) {
    guint n = (guint) g_rand_int_range (rand, 2, 3000), same = round % 3 ? 0 : 500;
    Dist d = { 0 };
    dist_make_histogram (&d);
    for (guint i = 0; i < n; i++)
      dist_add (&d, value_of_shape (rand, round % 5, i));
    for (guint i = 0; i < same; i++)
      dist_add (&d, 70000);
    gint64 found[G_N_ELEMENTS (milles)];
    dist_percentiles (&d, milles, G_N_ELEMENTS (milles), true, found);
    for (guint m = 1; m + 1 < G_N_ELEMENTS (milles); m++) {
      guint64 rank = (d.count * milles[m] + 999) / 1000 - 1;
      g_assert_cmpint (found[m], ==, rank == d.count - 1 ? d.max : counted (&d, rank));
    }
    dist_clear (&d);
  }
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
  g_test_add_func ("/common-parts/arrange", test_arrange);
  g_test_add_func ("/common-parts/ranks-of-histogram", test_ranks_of_histogram);
  g_test_add_func ("/common-parts/exact", test_exact);
  g_test_add_func ("/common-parts/guide", test_guide);
  g_test_add_func ("/common-parts/buckets", test_buckets);
  g_test_add_func ("/common-parts/histogram", test_histogram);
  g_test_add_func ("/common-parts/widths", test_widths);
  return g_test_run ();
}
