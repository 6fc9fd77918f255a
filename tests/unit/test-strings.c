/* SPDX-License-Identifier: Apache-2.0 */
/* test-strings.c - interning: equal text, equal handle, whatever the bytes and threads. */

#include "rows/strings.h"

#include <pthread.h>
#include <string.h>

static void
assert_text (NpStrings *strings, nprof_str str, const char *text, gsize len)
{
  size_t got;
  const char *p = np_strings_get (strings, str, &got);
  g_assert_cmpmem (p, got, text, len);
  g_assert_cmpint (p[got], ==, '\0');
}

static void
test_basic (void)
{
  NpStrings *strings = np_strings_new ();
  g_assert_cmpuint (np_strings_intern (strings, "", 0), ==, 0);
  g_assert_cmpuint (np_strings_intern (strings, NULL, 0), ==, 0);
  nprof_str a = np_strings_intern (strings, "abcdefgh", 8);
  nprof_str b = np_strings_intern (strings, "abcdefghi", 9);
  g_assert_cmpuint (a, ==, 1);
  g_assert_cmpuint (b, ==, 2);
  g_assert_cmpuint (np_strings_intern (strings, "abcdefgh?", 8), ==, a);
  g_assert_cmpuint (np_strings_count (strings), ==, 2);
  assert_text (strings, a, "abcdefgh", 8);
  assert_text (strings, b, "abcdefghi", 9);
  np_strings_free (strings);
  np_strings_free (NULL);
}

static void
test_unknown (void)
{
  NpStrings *strings = np_strings_new ();
  np_strings_intern (strings, "a", 1);
  assert_text (strings, 0, "", 0);
  assert_text (strings, 2, "", 0);
  assert_text (strings, G_MAXUINT32, "", 0);
  g_assert_cmpstr (np_strings_get (strings, 1, NULL), ==, "a");
  np_strings_free (strings);
}

static void
test_utf8 (void)
{
  static const struct {
    const char *in;
    gsize in_len;
    const char *out;
    gsize out_len;
  } cases[] = {
    { "gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f", 6 },
    { "\xff", 1, "\xef\xbf\xbd", 3 },
    { "a\xff\xfe"
      "b",
      4,
      "a\xef\xbf\xbd\xef\xbf\xbd"
      "b",
      8 },
    { "\xc3", 1, "\xef\xbf\xbd", 3 },
    { "\xe2\x82"
      "x",
      3,
      "\xef\xbf\xbd\xef\xbf\xbd"
      "x",
      7 },
    { "\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 9 }, /* a surrogate */
    { "\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd", 6 },                 /* an overlong NUL */
    { "a\0b", 3, "a\0b", 3 },
    { "\0", 1, "\0", 1 },
    { "\xc3\xbc\0\xff\0", 5, "\xc3\xbc\0\xef\xbf\xbd\0", 7 },
  };
  NpStrings *strings = np_strings_new ();
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    nprof_str str = np_strings_intern (strings, cases[i].in, cases[i].in_len);
    assert_text (strings, str, cases[i].out, cases[i].out_len);
    g_assert_cmpuint (np_strings_intern (strings, cases[i].out, cases[i].out_len), ==, str);
  }
  np_strings_free (strings);
}

/* Lengths around the steps of the hash, all zero bytes: only the length differs. */
static void
test_lengths (void)
{
  static const char zeros[64];
  NpStrings *strings = np_strings_new ();
  for (guint len = 1; len <= 64; len++)
    g_assert_cmpuint (np_strings_intern (strings, zeros, len), ==, len);
  for (guint len = 1; len <= 64; len++)
    assert_text (strings, len, zeros, len);
  np_strings_free (strings);
}

/* Texts larger than a chunk of text, among small ones. */
static void
test_large (void)
{
  NpStrings *strings = np_strings_new ();
  g_autofree char *text = g_strnfill (1 << 20, 'x');
  nprof_str small = np_strings_intern (strings, "small", 5);
  for (gsize len = 1000; len <= 1 << 20; len = len * 3 / 2) {
    nprof_str str = np_strings_intern (strings, text, len);
    assert_text (strings, str, text, len);
    g_assert_cmpuint (np_strings_intern (strings, text, len), ==, str);
  }
  assert_text (strings, small, "small", 5);
  np_strings_free (strings);
}

