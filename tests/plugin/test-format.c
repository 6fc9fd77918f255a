/* SPDX-License-Identifier: Apache-2.0 */
/* test-format.c - numbers, JSON text and texts made once: sdk/nprof/format.h, json.h, texts.h. */
#include <glib.h>
#include <locale.h>
#include <nprof/json.h>
#include <nprof/string-cache.h>

static char out[NPROF_MAX_NUMBER];

#define CHECK(expected, call)                                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    *(call) = 0;                                                                                   \
    g_assert_cmpstr (out, ==, (expected));                                                         \
  }                                                                                                \
  G_STMT_END

static void
test_whole (void)
{
  CHECK ("0", nprof_format_u64 (out, 0));
  CHECK ("9", nprof_format_u64 (out, 9));
  CHECK ("10", nprof_format_u64 (out, 10));
  CHECK ("18446744073709551615", nprof_format_u64 (out, G_MAXUINT64));
  CHECK ("-9223372036854775808", nprof_format_i64 (out, G_MININT64));
  CHECK ("9223372036854775807", nprof_format_i64 (out, G_MAXINT64));
  for (guint64 u = 1; u < G_MAXUINT64 / 7; u = u * 7 + 3) {
    g_autofree char *expected = g_strdup_printf ("%" G_GUINT64_FORMAT, u);
    CHECK (expected, nprof_format_u64 (out, u));
  }
  guint64 power = 1;
  for (guint digits = 0; digits < 20; digits++, power *= 10)
    for (guint64 u = power - 1; u != power + 2; u++) {
      g_autofree char *expected = g_strdup_printf ("%" G_GUINT64_FORMAT, u);
      CHECK (expected, nprof_format_u64 (out, u));
    }
}

static void
test_decimal (void)
{
  CHECK ("12.345", nprof_format_decimal (out, 12345, 3, '.'));
  CHECK ("12,3", nprof_format_decimal (out, 12300, 3, ','));
  CHECK ("12", nprof_format_decimal (out, 12000, 3, '.'));
  CHECK ("0", nprof_format_decimal (out, 0, 12, '.'));
  CHECK ("-0.001", nprof_format_decimal (out, -1, 3, '.'));
  CHECK ("0.000000000001", nprof_format_decimal (out, 1, 12, '.'));
  CHECK ("-9223372036854775.808", nprof_format_decimal (out, G_MININT64, 3, '.'));
  CHECK ("9.223372036854775807", nprof_format_decimal (out, G_MAXINT64, 18, '.'));
  CHECK ("18446744.073709551615", nprof_format_udecimal (out, G_MAXUINT64, 12, '.'));
  CHECK ("77", nprof_format_decimal (out, 77, 0, '.'));
}

static void
test_double (void)
{
  CHECK ("0", nprof_format_double (out, 0.0));
  CHECK ("-0", nprof_format_double (out, -0.0));
  CHECK ("0.1", nprof_format_double (out, 0.1));
  CHECK ("1.5", nprof_format_double (out, 1.5));
  CHECK ("-2.25", nprof_format_double (out, -2.25));
  CHECK ("0.30000000000000004", nprof_format_double (out, 0.1 + 0.2));
  CHECK ("100", nprof_format_double (out, 100));
  CHECK ("10000000000000000", nprof_format_double (out, 1e16));
  CHECK ("1e17", nprof_format_double (out, 1e17));
  CHECK ("1e18", nprof_format_double (out, 1e18));
  CHECK ("1.7976931348623157e308", nprof_format_double (out, G_MAXDOUBLE));
  CHECK ("4.94065645841247e-324", nprof_format_double (out, 5e-324)); /* 15 digits are the fewest */
  CHECK ("0.00001", nprof_format_double (out, 1e-5));
  CHECK ("1e-6", nprof_format_double (out, 1e-6));
  CHECK ("NaN", nprof_format_double (out, NAN));
  CHECK ("-Infinity", nprof_format_double (out, -INFINITY));
  CHECK ("0.0125", nprof_format_scaled (out, 12.5, -3, '.'));
  CHECK ("12500", nprof_format_scaled (out, 12.5, 3, '.'));
  CHECK ("0,5", nprof_format_scaled (out, 0.5, 0, ','));
}

