/* SPDX-License-Identifier: Apache-2.0 */
/* test-parquet-info.c - the decoder parquet on a file that the sink made: what it says of it, and
 * that it finds every bit that is flipped in a page. */
#include "../tools/parquet-samples.h"
#include "testhost.h"

#include <string.h>

static const struct nprof_component *
decoder (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "parquet");
}

static GBytes *
make_file (const char *options)
{
  return parquet_sample (g_getenv ("SINK"), options, 40);
}

static guint32
footer_size (const guint8 *data, gsize len)
{
  guint32 size;
  memcpy (&size, data + len - 8, 4);
  return GUINT32_FROM_LE (size);
}

static void
test_says (void)
{
  g_autoptr (GBytes) file = make_file ("compression=none");
  gsize len;
  const guint8 *data = g_bytes_get_data (file, &len);
  g_autoptr (NprofTestRun) run = nprof_test_decode (decoder (), "file=yes", data, len, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 40);
  g_assert_cmpstr (nprof_test_property (run, "rows_in_file"), ==, "40");
  g_assert_cmpstr (nprof_test_property (run, "created_by"), ==, "nprof version " NPROF_VERSION);
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 1, "column"), ==, "start_ps");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 1, "type"), ==, "int64");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 3, "type"), ==, "int64 timestamp");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 15, "type"), ==, "fixed uuid");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 15, "nulls"), ==, "20");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 16, "column"), ==,
                   "attributes.key_value.key");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_groups", 0, "rows"), ==, "40");
  g_assert_cmpstr (nprof_test_cell (run, "parquet_metadata", 1, "value"), ==, "events");
  g_assert_cmpint (nprof_test_probe (decoder (), data, len, "x"), ==, 90);
  g_assert_cmpint (nprof_test_probe (decoder (), "PAR", 3, "x"), ==, 0);
}

static guint64
named_byte (const NprofTestRun *run)
{
  return run->n_damage ? run->damage[0].at : G_MAXUINT64;
}

/* Returns where the pages end: the indexes come behind them. */
static gsize
pages_end (const guint8 *data, gsize len)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (decoder (), "file=yes", data, len, NULL);
  gsize bytes = 4;
  for (guint k = 0; k < nprof_test_table (run, "parquet_columns")->n_rows; k++)
    bytes += g_ascii_strtoull (nprof_test_cell (run, "parquet_columns", k, "bytes"), NULL, 10);
  return bytes;
}

/* Flips one bit of each byte; returns how many were not seen. */
static guint
count_unseen (const char *options)
{
  guint unseen = 0;
  g_autoptr (GBytes) file = make_file (options);
  gsize len;
  const guint8 *data = g_bytes_get_data (file, &len);
  g_autofree guint8 *copy = g_memdup2 (data, len);
  gsize end = pages_end (data, len);
  for (gsize k = 4; k < end; k++) {
    copy[k] ^= (guint8) (1 << k % 8);
    g_autoptr (NprofTestRun) run = nprof_test_decode (decoder (), "file=yes", copy, len, NULL);
    if (run->status != NPROF_E_FORMAT || named_byte (run) > k) {
      g_test_message ("%s: byte %zu of %zu", options, k, end);
      unseen++;
    }
    copy[k] = data[k];
  }
  return unseen;
}

/* The number of entries of a compressed dictionary of texts is the one thing that nothing else
 * says: input, thread, kind, name, keys and values of the map. */
static void
test_flips (void)
{
  g_assert_cmpuint (count_unseen ("compression=none"), ==, 0);
  g_assert_cmpuint (count_unseen ("compression=gzip"), <=, 7);
}

