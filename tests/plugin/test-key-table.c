/* SPDX-License-Identifier: Apache-2.0 */
/* test-key-table.c - tuples get the numbers that a plain table gives them, whatever comes behind
 * what. */
#include "devicekit/key-table.h"

#include <string.h>

enum { WIDEST = 17, LENGTH = 10000 };

/* Returns the number from which the tuple at this place of the sequence is made. */
typedef guint (*Sequence) (GRand *rand, guint i);

static guint
random_ones (GRand *rand, guint i G_GNUC_UNUSED)
{
  return (guint) g_rand_int_range (rand, 0, 2000);
}

static guint
same (GRand *rand G_GNUC_UNUSED, guint i G_GNUC_UNUSED)
{
  return 7;
}

static guint
looping (GRand *rand G_GNUC_UNUSED, guint i)
{
  return i % 700;
}

/* A loop that some rows are missing of, and others are in. */
static guint
disturbed (GRand *rand, guint i)
{
  return g_rand_int_range (rand, 0, 20) ? i % 500 : random_ones (rand, i);
}

/* Loops that meet: what comes behind the first ten changes each time. */
static guint
crossing (GRand *rand G_GNUC_UNUSED, guint i)
{
  guint in = i % 60, loop = i / 60 % 3;
  return in < 10 ? in : in + 100 * loop;
}

static guint
growing (GRand *rand G_GNUC_UNUSED, guint i)
{
  return i % 3 ? i / 3 : i;
}

static const Sequence sequences[] = { random_ones, same, looping, disturbed, crossing, growing };

/* Tuples that differ in one word only, any of them, and also by one bit of it. */
static void
make_tuple (guint32 *tuple, guint width, guint number)
{
  memset (tuple, 0, width * sizeof *tuple);
  guint word = number % width;
  tuple[word] = number / width % 2 ? 1u << (number / width / 2 % 32) : number;
  tuple[width - 1 - word / 2] += number & ~1u;
}

/* By the bytes of the tuple; 1 + number. */
static guint
plain_get (GHashTable *table, const guint32 *tuple, guint width)
{
  g_autoptr (GBytes) bytes = g_bytes_new (tuple, width * sizeof *tuple);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (table, bytes));
  if (number)
    return number - 1;
  number = g_hash_table_size (table);
  g_hash_table_insert (table, g_bytes_ref (bytes), GUINT_TO_POINTER (number + 1));
  return number;
}

static void
compare (guint width, Sequence sequence)
{
  g_autoptr (GHashTable) table
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (width);
  guint32 tuple[WIDEST];
  AnKeyTable tuples;
  an_key_table_init (&tuples, width);
  for (guint i = 0; i < LENGTH; i++) {
    make_tuple (tuple, width, sequence (rand, i));
    guint number = an_key_table_get (&tuples, tuple);
    g_assert_cmpuint (number, ==, plain_get (table, tuple, width));
    g_assert_cmpuint (tuples.n, ==, g_hash_table_size (table));
    g_assert_cmpmem (an_key_table_key (&tuples, number), width * sizeof *tuple, tuple,
                     width * sizeof *tuple);
  }
  an_key_table_clear (&tuples);
}

static void
test_numbers (void)
{
  for (guint width = 1; width <= WIDEST; width++)
    for (guint i = 0; i < G_N_ELEMENTS (sequences); i++)
      compare (width, sequences[i]);
}

static void
test_find (void)
{
  for (guint width = 1; width <= WIDEST; width++) {
    guint32 tuple[WIDEST];
    guint number = 7;
    AnKeyTable tuples;
    an_key_table_init (&tuples, width);
    for (guint i = 0; i < 300; i++) {
      for (guint word = 0; word < width; word++)
        tuple[word] = i * (word + 1);
      g_assert_false (an_key_table_find (&tuples, tuple, &number));
      g_assert_cmpuint (number, ==, 0);
      g_assert_cmpuint (tuples.n, ==, i);
      g_assert_cmpuint (an_key_table_get (&tuples, tuple), ==, i);
    }
    for (guint i = 300; i-- > 0;) {
      for (guint word = 0; word < width; word++)
        tuple[word] = i * (word + 1);
      g_assert_true (an_key_table_find (&tuples, tuple, &number));
      g_assert_cmpuint (number, ==, i);
    }
    an_key_table_clear (&tuples);
  }
}

/* The first tuple is no other's successor, even when it looks like memory that was never
 * written. */
static void
test_first_of_zeros (void)
{
  const guint32 zeros[WIDEST] = { 0 }, ones[WIDEST] = { 1 };
  for (guint width = 1; width <= WIDEST; width++) {
    AnKeyTable tuples;
    an_key_table_init (&tuples, width);
    memset (tuples.word, 0, (gsize) tuples.max * width * sizeof *tuples.word);
    g_assert_cmpuint (an_key_table_get (&tuples, zeros), ==, 0);
    g_assert_cmpuint (tuples.n, ==, 1);
    g_assert_cmpuint (an_key_table_get (&tuples, ones), ==, 1);
    g_assert_cmpuint (an_key_table_get (&tuples, zeros), ==, 0);
    g_assert_cmpuint (tuples.n, ==, 2);
    an_key_table_clear (&tuples);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tuples/numbers", test_numbers);
  g_test_add_func ("/tuples/find", test_find);
  g_test_add_func ("/tuples/first-of-zeros", test_first_of_zeros);
  return g_test_run ();
}