static void
test_round_trip (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  for (guint k = 0; k < 20000; k++) {
    union {
      guint64 u;
      double f;
    } x = { .u = (guint64) g_rand_int (random) << 32 | g_rand_int (random) };
    if (k % 3 == 0)
      x.f = g_rand_int_range (random, -1000000, 1000000) / 1000.0;
    if (!isfinite (x.f))
      continue;
    *nprof_format_double (out, x.f) = 0;
    g_assert_true (g_ascii_strtod (out, NULL) == x.f);
    for (int n = 1; n < 17; n++) { /* and no shorter text does */
      char text[40];
      g_snprintf (text, sizeof text, "%.*e", n - 1, x.f);
      if (g_ascii_strtod (text, NULL) != x.f)
        continue;
      guint digits = 0;
      for (const char *c = out; *c && *c != 'e'; c++)
        digits += g_ascii_isdigit (*c) && (digits || *c != '0');
      double whole = fabs (x.f);
      if (!(whole >= 10 && whole == trunc (whole))) /* those may end in zeros */
        g_assert_cmpuint (digits, <=, MAX (n, 15));
      break;
    }
  }
}

static void
test_locale (void)
{
  const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8" };
  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    if (setlocale (LC_ALL, names[k])) {
      CHECK ("0.30000000000000004", nprof_format_double (out, 0.1 + 0.2));
      CHECK ("1.7976931348623157e308", nprof_format_double (out, G_MAXDOUBLE));
    }
  setlocale (LC_ALL, "C");
}

static void
check_string (const char *expected, const char *text, gssize len, int how)
{
  struct nprof_buf b = { 0 };
  nprof_put_json_string (&b, text, len < 0 ? strlen (text) : (size_t) len, how);
  nprof_put_char (&b, 0);
  g_assert_cmpstr (b.data, ==, expected);
  nprof_buf_clear (&b);
}

static void
test_json_string (void)
{
  check_string ("\"\"", "", -1, 0);
  check_string ("\"a\\\"b\\\\c/\"", "a\"b\\c/", -1, 0);
  check_string ("\"\\b\\t\\n\\u000b\\f\\r\\u001b\\u001f\"", "\b\t\n\v\f\r\033\037", -1, 0);
  check_string ("\"x\\u0000y\"", "x\0y", 3, 0);
  check_string ("\"x\xe2\x90\x80y\"", "x\0y", 3, NPROF_JSON_VIEWER);
  check_string ("\"\xc3\xa9 \xf0\x9f\x98\x80\"", "\xc3\xa9 \xf0\x9f\x98\x80", -1, 0);
  check_string ("\"\xef\xbf\xbd(\"", "\xc3(", -1, 0);
  check_string ("\"a\xef\xbf\xbd\"", "a\xf0", -1, 0);
  check_string ("\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "\xed\xa0\x80", -1,
                0);                                                 /* a surrogate */
  check_string ("\"\xef\xbf\xbd\xef\xbf\xbd\"", "\xc0\x80", -1, 0); /* overlong */
}

static void
check_json (const char *expected, const char *text, int how)
{
  struct nprof_buf b = { 0 };
  nprof_put_json (&b, text, strlen (text), how);
  nprof_put_char (&b, 0);
  g_assert_cmpstr (b.data, ==, expected);
  nprof_buf_clear (&b);
}

static void
test_json_value (void)
{
  check_json ("{\"a\":[1,2.5e-3,{}],\"b\":null}", " { \"a\" : [1, 2.5e-3,\n{ } ], \"b\":null} ", 0);
  check_json ("[]", "[ ]", 0);
  check_json ("\"x\"", "\"x\"", 0);
  check_json ("[\"NaN\",\"-Infinity\",true]", "[NaN,-Infinity,true]", 0);
  check_json ("[\"0x1f\",\"007\",\"1.\",\"-\",0,-0]", "[0x1f,007,1.,-,0,-0]", 0);
  check_json ("\"\xf0\x9f\x98\x80 \xc3\xa9\"", "\"\\ud83d\\ude00 \\u00e9\"", 0);
  check_json ("\"\xef\xbf\xbdz\"", "\"\\ud83dz\"", 0);
  check_json ("\"\xef\xbf\xbd\\n\"", "\"\\ude00\\n\"", 0);
  check_json ("\"a/b\\\"\\\\\\u0000\"", "\"a\\/b\\\"\\\\\\u0000\"", 0);
  check_json ("\"\xe2\x90\x80\"", "\"\\u0000\"", NPROF_JSON_VIEWER);
  check_json ("[18446744073709551615]", "[18446744073709551615]", 0);
  check_json ("[\"18446744073709551615\",9007199254740992,\"9007199254740993\",\"-"
              "9007199254740993\",1e300]",
              "[18446744073709551615,9007199254740992,9007199254740993,-9007199254740993,1e300]",
              NPROF_JSON_VIEWER);
  check_json ("\"line\\nbreak\"", "\"line\nbreak\"", 0);
}

