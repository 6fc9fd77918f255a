/* SPDX-License-Identifier: Apache-2.0 */
/* test-chrome-perfetto.c - Perfetto takes all that the sink chrome writes: random rows of all kinds
 * go in, and its answers are compared with sums made here. NPROF_PERFETTO names the folder with
 * trace_processor.wasm (./dev test fetches it); without it, or without node, it is skipped. */
#include "testhost.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <nprof/keys.h>
#include <string.h>

#define N_ROWS 30000

typedef struct {
  guint64 slices, unclosed, nanoseconds, counters;
} Sums;

static gint64
floor_ns (gint64 ps)
{
  return ps / 1000 - (ps % 1000 < 0);
}

static nprof_track
random_track (const struct nprof_host *h, GRand *random)
{
  static const guint kinds[] = { NPROF_TRACK_THREAD, NPROF_TRACK_QUEUE, NPROF_TRACK_ASYNC };
  g_autofree char *device = g_strdup_printf ("device %d", g_rand_int_range (random, 0, 3));
  g_autofree char *name = g_strdup_printf ("track %d", g_rand_int_range (random, 0, 4));
  nprof_track parent = h->track (h, 0, NPROF_TRACK_DEVICE, nprof_intern (h, device), 0, 0);
  return h->track (h, parent, kinds[g_rand_int_range (random, 0, 3)], nprof_intern (h, name), 0, 1);
}

static gint64
random_duration (GRand *random)
{
  switch (g_rand_int_range (random, 0, 20)) {
  case 0:
    return 0;
  case 1:
    return g_rand_int_range (random, 0, 2000); /* within a ns */
  case 2:
    return g_rand_int_range (random, 0, 10) ? 1000000 : -1;
  default:
    return g_rand_int_range (random, 0, 400) * (gint64) g_rand_int_range (random, 1, 1000);
  }
}

static void
add_row (const struct nprof_host *h, GRand *random, gint64 start, Sums *sums)
{
  static const char *const names[]
      = { "dot", "", "\"\\\n\033", "\xf0\x9f\x98\x80", "add.1", "a,b", "x", "y" };
  static const char *const phases[] = { "begin", "step", "end" };
  struct nprof_writer *w = h->writer (h);
  nprof_track track = random_track (h, random);
  nprof_str name = nprof_intern (h, names[g_rand_int_range (random, 0, 8)]);
  gint64 duration = random_duration (random);
  switch (g_rand_int_range (random, 0, 20)) {
  case 0:
    nprof_instant (w, track, name, start);
    sums->slices++;
    return;
  case 1:
    nprof_row (w, NPROF_GAP, track, name, start, 10);
    sums->slices++;
    return;
  case 2:
    nprof_counter (w, track, name, start, g_rand_double (random));
    sums->counters++;
    return;
  case 3:
    nprof_row (w, NPROF_FLOW, track, name, start, 0);
    nprof_set_flow (w, 1 + (guint) g_rand_int_range (random, 0, 300));
    nprof_attr_str (w, nprof_intern (h, NPROF_KEY_FLOW_PHASE),
                    nprof_intern (h, phases[g_rand_int_range (random, 0, 3)]));
    return;
  }
  nprof_span (w, track, name, start, duration);
  if (g_rand_boolean (random))
    nprof_set_category (w, nprof_intern (h, names[g_rand_int_range (random, 0, 8)]));
  nprof_attr_bytes (w, nprof_intern (h, "args"), NPROF_JSON, "{\"e\": \"\\ud83d\\ude00 \\u0000\"}",
                    29);
  nprof_attr_uint (w, nprof_intern (h, "big"), G_MAXUINT64);
  sums->slices++;
  if (duration < 0)
    sums->unclosed++;
  else
    sums->nanoseconds += (guint64) (floor_ns (start + duration) - floor_ns (start));
}

static void
write_trace (const char *path, guint32 seed, Sums *sums)
{
  const struct nprof_component *chrome
      = nprof_test_component (g_getenv ("PLUGIN"), NPROF_SINK, "chrome");
  const NprofTestConfig config = { .label = "random", .target_name = path };
  g_autoptr (NprofTestRun) run = nprof_test_open (chrome, NULL, &config);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  gint64 start = -5000000;
  for (guint k = 0; k < N_ROWS; k++) {
    start += g_rand_int_range (random, 0, 4) ? g_rand_int_range (random, 0, 3000) : 0;
    add_row (nprof_test_host (run), random, start, sums);
  }
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_autoptr (GError) error = NULL;
  g_file_set_contents (path, nprof_test_output (run, NULL),
                       (gssize) nprof_test_output_size (run, NULL), &error);
  g_assert_no_error (error);
}

/* Returns Perfetto's answers, a JSON array of rows a line; NULL: it is not installed. */
static char *
ask (const char *path, const char *query, const char *second)
{
  const char *folder = g_getenv ("NPROF_PERFETTO");
  g_autofree char *wasm = g_build_filename (folder ? folder : "", "trace_processor.wasm", NULL);
  g_autofree char *node = g_find_program_in_path ("node");
  if (!folder || !g_file_test (wasm, G_FILE_TEST_EXISTS)) {
    g_test_skip ("Perfetto's trace_processor is not here (./dev test fetches it)");
    return NULL;
  }
  if (!node) {
    g_test_skip ("needs Node.js 18 or later, found none");
    return NULL;
  }
  const char *argv[]
      = { node, g_getenv ("NPROF_PERFETTO_DRIVER"), folder, path, query, second, NULL };
  char *out = NULL, *err = NULL;
  int status = -1;
  g_autoptr (GError) error = NULL;
  g_spawn_sync (NULL, (char **) argv, NULL, 0, NULL, NULL, &out, &err, &status, &error);
  g_assert_no_error (error);
  if (status)
    g_error ("node %s: %s", argv[1], err);
  g_free (err);
  return out;
}

static void
test_random (gconstpointer seed)
{
  Sums sums = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("nprof-XXXXXX", &error);
  g_assert_no_error (error);
  g_autofree char *path = g_build_filename (folder, "trace.json", NULL);
  write_trace (path, GPOINTER_TO_UINT (seed), &sums);
  g_autofree char *answer
      = ask (path,
             "select name, value from stats where severity in ('error', 'data_loss') and value > 0",
             "select (select count(*) from slice), (select count(*) from slice where dur = -1),"
             " (select sum(dur) from slice where dur > 0), (select count(*) from counter),"
             " (select count(*) > 100 from flow),"
             " (select count(*) from slice s join process_track t on s.track_id = t.id) > 1000");
  g_autofree char *expected
      = g_strdup_printf ("[]\n[[%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT
                         ",%" G_GUINT64_FORMAT ",1,1]]\n",
                         sums.slices, sums.unclosed, sums.nanoseconds, sums.counters);
  if (answer)
    g_assert_cmpstr (answer, ==, expected);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/perfetto/random", GUINT_TO_POINTER (2), test_random);
  return g_test_run ();
}