/* Footers that are anything: no crash, no rule broken. */
static void
test_damage (void)
{
  g_autoptr (GBytes) file = make_file ("compression=gzip");
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  gsize len;
  const guint8 *data = g_bytes_get_data (file, &len);
  gsize begin = len - 8 - footer_size (data, len);
  for (guint i = 0; i < 3000; i++) {
    g_autofree guint8 *copy = g_memdup2 (data, len);
    for (gint n = g_rand_int_range (rand, 1, 5); n; n--)
      copy[g_rand_int_range (rand, (gint32) begin, (gint32) len)] = (guint8) g_rand_int (rand);
    const NprofTestConfig config = { .keep_going = i % 2 };
    g_autoptr (NprofTestRun) run = nprof_test_decode (decoder (), "file=yes", copy, len, &config);
    g_assert_cmpuint (run->n_broken, ==, 0);
  }
  for (gsize cut = 0; cut < len; cut += cut < 20 ? 1 : 97) {
    g_autoptr (NprofTestRun) run = nprof_test_decode (decoder (), "file=yes", data, cut, NULL);
    nprof_test_assert_fails (run, NPROF_E_FORMAT, "byte ");
  }
}

#define LARGEST "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" /* 2^63 - 1 */

static void
end_file (GString *file)
{
  g_string_append_c (file, 0);
  guint32 size = GUINT32_TO_LE ((guint32) file->len - 4);
  g_string_append_len (file, (const char *) &size, 4);
  g_string_append (file, "PAR1");
}

/* A column whose name stands there twice: the last one counts, and the other is given free. */
static void
test_twice (void)
{
  static const char column[] = "\x00\x15\x04\x38\x01" /* the end of r; type, 4: name */
                               "a\x08\x08\x02"        /* and 4 once more */
                               "bc\x00";
  static const char groups[] = "\x16\x00\x19\x0c"; /* no rows, no row groups */
  g_autoptr (GString) file = g_string_new ("PAR1");
  g_string_append (file, "\x15\x02\x19\x2c\x48\x01r\x15\x02"); /* version, schema: r, 1 child */
  g_string_append_len (file, column, sizeof column - 1);
  g_string_append_len (file, groups, sizeof groups - 1);
  end_file (file);
  g_autoptr (NprofTestRun) run
      = nprof_test_decode (decoder (), "file=yes", file->str, file->len, NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 0, "column"), ==, "bc");
}

/* One column; two row groups that say they have as many rows, values and bytes as can be said. */
static void
test_sums (void)
{
  static const char chunk[] = "\x3c"                    /* 3: ColumnMetaData */
                              "\x56" LARGEST            /* 5: values */
                              "\x16" LARGEST            /* 6: uncompressed */
                              "\x16" LARGEST            /* 7: bytes */
                              "\x5c\x36" LARGEST "\x00" /* 12: statistics: nulls */
                              "\x00\x00";
  g_autoptr (GString) file = g_string_new ("PAR1");
  g_string_append (file, "\x15\x02\x19\x2c\x48\x01r\x15\x02"); /* version, schema: r, 1 child */
  g_string_append_len (file,
                       "\x00\x15\x04\x38\x01"
                       "a\x00",
                       7);
  g_string_append_len (file, "\x16\x00\x19\x2c", 4); /* rows, two row groups */
  for (guint k = 0; k < 2; k++) {
    g_string_append (file, "\x19\x1c");
    g_string_append_len (file, chunk, sizeof chunk - 1);
    g_string_append_len (file, "\x26" LARGEST "\x00", 12);
  }
  end_file (file);
  const NprofTestConfig config = { .keep_going = TRUE };
  g_autoptr (NprofTestRun) run
      = nprof_test_decode (decoder (), "file=yes", file->str, file->len, &config);
  g_assert_cmpint (run->status, ==, NPROF_OK);
  const char *largest = "9223372036854775807";
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 0, "values"), ==, largest);
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 0, "nulls"), ==, largest);
  g_assert_cmpstr (nprof_test_cell (run, "parquet_columns", 0, "bytes"), ==, largest);
  g_assert_cmpstr (nprof_test_cell (run, "parquet_groups", 1, "uncompressed"), ==, largest);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parquet-info/says", test_says);
  g_test_add_func ("/parquet-info/flips", test_flips);
  g_test_add_func ("/parquet-info/damage", test_damage);
  g_test_add_func ("/parquet-info/twice", test_twice);
  g_test_add_func ("/parquet-info/sums", test_sums);
  return g_test_run ();
}