static void
test_many (void)
{
  enum { N = 100000 };
  NpStrings *strings = np_strings_new ();
  char text[32];
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < N; i++) {
      gsize len = (gsize) g_snprintf (text, sizeof text, "fusion.%u", i);
      g_assert_cmpuint (np_strings_intern (strings, text, len), ==, i + 1);
    }
  g_assert_cmpuint (np_strings_count (strings), ==, N);
  for (guint i = 0; i < N; i++) {
    gsize len = (gsize) g_snprintf (text, sizeof text, "fusion.%u", i);
    assert_text (strings, i + 1, text, len);
  }
  np_strings_free (strings);
}

/* -- Threads --------------------------------------------------------------- */

enum { THREADS = 4, TEXTS = 5000 };

typedef struct {
  NpStrings *strings;
  guint number;
  nprof_str handles[TEXTS];
} Worker;

/* Each thread goes through the same texts from another place. */
static void *
work (void *user)
{
  Worker *worker = user;
  char text[32];
  for (guint k = 0; k < TEXTS; k++) {
    guint i = (k + worker->number * TEXTS / THREADS) % TEXTS;
    gsize len = (gsize) g_snprintf (text, sizeof text, "text %u", i);
    worker->handles[i] = np_strings_intern (worker->strings, text, len);
    assert_text (worker->strings, worker->handles[i], text, len);
    np_strings_get (worker->strings, np_strings_count (worker->strings) + 1, NULL);
  }
  return NULL;
}

static void
test_threads (void)
{
  g_autofree Worker *workers = g_new0 (Worker, THREADS);
  pthread_t threads[THREADS];
  NpStrings *strings = np_strings_new ();
  for (guint i = 0; i < THREADS; i++) {
    workers[i].strings = strings;
    workers[i].number = i;
    pthread_create (&threads[i], NULL, work, &workers[i]);
  }
  for (guint i = 0; i < THREADS; i++)
    pthread_join (threads[i], NULL);
  for (guint i = 1; i < THREADS; i++)
    g_assert_cmpmem (workers[0].handles, sizeof workers[0].handles, workers[i].handles,
                     sizeof workers[i].handles);
  g_assert_cmpuint (np_strings_count (strings), ==, TEXTS);
  np_strings_free (strings);
}

/* Beyond the limit a text keeps whole characters, says how long it was, and is itself within it. */
static void
test_limit (void)
{
  NpStrings *strings = np_strings_new ();
  np_strings_limit (strings, 1024);
  g_autofree char *fits = g_strnfill (1024, 'a'), *longer = g_strnfill (5000, 'a');
  nprof_str whole = np_strings_intern (strings, fits, 1024);
  assert_text (strings, whole, fits, 1024);
  for (guint shift = 0; shift < 4; shift++) { /* 2 bytes a character, at each offset */
    g_autoptr (GString) text = g_string_new ("xxx");
    g_string_truncate (text, shift);
    while (text->len < 3000)
      g_string_append (text, "é");
    nprof_str str = np_strings_intern (strings, text->str, text->len);
    gsize len;
    const char *got = np_strings_get (strings, str, &len);
    g_assert_cmpuint (len, <=, 1024);
    g_assert_cmpuint (len, >=, 1020);
    g_assert_true (g_utf8_validate (got, (gssize) len, NULL));
    g_autofree char *mark = g_strdup_printf ("é… (cut, %u bytes)", (guint) text->len);
    g_assert_true (g_str_has_suffix (got, mark));
    g_assert_cmpuint (np_strings_intern (strings, got, len), ==, str);
  }
  nprof_str cut = np_strings_intern (strings, longer, 5000);
  g_assert_true (np_strings_tell_cut (strings, cut));
  g_assert_false (np_strings_tell_cut (strings, cut));
  memset (longer, 0xff, 900); /* within the limit, but not with a U+FFFD for each byte */
  gsize len;
  np_strings_get (strings, np_strings_intern (strings, longer, 1000), &len);
  g_assert_cmpuint (len, <=, 1024);
  np_strings_free (strings);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/strings/basic", test_basic);
  g_test_add_func ("/strings/unknown", test_unknown);
  g_test_add_func ("/strings/utf8", test_utf8);
  g_test_add_func ("/strings/lengths", test_lengths);
  g_test_add_func ("/strings/large", test_large);
  g_test_add_func ("/strings/many", test_many);
  g_test_add_func ("/strings/limit", test_limit);
  g_test_add_func ("/strings/threads", test_threads);
  return g_test_run ();
}
