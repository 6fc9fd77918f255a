/* SPDX-License-Identifier: Apache-2.0 */
/* test-readers.c - the readers of the SDK on good and on damaged bytes: decimals in any spelling,
 * JSON, protobuf, CSV; and percentiles and the first k.  Expected numbers are Python's, of Decimal,
 * json and statistics. */

#include <glib.h>
#include <nprof/csv.h>
#include <nprof/decimal.h>
#include <nprof/json-pull.h>
#include <nprof/percentile.h>
#include <nprof/protobuf.h>
#include <nprof/top.h>

/* -- Decimals -------------------------------------------------------------- */

static void
test_scaled (void)
{
  static const struct {
    const char *text;
    int places;
    gint64 value;
    int what;
  } cases[] = {
    { "1.5", 9, 1500000000, NPROF_DECIMAL_EXACT },
    { "+1.5e-3", 9, 1500000, NPROF_DECIMAL_EXACT },
    { "-0.0000000005", 9, -1, NPROF_DECIMAL_ROUNDED },
    { "0.00000000049", 9, 0, NPROF_DECIMAL_ROUNDED },
    { "123456789.123456789012", 6, 123456789123457, NPROF_DECIMAL_ROUNDED },
    { "0.1", 12, 100000000000, NPROF_DECIMAL_EXACT },
    { "9007199254740993", 0, G_GINT64_CONSTANT (9007199254740993), NPROF_DECIMAL_EXACT },
    { "9223372036854775807", 0, G_MAXINT64, NPROF_DECIMAL_EXACT },
    { "-9223372036854775808", 0, G_MININT64, NPROF_DECIMAL_EXACT },
    { "9223372036854775807.4", 0, G_MAXINT64, NPROF_DECIMAL_ROUNDED },
    { "9223372036854775807.5", 0, 0, NPROF_DECIMAL_BEYOND },
    { "9223372036854775808", 0, 0, NPROF_DECIMAL_BEYOND },
    { "1e30", 0, 0, NPROF_DECIMAL_BEYOND },
    { "1e99999999999999999999", 0, 0, NPROF_DECIMAL_BEYOND },
    { "0e99999999999999999999", 0, 0, NPROF_DECIMAL_EXACT },
    { "1e-99999999999999999999", 9, 0, NPROF_DECIMAL_ROUNDED },
    { ".5", 1, 5, NPROF_DECIMAL_EXACT },
    { "5.", 1, 50, NPROF_DECIMAL_EXACT },
    { "", 1, 0, NPROF_DECIMAL_NONE },
    { "-", 1, 0, NPROF_DECIMAL_NONE },
    { ".", 1, 0, NPROF_DECIMAL_NONE },
    { "1e", 1, 0, NPROF_DECIMAL_NONE },
    { "1 ", 1, 0, NPROF_DECIMAL_NONE },
    { "0x10", 1, 0, NPROF_DECIMAL_NONE },
    { "nan", 1, 0, NPROF_DECIMAL_NONE },
    { "1,5", 1, 0, NPROF_DECIMAL_NONE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 value;
    g_test_message ("\"%s\"", cases[i].text);
    g_assert_cmpint (
        nprof_read_scaled (cases[i].text, strlen (cases[i].text), cases[i].places, &value), ==,
        cases[i].what);
    g_assert_cmpint (value, ==, cases[i].value);
  }
}

/* -- JSON ------------------------------------------------------------------ */

/* Writes what is read as words: brackets, KEY=VALUE. */
static void
tell (struct nprof_pull *p, GString *told)
{
  static const char *const words[] = { "?", "null", "false", "true" };
  g_autofree char *text = g_strndup (p->text.at, p->text.len);
  if (p->key.len)
    g_string_append_printf (told, "%.*s=", (int) p->key.len, p->key.at);
  if (p->kind < NPROF_PULL_NUMBER)
    g_string_append_printf (told, "%s ", words[p->kind]);
  else if (p->kind < NPROF_PULL_ARRAY)
    g_string_append_printf (told, p->kind == NPROF_PULL_STRING ? "'%s' " : "%s ", text);
  const gboolean array = p->kind == NPROF_PULL_ARRAY;
  if (!nprof_pull_enter (p, p->kind))
    return;
  g_string_append (told, array ? "[ " : "{ ");
  while (nprof_pull_next (p))
    tell (p, told);
  g_string_append (told, array ? "] " : "} ");
}

static char *
told_of (const char *text, struct nprof_pull *p)
{
  g_autoptr (GString) told = g_string_new (NULL);
  *p = nprof_pull (text, strlen (text));
  if (nprof_pull_next (p))
    tell (p, told);
  return nprof_pull_end (p) ? g_string_free (g_steal_pointer (&told), FALSE) : NULL;
}

static void
test_json (void)
{
  static const char *const cases[][2] = {
    { " [1, -2.5e3 ,\"a\\\"b\", null,true,false,[],{}] ",
      "[ 1 -2.5e3 'a\\\"b' null true false [ ] { } ] " },
    { "{\"a\":{\"b\":[{}]},\"c\":0}", "{ a={ b=[ { } ] } c=0 } " },
    { "7", "7 " },
    { "\"\"", "'' " },
  };
  struct nprof_pull p;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *told = told_of (cases[i][0], &p);
    g_assert_cmpstr (told, ==, cases[i][1]);
  }
}

