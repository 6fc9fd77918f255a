/* test.c - what the decoder `@NAME@` makes of its format, of damage and of too little memory. */

#include <nprof/testhost.h>
#include <string.h>

#define HEAD "#@NAME@\n"
#define GOOD HEAD "0 1.5 cpu load\n2 - cpu run it\n\n-3.25 0 dma copy\n"

static const struct nprof_component *
decoder (void)
{
  return nprof_test_component (g_getenv ("PLUGIN"), NPROF_DECODER, "@NAME@");
}

static NprofTestRun *
decode (const char *options, const char *text)
{
  return nprof_test_decode (decoder (), options, text, strlen (text), NULL);
}

static void
test_rows (void)
{
  g_autoptr (NprofTestRun) run = decode (NULL, GOOD);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpstr (run->rows[0].name, ==, "load");
  g_assert_cmpint (run->rows[0].duration, ==, 1500);
  g_assert_cmpstr (run->rows[1].name, ==, "run it");
  g_assert_cmpint (run->rows[1].duration, ==, -1);
  g_assert_cmpint (run->rows[2].start, ==, -3250);
  g_assert_cmpstr (run->rows[2].path, ==, "dma");
  g_assert_cmpstr (nprof_test_attr (&run->rows[2], "line"), ==, "5");
}

static void
test_unit (void)
{
  g_autoptr (NprofTestRun) run = decode ("unit=ms", HEAD "1 2.5 a b");
  nprof_test_assert_ok (run);
  g_assert_cmpint (run->rows[0].start, ==, 1000000000);
  g_assert_cmpint (run->rows[0].duration, ==, 2500000000);
}

static void
test_damage (void)
{
  static const char *const bad[]
      = { "x",     "1 2 lane", "1 2 lane ", "1 -2 a b", "1.0001 2 a b", "9223372036854775808 1 a b",
          "1  a b" };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *text = g_strconcat (HEAD "1 2 a b\n", bad[i], "\n", NULL);
    g_autoptr (NprofTestRun) run = decode (NULL, text);
    nprof_test_assert_fails (run, NPROF_E_FORMAT, "expected START DURATION LANE NAME");
    NprofTestConfig config = { .keep_going = TRUE };
    g_autoptr (NprofTestRun) kept
        = nprof_test_decode (decoder (), NULL, text, strlen (text), &config);
    nprof_test_assert_ok (kept);
    g_assert_cmpuint (kept->n_damage, ==, 1);
    g_assert_cmpuint (kept->damage[0].at, ==, strlen (HEAD "1 2 a b\n"));
    g_assert_cmpuint (nprof_test_count (kept, NPROF_GAP), ==, 1);
  }
}

static void
test_probe (void)
{
  g_assert_cmpint (nprof_test_probe (decoder (), GOOD, strlen (GOOD), "a"), ==, 90);
  g_assert_cmpint (nprof_test_probe (decoder (), "", 0, "a"), ==, 0);
  g_assert_cmpint (nprof_test_probe (decoder (), "#something else\n", 16, "a"), ==, 0);
  g_autoptr (NprofTestRun) run = decode (NULL, "other");
  nprof_test_assert_fails (run, NPROF_E_FORMAT, "byte 0");
}

/* Every failure of memory and every cancellation, small batches, threads. */
static void
test_torture (void)
{
  nprof_test_torture (decoder (), NULL, GOOD, strlen (GOOD));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/@NAME@/rows", test_rows);
  g_test_add_func ("/@NAME@/unit", test_unit);
  g_test_add_func ("/@NAME@/damage", test_damage);
  g_test_add_func ("/@NAME@/probe", test_probe);
  g_test_add_func ("/@NAME@/torture", test_torture);
  return g_test_run ();
}
