/* SPDX-License-Identifier: Apache-2.0 */
/* sql-store.c - opens the store that is asked: the profile n_... itself, or one in the temporary
 * folder that has no name any more when the first question comes. */
#include "cli/sql.h"

#include <glib/gstdio.h>
#include <string.h>

static void
say (gpointer user, const char *text)
{
  const NpCliOptions *o = user;
  if (o->verbosity >= NPROF_WARNING)
    g_printerr ("nprof: %s\n", text);
}

static gboolean
selects (const NpCliOptions *o)
{
  return o->from || o->to || o->step || o->tracks || o->names || o->where || o->decoder;
}

/* Returns the folder of the one input that is a stored profile; NULL: an input must be read
 * first. */
static char *
stored (const NpCliOptions *o)
{
  char path[4096];
  if (o->config->inputs->len != 1 || o->config->analyzers->len || selects (o))
    return NULL;
  const char *name = g_ptr_array_index (o->config->inputs, 0);
  return !g_file_test (name, G_FILE_TEST_EXISTS)
                 && nprof_store_find (NULL, name, path, sizeof path) == 1
             ? g_strdup (path)
             : NULL;
}

/* -- A store of its own ------------------------------------------------------------------------- */

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      remove_folder (path);
    else
      g_unlink (path);
  }
  g_rmdir (folder);
}

static char *
only_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, "n_") && !g_str_has_suffix (name, ".part"))
      return g_build_filename (folder, name, NULL);
  return NULL;
}

static NpSpec *
store_spec (const char *folder)
{
  NpSpec *spec = np_spec_new ("store");
  np_spec_set (spec, "folder", folder);
  np_spec_set (spec, "tell", "no");
  return spec;
}

static gboolean
is_interrupted (gpointer user)
{
  (void) user;
  return atomic_load (&np_cli_interrupt) != 0;
}

static NpSql *
open_there (NpCliOptions *o, const char *folder, struct nprof_store **store, int *status)
{
  char why[600];
  g_autoptr (GError) error = NULL;
  *store = nprof_store_open (folder, why, sizeof why);
  if (!*store)
    g_set_error_literal (&error, NP_ERROR, NP_EXIT_INPUT, why);
  NpSql *sql = *store ? np_sql_open (*store, is_interrupted, say, o, &error) : NULL;
  if (sql)
    return sql;
  nprof_store_close (g_steal_pointer (store));
  *status = error->code;
  g_printerr ("nprof: error: %s\n", error->message);
  return NULL;
}

NpSql *
np_cli_sql_open (NpCliOptions *o, struct nprof_store **store, int *status)
{
  g_autofree char *known = stored (o);
  g_autoptr (GError) error = NULL;
  *status = NP_EXIT_OK;
  if (known)
    return open_there (o, known, store, status);
  g_autofree char *folder = g_dir_make_tmp ("nprof-sql-XXXXXX", &error);
  if (!folder) {
    g_printerr ("nprof: error: %s: set TMPDIR to a folder with room\n", error->message);
    *status = NP_EXIT_SINK;
    return NULL;
  }
  g_ptr_array_add (o->config->sinks, store_spec (folder));
  *status = np_cli_execute (o);
  g_autofree char *made = only_folder (folder);
  gboolean read = made && (*status == NP_EXIT_OK || *status == NP_EXIT_LOSSES);
  NpSql *sql = read ? open_there (o, made, store, status) : NULL;
  remove_folder (folder);
  return sql;
}