static void
test_json_damage (void)
{
  static const struct {
    const char *text;
    guint at;
    const char *why;
  } cases[] = {
    { "", 0, "ends where a value" },       { "  ", 2, "ends where a value" },
    { "[1", 2, "ends within" },            { "[1,]", 3, "no value" },
    { "[1 2]", 3, "expected ," },          { "{\"a\" 1}", 5, "expected :" },
    { "{a:1}", 1, "in quotes" },           { "{\"a\":1,}", 7, "in quotes" },
    { "[\"a\nb\"]", 3, "control" },        { "[\"a\\qb\"]", 3, "escape" },
    { "[\"\\u12\"]", 2, "escape" },        { "[\"a", 1, "does not end" },
    { "[01]", 1, "does not have" },        { "[NaN]", 1, "does not have" },
    { "[1.]", 1, "does not have" },        { "[1]x", 3, "behind the end" },
    { "[1}", 2, "expected ," },            { "[[1,[2}]]", 6, "expected ," },
    { "[\"\\", 2, "escape" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s", cases[i].text);
    struct nprof_pull p;
    g_autofree char *told = told_of (cases[i].text, &p);
    g_assert_null (told);
    g_assert_nonnull (strstr (p.why, cases[i].why));
    g_assert_cmpuint (nprof_pull_at (&p), ==, cases[i].at);
    g_assert_false (nprof_pull_next (&p)); /* it stays so */
    p = nprof_pull (cases[i].text, strlen (cases[i].text)); /* and where nothing is entered */
    g_assert_false (nprof_pull_end (&p));
  }
}

static void
test_json_parts (void)
{
  static const char text[]
      = "{\"skip\":[1,{\"x\":[]}],\"name\":\"\\u0041\\u00e9\\ud83d\\ude00\\n\\/"
        "\\ud83d\",\"args\":{\"k\": [1, 2]},\"s\":\"q\"}";
  struct nprof_pull p = nprof_pull (text, strlen (text));
  struct nprof_pull_text raw;
  struct nprof_buf b = { 0 };
  g_assert_true (nprof_pull_next (&p) && !nprof_pull_enter (&p, NPROF_PULL_ARRAY));
  g_assert_true (nprof_pull_enter (&p, NPROF_PULL_OBJECT));
  g_assert_true (nprof_pull_next (&p) && nprof_pull_is (&p, "skip"));
  g_assert_true (nprof_pull_enter (&p, NPROF_PULL_ARRAY));
  g_assert_true (nprof_pull_next (&p) && p.kind == NPROF_PULL_NUMBER);
  g_assert_true (nprof_pull_leave (&p));
  g_assert_true (nprof_pull_next (&p) && nprof_pull_is (&p, "name") && p.text.escaped);
  nprof_pull_put (&b, &p.text);
  g_assert_cmpmem (b.data, b.len, "Aé😀\n/\xef\xbf\xbd", 12);
  g_assert_true (nprof_pull_next (&p) && nprof_pull_is (&p, "args"));
  g_assert_true (nprof_pull_raw (&p, &raw));
  g_assert_cmpmem (raw.at, raw.len, "{\"k\": [1, 2]}", 13);
  g_assert_true (nprof_pull_next (&p) && nprof_pull_is (&p, "s") && nprof_pull_raw (&p, &raw));
  g_assert_cmpmem (raw.at, raw.len, "\"q\"", 3);
  g_assert_false (nprof_pull_next (&p));
  g_assert_false (nprof_pull_next (&p));
  g_assert_true (nprof_pull_end (&p));
  nprof_buf_clear (&b);
}

static void
test_json_depth (void)
{
  for (guint depth = 256; depth <= 257; depth++) {
    g_autofree char *open = g_strnfill (depth, '['), *closed = g_strnfill (depth, ']');
    g_autofree char *text = g_strconcat (open, closed, NULL);
    struct nprof_pull p = nprof_pull (text, 2 * depth);
    g_assert_cmpint (nprof_pull_end (&p), ==, depth == 256);
  }
}

/* Each cut of a text that is whole only as a whole is found, with no read behind the end. */
static void
test_json_cuts (void)
{
  static const char text[] = "{\"a\":[1,\"b\\u00e9\",{\"c\":null}],\"d\":-1.5e+3}";
  for (gsize len = 0; len <= strlen (text); len++) {
    g_autofree char *copy = g_memdup2 (text, MAX (len, 1));
    struct nprof_pull p = nprof_pull (copy, len);
    g_assert_cmpint (nprof_pull_end (&p), ==, len == strlen (text));
  }
}

/* -- Protobuf -------------------------------------------------------------- */

static const guint8 message[] = { 0x08, 0x96, 0x01, 0x12, 0x02, 'h',  'i',  0x19, 0,    0,    0, 0,
                                  0,    0,    0xf8, 0x3f, 0x25, 0x01, 0x00, 0x00, 0x80, 0x28, 3 };

static void
test_protobuf (void)
{
  struct nprof_cursor c = nprof_cursor (message, sizeof message);
  struct nprof_pb_field f;
  g_assert_true (nprof_take_field (&c, &f) && f.tag == NPROF_PB_VARINT (1) && f.value == 150);
  g_assert_true (nprof_take_field (&c, &f) && f.tag == NPROF_PB_BYTES (2));
  g_assert_cmpmem (f.span.p, f.value, "hi", 2);
  g_assert_true (nprof_take_field (&c, &f) && f.tag == NPROF_PB_FIXED64 (3));
  g_assert_cmpfloat (nprof_pb_double (f.value), ==, 1.5);
  g_assert_true (nprof_take_field (&c, &f) && f.tag == NPROF_PB_FIXED32 (4)
                 && f.value == 0x80000001);
  g_assert_true (nprof_take_field (&c, &f) && nprof_pb_sint (f.value) == -2);
  g_assert_false (nprof_take_field (&c, &f));
  g_assert_false (c.cut);
}

static void
test_protobuf_damage (void)
{
  static const guint8 whole[] = { 3, 7, 14, 16, 21, 23 }; /* lengths at which no field is cut */
  for (gsize len = 1; len <= sizeof message; len++) {
    g_autofree guint8 *copy = g_memdup2 (message, len);
    struct nprof_cursor c = nprof_cursor (copy, len);
    struct nprof_pb_field f;
    while (nprof_take_field (&c, &f)) { }
    const gboolean good = memchr (whole, (int) len, sizeof whole) != NULL && len != 14 && len != 16;
    g_assert_cmpint (c.cut, ==, !(good || len == 16));
    g_assert_false (nprof_take_field (&c, &f));
  }
  static const guint8 bad[][3]
      = { { 0x00, 1, 1 }, { 0x0b, 1, 1 }, { 0x0a, 0xff, 0x7f }, { 0x0f, 1, 1 } };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    struct nprof_cursor c = nprof_cursor (bad[i], 3);
    struct nprof_pb_field f;
    g_assert_false (nprof_take_field (&c, &f));
    g_assert_true (c.cut);
    g_assert_cmpuint (nprof_cursor_at (&c, bad[i]), ==, 0);
  }
}

