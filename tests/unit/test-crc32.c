/* SPDX-License-Identifier: Apache-2.0 */
/* test-crc32.c - sums of all lengths, places and cuts against the sum bit by bit. */

#include "system/crc32.h"

#include <glib.h>
#include <string.h>

#define LENGTH 400

/* Divides by the polynomial as the standard describes it. */
static guint32
sum_of_bits (guint32 crc, const guint8 *data, gsize len)
{
  crc = ~crc;
  for (gsize k = 0; k < len; k++) {
    crc ^= data[k];
    for (guint bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

static void
fill (guint8 *data, gsize len)
{
  guint32 state = 1;
  for (gsize k = 0; k < len; k++) {
    state = state * 1664525u + 1013904223u;
    data[k] = (guint8) (state >> 24);
  }
}

/* The check value of the catalogues. */
static void
test_check_value (void)
{
  g_assert_cmphex (np_crc32 (0, "123456789", 9), ==, 0xcbf43926);
  g_assert_cmphex (np_crc32 (0, "", 0), ==, 0);
}

static void
test_lengths_and_places (void)
{
  guint8 data[LENGTH + 16];
  fill (data, sizeof data);
  for (gsize at = 0; at < 16; at++)
    for (gsize len = 0; len <= LENGTH; len++)
      g_assert_cmphex (np_crc32 (0, data + at, len), ==, sum_of_bits (0, data + at, len));
}

static void
test_cuts (void)
{
  guint8 data[LENGTH];
  fill (data, sizeof data);
  guint32 whole = sum_of_bits (0, data, sizeof data);
  for (gsize cut = 0; cut <= LENGTH; cut++) {
    guint32 first = np_crc32 (0, data, cut);
    g_assert_cmphex (np_crc32 (first, data + cut, LENGTH - cut), ==, whole);
  }
}

/* Zeros in front count, and one bit changes the sum wherever it is. */
static void
test_each_bit (void)
{
  guint8 data[LENGTH] = { 0 };
  guint32 zeros = sum_of_bits (0, data, sizeof data);
  g_assert_cmphex (np_crc32 (0, data, sizeof data), ==, zeros);
  for (gsize bit = 0; bit < LENGTH * 8; bit++) {
    data[bit / 8] = (guint8) (1 << bit % 8);
    g_assert_cmphex (np_crc32 (0, data, sizeof data), ==, sum_of_bits (0, data, sizeof data));
    data[bit / 8] = 0;
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/crc32/check-value", test_check_value);
  g_test_add_func ("/crc32/lengths-and-places", test_lengths_and_places);
  g_test_add_func ("/crc32/cuts", test_cuts);
  g_test_add_func ("/crc32/each-bit", test_each_bit);
  return g_test_run ();
}
