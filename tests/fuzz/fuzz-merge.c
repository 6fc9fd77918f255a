/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-merge.c - any bytes as the saved state of an analyzer: refused, or taken; what was taken is
 * saved as bytes that give themselves again, and its tables break no rule. The first byte says into
 * what it is merged and what becomes of it. Built once an analyzer, with libFuzzer, or with
 * replay.c. */
#include "fuzz-merge.h"

#include "fuzz.h"

#include <glib/gstdio.h>
#include <stdlib.h>

enum { INTO_ANOTHER = 1, TWICE = 2, WRITE = 4 };

static char *folder, *devices, *file;

static void
remove_folder (void)
{
  g_unlink (file);
  g_rmdir (devices);
  g_rmdir (folder);
}

/* With peak rates of no device: those of all take longer to read than a state. */
static const char *
data_folder (void)
{
  if (folder)
    return folder;
  folder = g_dir_make_tmp ("nprof-XXXXXX", NULL);
  devices = g_build_filename (folder, "devices", NULL);
  file = g_build_filename (devices, "none.json", NULL);
  g_mkdir (devices, 0700);
  g_file_set_contents (file, "{\"vendor\": \"none\", \"devices\": []}", -1, NULL);
  atexit (remove_folder);
  return folder;
}

NprofTestRun *
merge_opened (guint variant)
{
  const NprofTestConfig config = { .log_level = -1,
                                   .rows = 64,
                                   .run_bytes = 65536,
                                   .variant = variant,
                                   .data_folder = data_folder () };
  return nprof_test_open (nprof_plugin_v1 ()->components[0], NULL, &config);
}

static void
must_obey (const NprofTestRun *run)
{
  if (run->n_broken)
    g_error ("%s", run->broken[0]);
}

static void
merge (NprofTestRun *run, GBytes *state)
{
  gsize len;
  const void *data = g_bytes_get_data (state, &len);
  nprof_test_merge (run, data, len);
}

/* A state of rows of every sort, made once. */
static GBytes *
another (void)
{
  static GBytes *state;
  if (state)
    return state;
  g_autoptr (NprofTestRun) run = merge_opened (1);
  nprof_test_feed (run);
  return state = nprof_test_save (run);
}

static void
must_give_itself (GBytes *state)
{
  g_autoptr (NprofTestRun) run = merge_opened (1);
  merge (run, state);
  g_autoptr (GBytes) again = nprof_test_save (run);
  must_obey (run);
  if (!again || !g_bytes_equal (again, state))
    g_error ("a saved state, merged and saved again, gives other bytes");
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  g_autoptr (NprofTestRun) run = merge_opened (1);
  g_autoptr (GBytes) state = g_bytes_new (data + 1, size - 1);
  if (data[0] & INTO_ANOTHER)
    merge (run, another ());
  merge (run, state);
  if (data[0] & TWICE && run->status == NPROF_OK)
    merge (run, state);
  if (run->status || data[0] & WRITE) {
    nprof_test_finish (run);
    must_obey (run);
    return 0;
  }
  g_autoptr (GBytes) saved = nprof_test_save (run);
  must_obey (run);
  if (saved)
    must_give_itself (saved);
  return 0;
}