static void
test_json_damaged (void)
{
  static const char *const bad[]
      = { "",      "{",          "[1",    "[1,]",     "{\"a\"}",  "{\"a\":}",
          "{a:1}", "1 2",        "\"abc", "\"\\x\"",  "\"\\u12",  "]",
          "[1}",   "{\"a\":1,}", "\"\\",  "[\"\\ud8", "{\"a\" 1}" };
  for (guint k = 0; k < G_N_ELEMENTS (bad); k++) {
    struct nprof_buf b = { 0 };
    nprof_put_json_string (&b, bad[k], strlen (bad[k]), 0);
    nprof_put_char (&b, 0);
    check_json (b.data, bad[k], 0);
    nprof_buf_clear (&b);
  }
  g_autofree char *deep = g_strnfill (1000000, '[');
  struct nprof_buf b = { 0 };
  nprof_put_json (&b, deep, 1000000, 0);
  g_assert_cmpuint (b.len, ==, 1000002);
  nprof_buf_clear (&b);
}

static void
test_json_numbers (void)
{
  struct nprof_buf b = { 0 };
  nprof_put_json_i64 (&b, INT64_C (9007199254740992), NPROF_JSON_VIEWER);
  nprof_put_json_i64 (&b, INT64_C (-9007199254740993), NPROF_JSON_VIEWER);
  nprof_put_json_u64 (&b, G_MAXUINT64, 0);
  nprof_put_json_double (&b, NAN);
  nprof_put_json_double (&b, 0.5);
  nprof_put_id128 (&b, "\x00\x01\xfe\xff\x10\x20\x30\x40\x50\x60\x70\x80\x90\xa0\xb0\xc0");
  nprof_put_char (&b, 0);
  g_assert_cmpstr (b.data, ==,
                   "9007199254740992\"-9007199254740993\"18446744073709551615\"NaN\"0.5"
                   "0001feff102030405060708090a0b0c0");
  nprof_buf_clear (&b);
}

static void
test_no_memory (void)
{
  struct nprof_buf b = { 0 };
  nprof_put_text (&b, "abc");
  g_assert_false (nprof_buf_need (&b, SIZE_MAX / 2));
  nprof_put_text (&b, "lost");
  nprof_put_u64 (&b, 1);
  g_assert_true (b.failed);
  g_assert_cmpuint (b.len, ==, 3);
  nprof_buf_clear (&b);
}

static const char *const strings[] = { "", "plain", "two" };
static guint asked;

static const char *
get_string (const struct nprof_host *host G_GNUC_UNUSED, nprof_str str, size_t *len)
{
  *len = strlen (strings[str % 3]);
  return strings[str % 3];
}

static void
make_doubled (const void *user G_GNUC_UNUSED, struct nprof_buf *to, const char *text, size_t len)
{
  asked++;
  if (len == 3) {
    nprof_put (to, text, len);
    nprof_put (to, text, len);
  }
}

static void
test_texts (void)
{
  const struct nprof_host host = { .size = sizeof host, .string = get_string };
  struct nprof_string_cache texts = { .host = &host, .make = make_doubled };
  for (guint k = 0; k < 3; k++) {
    g_assert_cmpuint (nprof_string_cache_get (&texts, 0).len, ==, 0);
    g_assert_true (nprof_string_cache_get (&texts, 1).text == strings[1]);
    g_assert_cmpmem (nprof_string_cache_get (&texts, 2).text,
                     nprof_string_cache_get (&texts, 2).len, "twotwo", 6);
    g_assert_cmpmem (nprof_string_cache_get (&texts, 50000).text, 6, "twotwo", 6);
  }
  g_assert_cmpuint (asked, ==, 4);
  nprof_string_cache_clear (&texts);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/format/whole", test_whole);
  g_test_add_func ("/format/decimal", test_decimal);
  g_test_add_func ("/format/double", test_double);
  g_test_add_func ("/format/round-trip", test_round_trip);
  g_test_add_func ("/format/locale", test_locale);
  g_test_add_func ("/format/no-memory", test_no_memory);
  g_test_add_func ("/json/string", test_json_string);
  g_test_add_func ("/json/value", test_json_value);
  g_test_add_func ("/json/damaged", test_json_damaged);
  g_test_add_func ("/json/numbers", test_json_numbers);
  g_test_add_func ("/texts/once", test_texts);
  return g_test_run ();
}