/* -- CSV ------------------------------------------------------------------- */

static void
test_csv (void)
{
  static const char text[] = "a,\"b \"\"c\"\"\",\"x\ny\",\r\n\r\nlast,,";
  const char *end = text + strlen (text);
  struct nprof_csv r;
  char plain[16];
  const char *at = nprof_csv_record (&r, text, end);
  g_assert_true (!r.why && r.n == 4 && r.lines == 2 && !nprof_csv_is_blank (&r));
  g_assert_cmpint (nprof_csv_find (&r, "x\ny"), ==, 2);
  g_assert_cmpint (nprof_csv_find (&r, "z"), ==, -1);
  g_assert_cmpmem (plain, nprof_csv_plain (&r.field[1], plain), "b \"c\"", 5);
  g_assert_true (r.field[1].quoted && !r.field[3].quoted && r.field[3].len == 0);
  at = nprof_csv_record (&r, at, end);
  g_assert_true (nprof_csv_is_blank (&r));
  at = nprof_csv_record (&r, at, end);
  g_assert_true (at == end && r.n == 3 && nprof_csv_is (&r.field[0], "last"));
}

static void
test_csv_damage (void)
{
  static const struct {
    const char *text;
    guint at, next;
    const char *why;
  } cases[] = { { "a,\"b\nc\n", 2, 5, "not closed" },
                { "a,\"b\"c\nd\n", 5, 7, "behind a closing quote" } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gsize len = strlen (cases[i].text);
    g_autofree char *copy = g_memdup2 (cases[i].text, len);
    struct nprof_csv r;
    const char *next = nprof_csv_record (&r, copy, copy + len);
    g_assert_nonnull (strstr (r.why, cases[i].why));
    g_assert_cmpint (r.bad - copy, ==, cases[i].at);
    g_assert_cmpint (next - copy, ==, cases[i].next);
  }
  g_autoptr (GString) wide = g_string_new ("0");
  for (guint i = 1; i < 200; i++)
    g_string_append (wide, ",1");
  struct nprof_csv r;
  nprof_csv_record (&r, wide->str, wide->str + wide->len);
  g_assert_true (!r.why && r.n == 200); /* counted, though not kept */
}

