/* SPDX-License-Identifier: Apache-2.0 */
/* test-json-scan.c - the trace-event scanner alone: numbers against exact arithmetic, and every
 * instruction set against a reader that goes byte by byte. */
#include "json/scan.h"

#include <glib.h>
#include <string.h>

static const char *const names[] = { "scalar", "sse2", "avx2", "avx512" };

/* -- Times ------------------------------------------------------------------------------- */

static void
assert_time (const char *text, gint64 us, int ps, int state)
{
  TeTime time = te_time (text, text + strlen (text));
  g_assert_cmpint (time.state, ==, state);
  if (state > TE_ROUNDED)
    return;
  g_assert_cmpint (time.us, ==, us);
  g_assert_cmpint (time.ps, ==, ps);
}

static void
test_times (void)
{
  assert_time ("0", 0, 0, TE_EXACT);
  assert_time ("-0.0", 0, 0, TE_EXACT);
  assert_time ("1712195495406752.797", G_GINT64_CONSTANT (1712195495406752), 797000, TE_EXACT);
  assert_time ("9223372036854775807.999999", G_MAXINT64, 999999, TE_EXACT);
  assert_time ("9223372036854775808", 0, 0, TE_TOO_FAR);
  assert_time ("-9223372036854775808", G_MININT64, 0, TE_EXACT);
  assert_time ("-1e-6", -1, 999999, TE_EXACT);
  assert_time ("0.0000005", 0, 1, TE_ROUNDED);
  assert_time ("0.00000049999999999999999999999999999", 0, 0, TE_ROUNDED);
  assert_time ("1e-400", 0, 0, TE_ROUNDED);
  assert_time ("1e400", 0, 0, TE_TOO_FAR);
  assert_time ("0e999999999999", 0, 0, TE_EXACT);
  assert_time ("1.5E+3", 1500, 0, TE_EXACT);
  assert_time ("000000000000000000000000000001.50000000000000000000000", 1, 500000, TE_EXACT);
  assert_time ("123456789012345678901234567890e-20", G_GINT64_CONSTANT (1234567890), 123457,
               TE_ROUNDED);
  static const char *const none[] = { "",   "-",  ".",     "e3",  "1e",       "1e+",  "0x10",
                                      "1 ", " 1", "1.2.3", "NaN", "Infinity", "null", "--1" };
  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    assert_time (none[i], 0, 0, TE_NOT_A_TIME);
}

static void
test_time_ps (void)
{
  gint64 ps;
  TeTime time = { G_GINT64_CONSTANT (9223372036854), 775807, TE_EXACT };
  g_assert_true (te_time_ps (&time, 0, &ps));
  g_assert_cmpint (ps, ==, G_MAXINT64);
  time.ps++;
  g_assert_false (te_time_ps (&time, 0, &ps));
  time = (TeTime){ G_GINT64_CONSTANT (-9223372036855), 224192, TE_EXACT };
  g_assert_true (te_time_ps (&time, 0, &ps));
  g_assert_cmpint (ps, ==, G_MININT64);
  time.ps--;
  g_assert_false (te_time_ps (&time, 0, &ps));
  time = (TeTime){ G_MININT64, 0, TE_EXACT };
  g_assert_false (te_time_ps (&time, 1, &ps));
}

