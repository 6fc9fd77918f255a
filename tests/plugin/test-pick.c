/* SPDX-License-Identifier: Apache-2.0 */
/* test-pick.c - a few attributes of a row: sdk/nprof/reader.h. */
#include <glib.h>
#include <nprof/reader.h>

/* Handles are the first letter of the text; shared set n holds a = n and, when even, b = 2n. */
static guint looked_at;

static nprof_str
intern (const struct nprof_host *host G_GNUC_UNUSED, const char *text, size_t len)
{
  return len ? (nprof_str) *text : 0;
}

static const struct nprof_attrs *
attr_set (const struct nprof_host *host G_GNUC_UNUSED, nprof_set set)
{
  static nprof_str key[2] = { 'a', 'b' };
  static guint8 type[2] = { NPROF_INT64, NPROF_INT64 };
  static nprof_value value[2];
  static struct nprof_attrs attrs
      = { .size = sizeof attrs, .key = key, .type = type, .value = value };
  looked_at++;
  value[0].i = set;
  value[1].i = 2 * (gint64) set;
  attrs.n = set % 2 ? 1 : 2;
  return &attrs;
}

static const struct nprof_host host
    = { .size = sizeof host, .intern = intern, .attr_set = attr_set };
static const char *const keys[] = { "a", "b", "c", NULL };
enum { A, B, C };

static void
test_rows (void)
{
  struct nprof_reader p = { 0 };
  g_assert_cmpint (nprof_reader_init (&p, &host, keys), ==, NPROF_OK);
  /* row 0: set 2; row 1: set 2, own b; row 2: own c only; row 3: none; row 4: a key not asked
   * for */
  const nprof_set shared[] = { 2, 2, 0, 0, 3 };
  const uint32_t at[] = { 0, 0, 1, 2, 2, 3 };
  const nprof_str key[] = { 'b', 'c', 'z' };
  const uint8_t type[] = { NPROF_DOUBLE, NPROF_TEXT, NPROF_INT64 };
  const nprof_value value[] = { { .f = 0.5 }, { .bytes = { 2, 3 } }, { .i = 9 } };
  const struct nprof_batch batch = { .size = sizeof batch,
                                     .n_rows = 5,
                                     .n_attrs = 3,
                                     .shared = shared,
                                     .attr_at = at,
                                     .attr_key = key,
                                     .attr_type = type,
                                     .attr_value = value,
                                     .bytes = "__xyz" };
  int64_t i;
  uint64_t u;
  double f;
  nprof_reader_row (&p, &batch, 0);
  g_assert_true (nprof_reader_int (&p, A, &i) && i == 2);
  g_assert_true (nprof_reader_uint (&p, B, &u) && u == 4);
  g_assert_false (nprof_reader_int (&p, C, &i));
  nprof_reader_row (&p, &batch, 1);
  g_assert_true (nprof_reader_int (&p, A, &i) && i == 2);
  g_assert_false (nprof_reader_int (&p, B, &i)); /* half is no whole number */
  g_assert_true (nprof_reader_double (&p, B, &f) && f == 0.5);
  g_assert_cmpuint (nprof_reader_str (&p, A), ==, 0);
  nprof_reader_row (&p, &batch, 2);
  g_assert_false (nprof_reader_int (&p, A, &i));
  g_assert_cmpuint (nprof_reader_str (&p, C), ==, 'x');
  g_assert_false (nprof_reader_double (&p, C, &f));
  nprof_reader_row (&p, &batch, 3);
  g_assert_cmpuint (p.field[A].type, ==, NPROF_NULL);
  g_assert_cmpuint (p.field[C].type, ==, NPROF_NULL);
  nprof_reader_row (&p, &batch, 4);
  g_assert_true (nprof_reader_int (&p, A, &i) && i == 3);
  g_assert_false (nprof_reader_int (&p, B, &i));
  nprof_reader_clear (&p);
}

/* Two sets that are remembered at the same place, and rows without any attribute. */
static void
test_sets (void)
{
  struct nprof_reader p = { 0 };
  g_assert_cmpint (nprof_reader_init (&p, &host, keys), ==, NPROF_OK);
  const nprof_set shared[] = { 5, 5, 5 + NPROF_READER_SETS, 5 };
  const struct nprof_batch batch = { .size = sizeof batch, .n_rows = 4, .shared = shared };
  const struct nprof_batch bare = { .size = sizeof bare, .n_rows = 1 };
  looked_at = 0;
  for (guint r = 0; r < 4; r++) {
    int64_t i;
    nprof_reader_row (&p, &batch, r);
    g_assert_true (nprof_reader_int (&p, A, &i) && i == (gint64) shared[r]);
  }
  g_assert_cmpuint (looked_at, ==, 3);
  nprof_reader_row (&p, &bare, 0);
  g_assert_cmpuint (p.field[A].type, ==, NPROF_NULL);
  nprof_reader_clear (&p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pick/rows", test_rows);
  g_test_add_func ("/pick/sets", test_sets);
  return g_test_run ();
}
