/* SPDX-License-Identifier: Apache-2.0 */
/* test-row.c - the attributes of a row spread over columns: sdk/nprof/row.h. */
#include <glib.h>
#include <nprof/row.h>
#include <nprof/sdk.h>

enum { WORK = 9000 };

/* Keys are 1.., the shared set 1 is what `set` holds. */
static struct nprof_attrs set;

static const struct nprof_attrs *
get_set (const struct nprof_host *host G_GNUC_UNUSED, nprof_set number)
{
  static const struct nprof_attrs none = { .size = sizeof none };
  return number ? &set : &none;
}

/* What rows mean has keys of its own; the run has no column. */
static nprof_str
intern (const struct nprof_host *host G_GNUC_UNUSED, const char *text, size_t len)
{
  static const char *const meaning[] = { NPROF_MEANING_KEYS };
  for (guint i = 0; i < G_N_ELEMENTS (meaning); i++)
    if (strncmp (text, meaning[i], len) == 0)
      return WORK + i;
  g_assert_not_reached ();
}

static const struct nprof_column *const *
no_columns (const struct nprof_host *host G_GNUC_UNUSED)
{
  static const struct nprof_column *const none[] = { NULL };
  return none;
}

static int
wanted (const struct nprof_host *host G_GNUC_UNUSED, const char *key G_GNUC_UNUSED)
{
  return 1;
}

static const struct nprof_host host = { .wanted = wanted,
                                        .size = sizeof host,
                                        .attr_set = get_set,
                                        .intern = intern,
                                        .columns = no_columns };

static nprof_value
of_int (gint64 i)
{
  return (nprof_value){ .i = i };
}

static nprof_value
of_double (double f)
{
  return (nprof_value){ .f = f };
}

static gboolean
fits (guint column, guint type, nprof_value value, nprof_value expected)
{
  struct nprof_field field = { .type = type, .key = 1, .value = value };
  if (!nprof_fit (column, &field))
    return FALSE;
  g_assert_cmpuint (field.type, ==, column);
  g_assert_cmpuint (field.value.u, ==, expected.u);
  return TRUE;
}

static void
test_fit_whole (void)
{
  g_assert_true (fits (NPROF_INT64, NPROF_INT64, of_int (-5), of_int (-5)));
  g_assert_true (fits (NPROF_INT64, NPROF_UINT64, of_int (5), of_int (5)));
  g_assert_false (fits (NPROF_INT64, NPROF_UINT64, of_int (G_MININT64), of_int (0)));
  g_assert_true (fits (NPROF_INT64, NPROF_DOUBLE, of_double (-3), of_int (-3)));
  g_assert_true (
      fits (NPROF_INT64, NPROF_DOUBLE, of_double (-9223372036854775808.0), of_int (G_MININT64)));
  g_assert_false (fits (NPROF_INT64, NPROF_DOUBLE, of_double (9223372036854775808.0), of_int (0)));
  g_assert_false (fits (NPROF_INT64, NPROF_DOUBLE, of_double (0.5), of_int (0)));
  g_assert_false (fits (NPROF_INT64, NPROF_DOUBLE, of_double (-0.0), of_int (0)));
  g_assert_false (fits (NPROF_INT64, NPROF_DOUBLE, of_double (NAN), of_int (0)));
  g_assert_false (fits (NPROF_INT64, NPROF_BOOL, of_int (1), of_int (1)));
  g_assert_true (fits (NPROF_UINT64, NPROF_INT64, of_int (7), of_int (7)));
  g_assert_false (fits (NPROF_UINT64, NPROF_INT64, of_int (-1), of_int (0)));
  g_assert_true (
      fits (NPROF_UINT64, NPROF_DOUBLE, of_double (9223372036854775808.0), of_int (G_MININT64)));
  g_assert_false (
      fits (NPROF_UINT64, NPROF_DOUBLE, of_double (18446744073709551616.0), of_int (0)));
}

