/* SPDX-License-Identifier: Apache-2.0 */
/* test-option.c - values at their limits, errors with the way out, declarations that lie. */

#include <json-glib/json-glib.h>
#include <math.h>
#include <nprof/sdk.h>

#include "base/error.h"
#include "plugin/option.h"

typedef struct {
  int64_t level, any;
  double share, real;
  bool excel;
  const char *note;
  int32_t codec;
  uint64_t block;
  double gain;
  int64_t wait;
} Self;

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_SINK,
  .name = "demo",
  .instance_size = sizeof (Self),
  .options
  = NPROF_OPTIONS (NPROF_INT_OPTION (Self, level, "level", "3", "1..64", "how hard"),
                   NPROF_INT_OPTION (Self, any, "any", "-1", NULL, "any number"),
                   NPROF_DOUBLE_OPTION (Self, share, "share", "0.5", "0.0..1", "how much"),
                   NPROF_DOUBLE_OPTION (Self, real, "real", "0", NULL, "any number"),
                   NPROF_BOOL_OPTION (Self, excel, "excel", "no", "for Excel"),
                   NPROF_STRING_OPTION (Self, note, "note", "none, yet", "any text"),
                   NPROF_CHOICE_OPTION (Self, codec, "codec", "zstd", "snappy|zstd|none",
                                        "how to pack"),
                   NPROF_SIZE_OPTION (Self, block, "block", "64k", "4k..", "bytes a block"),
                   NPROF_DOUBLE_OPTION (Self, gain, "gain", "1", "0..", "how much more"),
                   NPROF_DURATION_OPTION (Self, wait, "wait", "1ms", "0ns..2min", "how long")),
};

typedef struct {
  Self self;
  GStringChunk *strings;
  GError *error;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->strings = g_string_chunk_new (64);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  g_string_chunk_free (f->strings);
  g_clear_error (&f->error);
}

static gboolean
apply (Fixture *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpSpec) spec = np_spec_parse (text, &error);
  g_assert_no_error (error);
  g_clear_error (&f->error);
  memset (&f->self, 0, sizeof f->self);
  return np_options_apply (&component, spec, &f->self, f->strings, &f->error);
}

static void
accept (Fixture *f, const char *text)
{
  gboolean ok = apply (f, text);
  g_assert_no_error (f->error);
  g_assert_true (ok);
}

static void
refuse (Fixture *f, const char *text, const char *want)
{
  g_assert_false (apply (f, text));
  g_assert_error (f->error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_cmpstr (f->error->message, ==, want);
}

static void
test_presets (Fixture *f, gconstpointer data)
{
  (void) data;
  g_assert_true (np_options_apply (&component, NULL, &f->self, f->strings, &f->error));
  g_assert_cmpint (f->self.level, ==, 3);
  g_assert_cmpint (f->self.any, ==, -1);
  g_assert_cmpfloat (f->self.share, ==, 0.5);
  g_assert_false (f->self.excel);
  g_assert_cmpstr (f->self.note, ==, "none, yet");
  g_assert_cmpint (f->self.codec, ==, 1);
  g_assert_cmpuint (f->self.block, ==, 65536);
}

static void
test_int (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "demo:level=1");
  accept (f, "demo:level=64");
  g_assert_cmpint (f->self.level, ==, 64);
  accept (f, "demo:any=-9223372036854775808");
  g_assert_cmpint (f->self.any, ==, G_MININT64);
  accept (f, "demo:any=9223372036854775807");
  g_assert_cmpint (f->self.any, ==, G_MAXINT64);
  refuse (f, "demo:any=9223372036854775808",
          "sink demo: option any: \"9223372036854775808\" is not a whole number");
  refuse (f, "demo:level=0", "sink demo: option level: \"0\" is not a whole number in 1..64");
  refuse (f, "demo:level=65", "sink demo: option level: \"65\" is not a whole number in 1..64");
  static const char *const bad[] = { "", " 5", "5 ", "5x", "0x5", "5.0", "five", "+", NULL };
  for (guint i = 0; bad[i]; i++) {
    g_autofree char *text = g_strdup_printf ("demo:level=%s", bad[i]);
    g_assert_false (apply (f, text));
  }
}