static void
test_ints (void)
{
  gint64 i;
  static const struct {
    const char *text;
    gboolean good;
    gint64 i;
  } cases[] = {
    { "0", TRUE, 0 },
    { "-1", TRUE, -1 },
    { "9223372036854775807", TRUE, G_MAXINT64 },
    { "-9223372036854775808", TRUE, G_MININT64 },
    { "9223372036854775808", FALSE, 0 },
    { "99999999999999999999", FALSE, 0 },
    { "007", FALSE, 0 },
    { "-0", FALSE, 0 },
    { "+1", FALSE, 0 },
    { "1.0", FALSE, 0 },
    { "", FALSE, 0 },
    { "-", FALSE, 0 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_assert_cmpint (te_int (cases[k].text, cases[k].text + strlen (cases[k].text), &i), ==,
                     cases[k].good);
    if (cases[k].good)
      g_assert_cmpint (i, ==, cases[k].i);
  }
}

static void
test_unescape (void)
{
  static const char *const cases[][2] = {
    { "a\\\"b\\\\c\\/\\n\\t", "a\"b\\c/\n\t" },
    { "\\u0041\\u00e9\\u20ac\\ud83d\\ude00", "Aé€😀" },
    { "\\ud83dx\\ude00", "\xef\xbf\xbdx\xef\xbf\xbd" },
    { "C:\\path\\u12", "C:\\path\\u12" },
    { "end\\", "end\\" },
    { "\\q", "\\q" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char to[64];
    size_t n = te_unescape (to, cases[i][0], strlen (cases[i][0]));
    to[n] = 0;
    g_assert_cmpstr (to, ==, cases[i][1]);
  }
}

/* -- A reader that goes byte by byte ---------------------------------------------------------- */

/* The end of the object at p, or NULL: by brackets, quotes and backslashes only. */
static const char *
plain_value (const char *p, const char *end)
{
  int depth = 0;
  gboolean string = FALSE, closed = FALSE, backslash = FALSE;
  for (; p < end; p++) {
    guchar c = (guchar) *p;
    gboolean escaped = backslash, quote = c == '"' && !escaped;
    backslash = c == '\\' && !escaped;
    if (closed && c > ' ' && !strchr (",:}]", c))
      return NULL;
    closed = string && quote;
    if (string && c < 0x20)
      return NULL;
    if (quote)
      string = !string;
    else if (!string && (c == '{' || c == '['))
      depth++;
    else if (!string && (c == '}' || c == ']') && --depth == 0)
      return p + 1;
  }
  return NULL;
}

static char *
random_text (GRand *rand, gsize len)
{
  static const char bytes[] = "{}[]\"\"\"\\\\,,::  \nabM1\x01";
  char *text = g_malloc (len + 1);
  text[0] = '{';
  for (gsize i = 1; i < len; i++)
    text[i] = bytes[g_rand_int_range (rand, 0, sizeof bytes - 1)];
  if (g_rand_int_range (rand, 0, 3)) { /* mostly well formed within */
    for (gsize i = 1; i < len; i++)
      if (text[i] == 1 || text[i] == '\n')
        text[i] = ' ';
  }
  text[len] = 0;
  return text;
}

static void
test_containers (gconstpointer user)
{
  const TeScanner *scanner = te_scanner_named (user);
  if (!scanner) {
    g_test_skip ("this processor does not have it");
    return;
  }
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_good = 0;
  for (guint i = 0; i < 20000; i++) {
    gsize len = (gsize) g_rand_int_range (rand, 1, 200);
    g_autofree char *text = random_text (rand, len), *exact = g_memdup2 (text, len);
    TeScan s = { .with = scanner, .end = exact + len };
    TeValue value;
    const char *got = scanner->value (&s, exact, &value),
               *expected = plain_value (exact, exact + len);
    g_assert_cmpint (got ? got - exact : -1, ==, expected ? expected - exact : -1);
    g_assert_true (got || (s.bad >= exact && s.bad <= exact + len));
    n_good += got != NULL;
  }
  g_assert_cmpuint (n_good, >, 500);
}

/* -- Events ------------------------------------------------------------------------------------ */

static void
put_event (GString *json, GRand *rand)
{
  static const char *const spaces[]
      = { "", " ", "\n    ",
          "  \t\r\n                                                                    " };
  static const char *const values[] = { "1",
                                        "-17",
                                        "1.5",
                                        "\"x\"",
                                        "\"a\\\"b\\\\\"",
                                        "true",
                                        "{\"a\":[1,\"}\"]}",
                                        "[]",
                                        "1712195495406752.797",
                                        "\"\"",
                                        "12345678901234567890",
                                        "\"X\"",
                                        "\"7\"",
                                        "\"\\\"\"" };
  static const char *const keys[]
      = { "ph",
          "ts",
          "dur",
          "pid",
          "tid",
          "name",
          "cat",
          "args",
          "id",
          "tts",
          "a_key_that_is_longer_than_most_keys_are_in_real_traces_and_still_a_key",
          "bind_id" };
  const char *space = spaces[g_rand_int_range (rand, 0, 4)];
  guint n = (guint) g_rand_int_range (rand, 0, 9), at = (guint) g_rand_int_range (rand, 0, 12);
  g_string_append_c (json, '{');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (json, "%s%s\"%s\":%s%s", i ? "," : "", space, keys[(at + i) % 12],
                            space, values[g_rand_int_range (rand, 0, G_N_ELEMENTS (values))]);
  g_string_append_printf (json, "%s}", space);
}

static char *
event_text (const TeEvent *e)
{
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%d %x %c\n", (int) (e->end - e->at), e->has, e->ph ? e->ph : '-');
  if (te_has (e, TE_TS))
    g_string_append_printf (text, "ts %" G_GINT64_FORMAT " %d %d\n", e->ts.us, e->ts.ps,
                            e->ts.state);
  if (te_has (e, TE_DUR))
    g_string_append_printf (text, "dur %" G_GINT64_FORMAT " %d %d\n", e->dur.us, e->dur.ps,
                            e->dur.state);
  for (guint f = 0; f <= TE_FIELDS; f++)
    if (te_has (e, f) && f != TE_TS && f != TE_DUR)
      g_string_append_printf (text, "%u %d %d %.*s %" G_GINT64_FORMAT "\n", f, e->value[f].kind,
                              e->value[f].escaped, (int) e->value[f].len, e->value[f].p,
                              e->value[f].kind == TE_INT ? e->value[f].i : 0);
  return g_string_free (text, FALSE);
}

/* What was learned of the order of keys changes nothing: an event whose keys and values are
 * recognised is read as one of which nothing is known. */
static void
assert_unlearned (const TeScan *learned, const char *text, const char *behind, const TeEvent *event)
{
  g_autofree TeShapes *none = learned->with->shapes_new ();
  TeScan s = { .with = learned->with, .shapes = none, .end = learned->end };
  TeEvent again;
  g_assert_true (s.with->event (&s, text, &again) == behind);
  if (!behind) {
    g_assert_cmpint (s.bad - text, ==, learned->bad - text);
    g_assert_cmpstr (s.why, ==, learned->why);
    return;
  }
  g_autofree char *a = event_text (event), *b = event_text (&again);
  g_assert_cmpstr (a, ==, b);
}

/* All events of random shapes: each set of instructions gives what the scalar one gives, from
 * memory that ends where the text ends. */
static void
test_events (gconstpointer user)
{
  const TeScanner *scanner = te_scanner_named (user), *scalar = te_scanner_named ("scalar");
  if (!scanner) {
    g_test_skip ("this processor does not have it");
    return;
  }
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autofree TeShapes *shapes = scanner->shapes_new (), *other = scalar->shapes_new ();
  for (guint i = 0; i < 5000; i++) {
    g_autoptr (GString) json = g_string_new (NULL);
    put_event (json, rand);
    gsize len = g_rand_int_range (rand, 0, 8)
                    ? json->len
                    : (gsize) g_rand_int_range (rand, 1, (gint) json->len + 1);
    gsize padding = g_rand_boolean (rand) ? 80 : 0;
    g_autofree char *exact = g_malloc (len + padding);
    memcpy (exact, json->str, len);
    memset (exact + len, ',', padding);
    TeScan a = { .with = scanner, .shapes = shapes, .end = exact + len + padding };
    TeScan b = { .with = scalar, .shapes = other, .end = exact + len + padding };
    TeEvent ea, eb;
    const char *pa = scanner->event (&a, exact, &ea), *pb = scalar->event (&b, exact, &eb);
    g_assert_true (pa == pb);
    assert_unlearned (&a, exact, pa, &ea);
    if (!pa) {
      g_assert_cmpint (a.bad - exact, ==, b.bad - exact);
      g_assert_cmpstr (a.why, ==, b.why);
      g_assert_true (len < json->len);
      continue;
    }
    g_autofree char *ta = event_text (&ea), *tb = event_text (&eb);
    g_assert_cmpstr (ta, ==, tb);
  }
}

/* -- Three bytes ------------------------------------------------------------------------------- */

static const char *
plain_three (const char *p, const char *end, const char *bytes)
{
  for (; end - p >= 3; p++)
    if (!strncmp (p, bytes, 3))
      return p;
  return NULL;
}

static void
test_three (gconstpointer user)
{
  const TeScanner *scanner = te_scanner_named (user);
  if (!scanner) {
    g_test_skip ("this processor does not have it");
    return;
  }
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);
  guint n_found = 0;
  for (guint i = 0; i < 20000; i++) {
    gsize len = (gsize) g_rand_int_range (rand, 0, 300);
    g_autofree char *exact = g_malloc (MAX (len, 1));
    const char *bytes = g_rand_boolean (rand) ? "p_n" : "ppn";
    for (gsize k = 0; k < len; k++)
      exact[k] = "p_n          "[g_rand_int_range (rand, 0, 13)];
    const char *end = exact + len, *expected = plain_three (exact, end, bytes);
    g_assert_true (scanner->three (exact, end, bytes) == expected);
    n_found += expected != NULL;
  }
  g_assert_cmpuint (n_found, >, 500);
}

/* -- The index --------------------------------------------------------------------------------- */

static void
test_index (gconstpointer user)
{
  const TeScanner *scanner = te_scanner_named (user), *scalar = te_scanner_named ("scalar");
  if (!scanner) {
    g_test_skip ("this processor does not have it");
    return;
  }
  g_autoptr (GRand) rand = g_rand_new_with_seed (13);
  for (guint i = 0; i < 3000; i++) {
    gsize len = (gsize) g_rand_int_range (rand, 1, 400);
    g_autofree char *text = random_text (rand, len), *exact = g_malloc (len + 20);
    memcpy (exact, text, len);
    memcpy (exact + len, ",{\"ph\": \"M\"}]      ", 20);
    TeIndex a = { .at = exact, .end = exact + len + 20 }, b = a;
    for (int what = -1; what != TE_INDEX_EOF && what != TE_INDEX_CLOSE;) {
      const char *cut = exact + g_rand_int_range (rand, 0, (gint) len),
                 *pause = exact + g_rand_int_range (rand, 0, (gint) len + 21);
      cut = MAX (cut, a.at + 1);
      pause = MAX (pause, a.at + 1);
      pause = MIN (pause, a.end);
      what = scanner->index (&a, cut, pause);
      g_assert_cmpint (what, ==, scalar->index (&b, cut, pause));
      g_assert_true (a.at == b.at && a.depth == b.depth && a.in_string == b.in_string
                     && a.escaped == b.escaped);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-scan/times", test_times);
  g_test_add_func ("/json-scan/time-ps", test_time_ps);
  g_test_add_func ("/json-scan/ints", test_ints);
  g_test_add_func ("/json-scan/unescape", test_unescape);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *values = g_strdup_printf ("/json-scan/values/%s", names[i]);
    g_autofree char *events = g_strdup_printf ("/json-scan/events/%s", names[i]);
    g_autofree char *index = g_strdup_printf ("/json-scan/index/%s", names[i]);
    g_autofree char *three = g_strdup_printf ("/json-scan/three/%s", names[i]);
    g_test_add_data_func (values, names[i], test_containers);
    g_test_add_data_func (events, names[i], test_events);
    g_test_add_data_func (index, names[i], test_index);
    g_test_add_data_func (three, names[i], test_three);
  }
  return g_test_run ();
}