static void
test_fit_others (void)
{
  struct nprof_field text = { .type = NPROF_TEXT, .key = 1 };
  g_assert_true (fits (NPROF_DOUBLE, NPROF_INT64, of_int (1 << 20), of_double (1 << 20)));
  g_assert_true (
      fits (NPROF_DOUBLE, NPROF_INT64, of_int (G_MININT64), of_double (-9223372036854775808.0)));
  g_assert_false (fits (NPROF_DOUBLE, NPROF_INT64, of_int (G_MAXINT64), of_int (0)));
  g_assert_false (fits (NPROF_DOUBLE, NPROF_INT64, of_int ((INT64_C (1) << 53) + 1), of_int (0)));
  g_assert_false (fits (NPROF_DOUBLE, NPROF_UINT64, of_int (-1), of_int (0)));
  g_assert_true (fits (NPROF_BOOL, NPROF_BOOL, of_int (1), of_int (1)));
  g_assert_false (fits (NPROF_STRING, NPROF_INT64, of_int (1), of_int (1)));
  g_assert_false (fits (NPROF_JSON, NPROF_STRING, of_int (1), of_int (1)));
  g_assert_true (nprof_fit (NPROF_STRING, &text));
  text.type = NPROF_DOUBLE;
  g_assert_true (nprof_fit (NPROF_TEXT, &text)); /* a column that two types share */
  g_assert_cmpuint (text.type, ==, NPROF_DOUBLE);
}

/* -- Rows ------------------------------------------------------------------ */

enum { FLOPS = 1, SHAPE, OTHER, MORE, FAR = 100000 };

static const struct nprof_column flops
    = { .size = sizeof flops, .type = NPROF_INT64, .key = FLOPS };
static const struct nprof_column shape
    = { .size = sizeof shape, .type = NPROF_STRING, .key = SHAPE };
static const struct nprof_column *const columns[] = { &flops, &shape, NULL };

/* Attributes given one after the other: rows end where at says. */
struct attrs {
  nprof_str key[8];
  guint8 type[8];
  nprof_value value[8];
};

static struct nprof_batch
make_batch (const struct attrs *own, const guint32 *at, const nprof_set *shared)
{
  return (struct nprof_batch){ .size = sizeof (struct nprof_batch),
                               .n_rows = 2,
                               .shared = shared,
                               .attr_at = at,
                               .attr_key = own->key,
                               .attr_type = own->type,
                               .attr_value = own->value,
                               .bytes = "" };
}

static void
test_override (void)
{
  const struct attrs common = { { OTHER, FLOPS, SHAPE, MORE },
                                { NPROF_INT64, NPROF_INT64, NPROF_STRING, NPROF_INT64 },
                                { { .i = 1 }, { .i = 2 }, { .s = 77 }, { .i = 4 } } };
  const struct attrs own = { { FLOPS, OTHER, FAR, OTHER },
                             { NPROF_INT64, NPROF_DOUBLE, NPROF_INT64, NPROF_INT64 },
                             { { .i = 20 }, { .f = 0.5 }, { .i = 6 }, { .i = 9 } } };
  const guint32 at[] = { 0, 4, 4 };
  const nprof_set shared[] = { 1, 0 };
  set = (struct nprof_attrs){ sizeof set, 4, common.key, common.type, common.value, "" };
  struct nprof_batch batch = make_batch (&own, at, shared);
  struct nprof_row_columns row_columns = { 0 };
  g_assert_cmpint (nprof_row_columns_init (&row_columns, &host, columns), ==, NPROF_OK);

  g_assert_cmpint (nprof_row_columns_row (&row_columns, &batch, 0), ==, NPROF_OK);
  g_assert_cmpint (row_columns.field[0].value.i, ==, 20);
  g_assert_cmpuint (row_columns.field[1].value.s, ==, 77);
  g_assert_cmpuint (row_columns.n_used, ==, 2); /* FLOPS twice, and SHAPE */
  g_assert_cmpuint (row_columns.used[0], ==, 0);
  g_assert_cmpuint (row_columns.used[1], ==, 1);
  g_assert_cmpuint (row_columns.n_unmapped, ==, 3);
  g_assert_cmpuint (row_columns.unmapped[0].key, ==, OTHER); /* its place is the shared one's */
  g_assert_cmpint (row_columns.unmapped[0].value.i, ==, 9);  /* its value the last one given  */
  g_assert_cmpuint (row_columns.unmapped[1].key, ==, MORE);
  g_assert_cmpuint (row_columns.unmapped[2].key, ==, FAR);

  g_assert_cmpint (nprof_row_columns_row (&row_columns, &batch, 1), ==, NPROF_OK);
  g_assert_cmpuint (row_columns.field[0].type, ==, NPROF_NULL);
  g_assert_cmpuint (row_columns.field[1].type, ==, NPROF_NULL);
  g_assert_cmpuint (row_columns.n_used, ==, 0);
  g_assert_cmpuint (row_columns.n_unmapped, ==, 0);
  nprof_row_columns_clear (&row_columns);
}

