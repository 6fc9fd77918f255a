/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-documents.c - the small files that the core reads, as any bytes: configurations and
 * pipelines, NAME.plugin, manifest.json. The first byte says which. Built with libFuzzer, or with
 * replay.c. */
#include "cli/config-file.h"
#include "output/manifest.h"
#include "plugin/plugin-index.h"
#include "run/config.h"

#include <errno.h>
#include <fcntl.h>
#include <nprof/plugin.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* One file for all, which the process leaves nothing of. */
static char folder[] = "/tmp/nprof-fuzz-XXXXXX";
static char *path;
static int document = -1, nothing = -1;

static void
clean_up (void)
{
  unlink (path);
  rmdir (folder);
  g_free (path);
}

static void
set_up (void)
{
  /* json-glib tells of its misuse in no other way */
  g_log_set_always_fatal (G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  if (!mkdtemp (folder))
    g_error ("%s: %s", folder, g_strerror (errno));
  path = g_build_filename (folder, NP_MANIFEST, NULL);
  document = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  nothing = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (document, >=, 0);
  atexit (clean_up);
}

/* A file that is cut to nothing first would be written to the disk at each close. */
static void
write_document (const uint8_t *data, size_t size)
{
  if (pwrite (document, data, size, 0) != (gssize) size || ftruncate (document, (off_t) size))
    g_error ("%s: %s", path, g_strerror (errno));
}

/* The file is read, or refused by an error that names it. */
static gboolean
accepted (gboolean ok, GError *const *error)
{
  g_assert_true (ok == !*error);
  if (*error) {
    g_assert_error (*error, NP_ERROR, NP_EXIT_USAGE);
    g_assert_true (g_str_has_prefix ((*error)->message, path));
  }
  return ok;
}

static void
check_specs (const GPtrArray *specs)
{
  for (guint k = 0; k < specs->len; k++) {
    const NpSpec *spec = specs->pdata[k];
    g_assert_true (*spec->name);
    g_assert_cmpuint (spec->keys->len, ==, spec->values->len);
  }
}

/* Values that are set stay, so the second time the file adds nothing. */
static void
try_config (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NpConfig) config = np_config_new ();
  if (!accepted (np_config_load (config, path, &error), &error))
    return;
  guint n = config->inputs->len + config->analyzers->len + config->sinks->len, jobs = config->jobs;
  check_specs (config->analyzers);
  check_specs (config->sinks);
  g_assert_cmpuint (jobs, <=, 1024);
  g_assert_true (np_config_load (config, path, NULL));
  g_assert_cmpuint (config->inputs->len + config->analyzers->len + config->sinks->len, ==, n);
  g_assert_cmpuint (config->jobs, ==, jobs);
}

static void
try_index (void)
{
  g_autofree char *problem = NULL;
  GPtrArray *entries = np_plugin_index_read (path, &problem);
  g_assert_true (!entries == !!problem);
  if (!entries) {
    g_assert_true (g_str_has_prefix (problem, path));
    return;
  }
  for (guint k = 0; k < entries->len; k++) {
    const NpPluginEntry *entry = entries->pdata[k];
    g_assert_true (entry->name && entry->kind_name);
    for (char **magic = entry->magic; magic && *magic; magic++)
      g_assert_cmpuint (strlen (*magic), >=, 2);
  }
  g_ptr_array_unref (entries);
}

/* No name leads out of the folder, and what was read can be written and read again. */
static void
try_manifest (void)
{
  NpLog *log = np_log_new (NPROF_WARNING, nothing);
  gboolean foreign;
  g_autoptr (GPtrArray) files = np_manifest_read (folder, log, &foreign);
  for (guint k = 0; k < files->len; k++)
    g_assert_null (np_file_path_problem (((NpManifestFile *) files->pdata[k])->name));
  g_autofree char *text = np_manifest_text ("nprof", "", files);
  write_document ((const uint8_t *) text, strlen (text));
  g_autoptr (GPtrArray) again = np_manifest_read (folder, log, &foreign);
  g_assert_false (foreign);
  g_assert_cmpuint (again->len, ==, files->len);
  for (guint k = 0; k < files->len; k++) {
    const NpManifestFile *a = files->pdata[k], *b = again->pdata[k];
    g_assert_cmpstr (a->name, ==, b->name);
    g_assert_true (a->bytes == b->bytes && a->crc32 == b->crc32);
  }
  np_log_free (log);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static void (*const tries[]) (void) = { try_config, try_index, try_manifest };
  if (size == 0)
    return 0;
  if (document < 0)
    set_up ();
  write_document (data + 1, size - 1);
  tries[data[0] % G_N_ELEMENTS (tries)]();
  return 0;
}
