/* SPDX-License-Identifier: Apache-2.0 */
/* own-store.c - finds the stored profile that a command asks, or makes one in the temporary
 * folder. */
#include "stored/own-store.h"

#include "stored/only-profile.h"
#include "stored/remove.h"

#include <nprof/store-reader.h>
#include <string.h>

gboolean
np_cli_selects (const NpCliOptions *o)
{
  return o->from || o->to || o->steps || o->tracks || o->names || o->where;
}

gboolean
np_own_store_find (NpOwnStore *store, const NpCliOptions *o)
{
  char path[4096];
  *store = (NpOwnStore){ 0 };
  if (o->config->inputs->len != 1 || o->config->analyzers->len || np_cli_selects (o) || o->decoder
      || o->config->hints)
    return FALSE;
  const char *name = g_ptr_array_index (o->config->inputs, 0);
  if (g_file_test (name, G_FILE_TEST_EXISTS)
      || nprof_store_find (NULL, name, path, sizeof path) != 1)
    return FALSE;
  store->folder = g_path_get_dirname (path);
  store->id = g_path_get_basename (path);
  return TRUE;
}

/* -- A store of its own ------------------------------------------------------------------------ */

static NpSpec *
store_spec (const char *folder)
{
  NpSpec *spec = np_spec_new ("store");
  np_spec_set (spec, "folder", folder);
  np_spec_set (spec, "tell", "no");
  return spec;
}

gboolean
np_own_store_read (NpOwnStore *store, NpCliOptions *o, int *status)
{
  g_autoptr (GError) error = NULL;
  *store = (NpOwnStore){ .own = TRUE, .folder = g_dir_make_tmp ("nprof-store-XXXXXX", &error) };
  if (!store->folder) {
    g_printerr ("nprof: error: %s: set TMPDIR to a folder with room\n", error->message);
    *status = NP_EXIT_ROOM;
    return FALSE;
  }
  g_ptr_array_add (o->config->sinks, store_spec (store->folder));
  *status = np_cli_execute (o);
  store->id = np_only_profile (store->folder);
  return store->id && (*status == NP_EXIT_OK || *status == NP_EXIT_LOSSES);
}

void
np_own_store_clear (NpOwnStore *store)
{
  if (store->own && store->folder)
    np_remove_folder (store->folder);
  g_clear_pointer (&store->folder, g_free);
  g_clear_pointer (&store->id, g_free);
}