static void
test_misfit (void)
{
  /* row 0: a misfit alone; row 1: a misfit that a fitting value overrides, and the reverse */
  const struct attrs own
      = { { FLOPS, 200, FLOPS, FLOPS, SHAPE, SHAPE },
          { NPROF_DOUBLE, 99, NPROF_DOUBLE, NPROF_INT64, NPROF_STRING, NPROF_INT64 },
          { { .f = 0.5 }, { .i = 0 }, { .f = 0.5 }, { .i = 3 }, { .s = 5 }, { .i = 8 } } };
  const guint32 at[] = { 0, 2, 6 };
  struct nprof_batch batch = make_batch (&own, at, NULL);
  struct nprof_row_columns row_columns = { 0 };
  nprof_row_columns_init (&row_columns, &host, columns);
  nprof_row_columns_row (&row_columns, &batch, 0);
  g_assert_cmpuint (row_columns.field[0].type, ==, NPROF_NULL);
  g_assert_cmpuint (row_columns.n_unmapped, ==, 1);
  g_assert_cmpfloat (row_columns.unmapped[0].value.f, ==, 0.5);
  g_assert_cmpuint (row_columns.unknown, ==, 1);

  nprof_row_columns_row (&row_columns, &batch, 1);
  g_assert_cmpint (row_columns.field[0].value.i, ==, 3);
  g_assert_cmpuint (row_columns.unmapped[0].type, ==, NPROF_NULL);
  g_assert_cmpuint (row_columns.field[1].type, ==, NPROF_NULL);
  g_assert_cmpuint (row_columns.unmapped[1].key, ==, SHAPE);
  g_assert_cmpuint (row_columns.misfits[0], ==, 2);
  g_assert_cmpuint (row_columns.misfits[1], ==, 1);
  nprof_row_columns_clear (&row_columns);
}

static void
test_no_columns (void)
{
  const struct attrs own
      = { { FLOPS, SHAPE }, { NPROF_INT64, NPROF_STRING }, { { .i = 1 }, { .s = 5 } } };
  const guint32 at[] = { 0, 2, 2 };
  struct nprof_batch batch = make_batch (&own, at, NULL);
  struct nprof_row_columns row_columns = { 0 };
  nprof_row_columns_init (&row_columns, &host, NULL);
  nprof_row_columns_row (&row_columns, &batch, 0);
  g_assert_cmpuint (row_columns.n_unmapped, ==, 2);
  batch.attr_at = NULL;
  nprof_row_columns_row (&row_columns, &batch, 1);
  g_assert_cmpuint (row_columns.n_unmapped, ==, 0);
  nprof_row_columns_clear (&row_columns);
}

static void
test_count_goes_around (void)
{
  const struct attrs own
      = { { OTHER, OTHER }, { NPROF_INT64, NPROF_INT64 }, { { .i = 1 }, { .i = 2 } } };
  const guint32 at[] = { 0, 1, 2 };
  struct nprof_batch batch = make_batch (&own, at, NULL);
  struct nprof_row_columns row_columns = { 0 };
  nprof_row_columns_init (&row_columns, &host, NULL);
  nprof_row_columns_row (&row_columns, &batch, 0);
  row_columns.row = UINT32_MAX;
  row_columns.slot[OTHER].seen = 1; /* from long ago */
  nprof_row_columns_row (&row_columns, &batch, 1);
  g_assert_cmpuint (row_columns.row, ==, 1);
  g_assert_cmpuint (row_columns.n_unmapped, ==, 1);
  g_assert_cmpint (row_columns.unmapped[0].value.i, ==, 2);
  nprof_row_columns_clear (&row_columns);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/row/fit/whole", test_fit_whole);
  g_test_add_func ("/row/fit/others", test_fit_others);
  g_test_add_func ("/row/override", test_override);
  g_test_add_func ("/row/misfit", test_misfit);
  g_test_add_func ("/row/no-columns", test_no_columns);
  g_test_add_func ("/row/count-goes-around", test_count_goes_around);
  return g_test_run ();
}