static void
test_double (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "demo:share=0");
  accept (f, "demo:share=1.0");
  accept (f, "demo:share=25e-2");
  g_assert_cmpfloat (f->self.share, ==, 0.25);
  refuse (f, "demo:share=1.01", "sink demo: option share: \"1.01\" is not a number in 0.0..1");
  refuse (f, "demo:share=nan", "sink demo: option share: \"nan\" is not a number in 0.0..1");
  g_assert_false (apply (f, "demo:share=0\\,5"));
  g_assert_false (apply (f, "demo:share="));
  g_assert_false (apply (f, "demo:share= 1"));
  accept (f, "demo:gain=1e300");
  refuse (f, "demo:gain=inf", "sink demo: option gain: \"inf\" is not a number in 0..");
  g_assert_false (apply (f, "demo:gain=nan"));
  accept (f, "demo:real=nan");
  g_assert_true (isnan (f->self.real));
  refuse (f, "demo:real=1e999", "sink demo: option real: \"1e999\" is not a number");
  accept (f, "demo:real=1e-310"); /* has fewer digits than others */
  g_assert_cmpfloat (f->self.real, ==, 1e-310);
  g_assert_false (apply (f, "demo:real=1e-999"));
}

static void
test_duration (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "demo:excel");
  g_assert_cmpint (f->self.wait, ==, 1000000000);
  accept (f, "demo:wait=1.5ms");
  g_assert_cmpint (f->self.wait, ==, 1500000000);
  accept (f, "demo:wait=0.001ns");
  g_assert_cmpint (f->self.wait, ==, 1);
  accept (f, "demo:wait=2min");
  g_assert_cmpint (f->self.wait, ==, 120000000000000);
  refuse (f, "demo:wait=121s",
          "sink demo: option wait: \"121s\" is not a duration in 0ns..2min, "
          "written as 20us, 1.5ms or 3s");
  static const char *const bad[]
      = { "", "5", "ms", "-1ms", "-0ms", " 1ms", "1 ms", "1e3ms", "0.0001ns", "1.5h", NULL };
  for (guint i = 0; bad[i]; i++) {
    g_autofree char *text = g_strdup_printf ("demo:wait=%s", bad[i]);
    g_assert_false (apply (f, text));
  }
}

static void
test_size (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "demo:block=4096");
  accept (f, "demo:block=32M");
  g_assert_cmpuint (f->self.block, ==, 32u << 20);
  accept (f, "demo:block=2G");
  g_assert_cmpuint (f->self.block, ==, (guint64) 2 << 30);
  accept (f, "demo:block=18446744073709551615");
  g_assert_cmpuint (f->self.block, ==, G_MAXUINT64);
  refuse (f, "demo:block=4095",
          "sink demo: option block: \"4095\" is not a number of bytes in 4k.., "
          "written as 4096, 64k, 32M or 2G");
  static const char *const bad[] = { "",
                                     "k",
                                     "-1",
                                     "-4096",
                                     "8kB",
                                     "8 k",
                                     "8T",
                                     "1.5M",
                                     "17179869184G",
                                     "17179869185G",
                                     "18446744073709551616",
                                     NULL };
  for (guint i = 0; bad[i]; i++) {
    g_autofree char *text = g_strdup_printf ("demo:block=%s", bad[i]);
    g_assert_false (apply (f, text));
  }
  accept (f, "demo:block=17179869183G");
}

static void
test_bool (Fixture *f, gconstpointer data)
{
  (void) data;
  static const char *const yes[] = { "yes", "true", "1", "YES", NULL };
  for (guint i = 0; yes[i]; i++) {
    g_autofree char *text = g_strdup_printf ("demo:excel=%s", yes[i]);
    accept (f, text);
    g_assert_true (f->self.excel);
  }
  accept (f, "demo:excel");
  g_assert_true (f->self.excel);
  accept (f, "demo:excel=no");
  accept (f, "demo:excel=false");
  accept (f, "demo:excel=0");
  g_assert_false (f->self.excel);
  refuse (f, "demo:excel=maybe", "sink demo: option excel: \"maybe\" is not yes or no");
}

