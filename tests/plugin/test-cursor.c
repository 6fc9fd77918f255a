/* SPDX-License-Identifier: Apache-2.0 */
/* test-cursor.c - numbers, varints, pieces and lines of bytes that end anywhere, and decimal
 * numbers. */

#include <glib.h>
#include <nprof/cursor.h>
#include <nprof/decimal.h>

static const guint8 bytes[] = { 0x01, 0x02, 0x03, 0x04, 0xac, 0x02, 'a', '\r', '\n', 'b' };

static void
test_numbers (void)
{
  struct nprof_cursor c = nprof_cursor (bytes, sizeof bytes);
  const char *line;
  size_t len;
  g_assert_cmpuint (nprof_take_le (&c, 2), ==, 0x0201);
  g_assert_cmpuint (nprof_take_be (&c, 2), ==, 0x0304);
  g_assert_cmpuint (nprof_cursor_at (&c, bytes), ==, 4);
  g_assert_cmpuint (nprof_take_varint (&c), ==, 300);
  g_assert_true (nprof_take_line (&c, &line, &len));
  g_assert_cmpmem (line, len, "a", 1);
  g_assert_true (nprof_take_line (&c, &line, &len));
  g_assert_cmpmem (line, len, "b", 1);
  g_assert_false (nprof_take_line (&c, &line, &len));
  g_assert_false (c.cut);
  g_assert_null (nprof_take (&c, 1));
  g_assert_true (c.cut);
}

/* Of every length there is one byte too few, at its end; the copy lets sanitizers see a read
 * behind it. */
static void
test_cuts (void)
{
  for (gsize len = 0; len < 6; len++) {
    g_autofree guint8 *copy = g_malloc (MAX (len, 1));
    memcpy (copy, bytes, len);
    struct nprof_cursor c = nprof_cursor (copy, len);
    guint64 sum = nprof_take_le (&c, 2) + nprof_take_be (&c, 2);
    g_assert_cmpuint (nprof_take_varint (&c), ==, 0);
    g_assert_true (c.cut);
    g_assert_cmpuint (sum, ==, len < 2 ? 0 : len < 4 ? 0x0201 : 0x0201 + 0x0304);
    g_assert_null (nprof_take (&c, 0)); /* it stays so */
  }
}

static void
test_varints (void)
{
  const guint8 most[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 };
  const guint8 endless[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00 };
  struct nprof_cursor c = nprof_cursor (most, sizeof most);
  g_assert_cmpuint (nprof_take_varint (&c), ==, G_MAXUINT64);
  g_assert_false (c.cut);
  c = nprof_cursor (endless, sizeof endless);
  nprof_take_varint (&c);
  g_assert_true (c.cut);
}

/* The values are those of Python's Decimal. */
static void
test_decimals (void)
{
  static const struct {
    const char *text;
    gint64 scale, value;
    gboolean wrong;
  } cases[] = {
    { "1.5", 1000, 1500, FALSE },
    { "-0.001", 1000, -1, FALSE },
    { "0.0001", 1000, 0, TRUE },
    { "0.0010", 1000, 1, FALSE },
    { "9007199254740993.001", 1000, G_GINT64_CONSTANT (9007199254740993001), FALSE },
    { "9223372036854775807", 1, G_MAXINT64, FALSE },
    { "9223372036854775808", 1, 0, TRUE },
    { "9223372036854775.808", 1000, 0, TRUE },
    { "", 1, 0, TRUE },
    { "-", 1, 0, TRUE },
    { ".5", 1000, 0, TRUE },
    { "1e3", 1, 0, TRUE },
    { " 1", 1, 0, TRUE },
    { "1,5", 1000, 0, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 value;
    gboolean read
        = nprof_read_decimal (cases[i].text, strlen (cases[i].text), cases[i].scale, &value);
    g_test_message ("\"%s\"", cases[i].text);
    g_assert_cmpint (read, ==, !cases[i].wrong);
    if (read)
      g_assert_cmpint (value, ==, cases[i].value);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cursor/numbers", test_numbers);
  g_test_add_func ("/cursor/cuts", test_cuts);
  g_test_add_func ("/cursor/varints", test_varints);
  g_test_add_func ("/cursor/decimals", test_decimals);
  return g_test_run ();
}