/* -- Percentiles and the first k -------------------------------------------- */

static void
test_percentiles (void)
{
  static const gint64 values[] = { 40, 10, 30, 20, -7 };
  struct nprof_values v = { 0 };
  gint64 sum;
  g_assert_cmpint (nprof_values_percentile (&v, 500), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_true (nprof_values_add (&v, values[i]));
  g_assert_cmpint (nprof_values_percentile (&v, 0), ==, -7);
  g_assert_cmpint (nprof_values_percentile (&v, 500), ==, 20);
  g_assert_cmpint (nprof_values_percentile (&v, 900), ==, 36);
  g_assert_cmpint (nprof_values_percentile (&v, 990), ==, 40); /* 39.6 */
  g_assert_cmpint (nprof_values_percentile (&v, 125), ==, 2);  /* 1.5 */
  g_assert_cmpint (nprof_values_percentile (&v, 1000), ==, 40);
  g_assert_true (nprof_values_sum (&v, &sum) && sum == 93);
  nprof_values_add (&v, G_MAXINT64);
  g_assert_false (nprof_values_sum (&v, &sum));
  nprof_values_add (&v, -100);
  g_assert_true (nprof_values_sum (&v, &sum) && sum == G_MAXINT64 - 7);
  nprof_values_clear (&v);
  nprof_values_add (&v, G_MININT64);
  nprof_values_add (&v, G_MAXINT64);
  g_assert_cmpint (nprof_values_percentile (&v, 500), ==, 0); /* -0.5, half up */
  nprof_values_clear (&v);
}

static bool
larger (const void *a, const void *b)
{
  return *(const guint32 *) a > *(const guint32 *) b;
}

static void
test_top (void)
{
  for (guint32 most = 0; most < 40; most += 3) {
    struct nprof_top top;
    g_assert_true (nprof_top_init (&top, most, sizeof (guint32), larger));
    for (guint32 i = 0, x = 1; i < 30; i++, x = x * 3 % 31) /* 1 to 30, each once */
      nprof_top_add (&top, &x);
    nprof_top_sort (&top);
    g_assert_cmpuint (top.n, ==, MIN (most, 30));
    for (guint32 i = 0; i < top.n; i++)
      g_assert_cmpuint (*(guint32 *) nprof_top_item (&top, i), ==, 30 - i);
    nprof_top_clear (&top);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/readers/scaled", test_scaled);
  g_test_add_func ("/readers/json", test_json);
  g_test_add_func ("/readers/json-damage", test_json_damage);
  g_test_add_func ("/readers/json-parts", test_json_parts);
  g_test_add_func ("/readers/json-depth", test_json_depth);
  g_test_add_func ("/readers/json-cuts", test_json_cuts);
  g_test_add_func ("/readers/protobuf", test_protobuf);
  g_test_add_func ("/readers/protobuf-damage", test_protobuf_damage);
  g_test_add_func ("/readers/csv", test_csv);
  g_test_add_func ("/readers/csv-damage", test_csv_damage);
  g_test_add_func ("/readers/percentiles", test_percentiles);
  g_test_add_func ("/readers/top", test_top);
  return g_test_run ();
}