static void
test_choice (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "demo:codec=snappy");
  g_assert_cmpint (f->self.codec, ==, 0);
  accept (f, "demo:codec=none");
  g_assert_cmpint (f->self.codec, ==, 2);
  refuse (f, "demo:codec=zst",
          "sink demo: option codec: \"zst\" is not one of snappy, zstd, none: "
          "did you mean zstd?");
  refuse (f, "demo:codec=snappy|zstd",
          "sink demo: option codec: \"snappy|zstd\" is not one of "
          "snappy, zstd, none");
  refuse (f, "demo:codec=", "sink demo: option codec: \"\" is not one of snappy, zstd, none");
}

static void
test_string (Fixture *f, gconstpointer data)
{
  (void) data;
  accept (f, "demo:note=");
  g_assert_cmpstr (f->self.note, ==, "");
  accept (f, "demo:note=\"x, y\"");
  g_assert_cmpstr (f->self.note, ==, "x, y");
}

static void
test_keys (Fixture *f, gconstpointer data)
{
  (void) data;
  refuse (f, "demo:levl=1",
          "sink demo: no option \"levl\": did you mean level? (nprof plugins "
          "sink/demo lists them)");
  refuse (f, "demo:colour=1",
          "sink demo: no option \"colour\": it has level, any, share, real, excel, note, codec, "
          "block, gain, wait (nprof plugins sink/demo lists them)");
  refuse (f, "demo:note", "sink demo: option note needs a value: demo:note=VALUE");

  struct nprof_component bare = component;
  bare.options = NULL;
  g_autoptr (NpSpec) spec = np_spec_parse ("demo:level=1", NULL);
  g_clear_error (&f->error);
  g_assert_false (np_options_apply (&bare, spec, &f->self, f->strings, &f->error));
  g_assert_cmpstr (f->error->message, ==, "sink demo: no option \"level\": it has no options");
}

static void
test_required_and_unknown_type (Fixture *f, gconstpointer data)
{
  (void) data;
  struct nprof_component c = component;
  c.options = NPROF_OPTIONS (NPROF_OPT (99, 0, "odd", "x", NULL, "from tomorrow"),
                             NPROF_STRING_OPTION (Self, note, "url", NULL, "where to"));
  g_assert_null (np_options_problem (&c));
  g_assert_false (np_options_apply (&c, NULL, &f->self, f->strings, &f->error));
  g_assert_cmpstr (f->error->message, ==,
                   "sink demo: option url is required (where to): write demo:url=VALUE");
  g_clear_error (&f->error);
  g_autoptr (NpSpec) spec = np_spec_parse ("demo:url=u,odd=1", NULL);
  g_assert_false (np_options_apply (&c, spec, &f->self, f->strings, &f->error));
  g_assert_cmpstr (f->error->message, ==,
                   "sink demo: option odd has type 99, which only a newer "
                   "nprof knows: leave it out or update nprof");
  g_clear_error (&f->error);
  g_autoptr (NpSpec) url = np_spec_parse ("demo:url=u", NULL);
  g_assert_true (np_options_apply (&c, url, &f->self, f->strings, &f->error));
  g_assert_cmpint (f->self.level, ==, 0);
}

/* -- Declarations ---------------------------------------------------------- */

static void
check_problem (const struct nprof_option *a, const struct nprof_option *b, const char *want)
{
  const struct nprof_option *const options[] = { a, b, NULL };
  struct nprof_component c = component;
  c.options = options;
  g_autofree char *problem = np_options_problem (&c);
  g_assert_cmpstr (problem, ==, want);
}

static void
test_problems (void)
{
  g_assert_null (np_options_problem (&component));
#define INT(name, preset, range, help)                                                             \
  NPROF_OPT (NPROF_OPT_INT, offsetof (Self, level), name, preset, range, help)
  check_problem (INT ("Level", "1", NULL, "h"), NULL,
                 "option 1: its name is not of a-z, 0-9, _ and -");
  check_problem (INT (NULL, "1", NULL, "h"), NULL,
                 "option 1: its name is not of a-z, 0-9, _ and -");
  check_problem (INT ("a", "1", NULL, NULL), NULL, "option a: it has no help");
  check_problem (INT ("a", "0", "1..9", "h"), NULL,
                 "option a: its preset \"0\" is not a whole number in 1..9");
  check_problem (INT ("a", "1", "9..1", "h"), NULL,
                 "option a: its range \"9..1\" is not LOW..HIGH");
  check_problem (INT ("a", "1", "1-9", "h"), NULL, "option a: its range \"1-9\" is not LOW..HIGH");
  check_problem (INT ("a", "1", NULL, "h"), INT ("a", "1", NULL, "h"),
                 "option a: it is declared twice");
  check_problem (INT ("a", "1", NULL, "h"), INT ("b", "1", NULL, "h"),
                 "option b: it lies in the bytes of option a");
  check_problem (NPROF_OPT (NPROF_OPT_INT, 4, "a", "1", NULL, "h"), NULL,
                 "option a: its offset 4 is no multiple of 8");
  check_problem (NPROF_OPT (NPROF_OPT_BOOL, 0, "a", "no", "x", "h"), NULL,
                 "option a: it has a range, which an option of type bool cannot have");
  check_problem (NPROF_OPT (NPROF_OPT_CHOICE, 0, "a", "x", NULL, "h"), NULL,
                 "option a: it is a choice without a range \"a|b|c\"");
  check_problem (NPROF_OPT (NPROF_OPT_CHOICE, 0, "a", "x", "x|x", "h"), NULL,
                 "option a: its range is not a list \"a|b|c\" of different words");
  check_problem (NPROF_OPT (NPROF_OPT_CHOICE, 0, "a", "z", "x|y", "h"), NULL,
                 "option a: its preset \"z\" is not one of x, y");
  const struct nprof_option small = { .size = 8 };
  check_problem (&small, NULL, "option 1: its size 8 is too small");
}

static void
test_beyond_instance (void)
{
  g_autofree char *want
      = g_strdup_printf ("option a: its 8 bytes at offset %u lie beyond the instance of %u bytes",
                         (guint) sizeof (Self), (guint) sizeof (Self));
  check_problem (NPROF_OPT (NPROF_OPT_INT, sizeof (Self), "a", "1", NULL, "h"), NULL, want);
  g_autofree char *far
      = g_strdup_printf ("option a: its 8 bytes at offset 4294967288 lie beyond the instance of %u "
                         "bytes",
                         (guint) sizeof (Self));
  check_problem (NPROF_OPT (NPROF_OPT_INT, 0xfffffff8u, "a", "1", NULL, "h"), NULL, far);
}

static void
test_json (void)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf };
  np_options_to_json (&json, NULL, &component);
  g_autoptr (GString) text = g_string_new (NULL);
  np_json_move (&buf, text);
  g_autoptr (JsonNode) node = json_from_string (text->str, NULL);
  JsonArray *array = json_node_get_array (node);
  g_assert_cmpuint (json_array_get_length (array), ==, 10);
  JsonObject *first = json_array_get_object_element (array, 0);
  g_assert_cmpstr (json_object_get_string_member_with_default (first, "name", NULL), ==, "level");
  g_assert_cmpstr (json_object_get_string_member_with_default (first, "type", NULL), ==, "int");
  g_assert_cmpstr (json_object_get_string_member_with_default (first, "default", NULL), ==, "3");
  g_assert_cmpstr (json_object_get_string_member_with_default (first, "range", NULL), ==, "1..64");
  g_assert_cmpstr (json_object_get_string_member_with_default (first, "help", NULL), ==,
                   "how hard");
  JsonObject *note = json_array_get_object_element (array, 5);
  g_assert_true (json_object_get_null_member (note, "range"));
  g_assert_cmpstr (np_option_type_name (99), ==, "unknown");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add ("/option/" name, Fixture, NULL, set_up, fn, tear_down)
  ADD ("presets", test_presets);
  ADD ("int", test_int);
  ADD ("double", test_double);
  ADD ("duration", test_duration);
  ADD ("size", test_size);
  ADD ("bool", test_bool);
  ADD ("choice", test_choice);
  ADD ("string", test_string);
  ADD ("keys", test_keys);
  ADD ("required", test_required_and_unknown_type);
  g_test_add_func ("/option/problems", test_problems);
  g_test_add_func ("/option/beyond-instance", test_beyond_instance);
  g_test_add_func ("/option/json", test_json);
  return g_test_run ();
}
