/* SPDX-License-Identifier: Apache-2.0 */
/* answer-folders.c - finds the folders of answers.  A plugin has its own beside its module,
 * NAME.answers beside NAME.so; what is refused, hidden or broken asks nothing. */
#include "run/answer-folders.h"

#include <string.h>

static void
folder_free (gpointer data)
{
  NpAnswerFolder *folder = data;
  g_free (folder->path);
  g_free (folder->prefix);
  g_free (folder);
}

static gboolean
is_there (const GPtrArray *folders, const char *path)
{
  for (guint i = 0; i < folders->len; i++)
    if (!strcmp (((const NpAnswerFolder *) folders->pdata[i])->path, path))
      return TRUE;
  return FALSE;
}

/* Adds a folder; takes both texts. */
static void
add (GPtrArray *folders, char *path, char *prefix)
{
  NpAnswerFolder *folder = g_new0 (NpAnswerFolder, 1);
  *folder = (NpAnswerFolder){ path, prefix };
  if (is_there (folders, path) || !g_file_test (path, G_FILE_TEST_IS_DIR))
    folder_free (folder);
  else
    g_ptr_array_add (folders, folder);
}

static void
add_of_plugin (GPtrArray *folders, const NpRegistryEntry *entry)
{
  if (entry->problem || !g_str_has_suffix (entry->file, ".so"))
    return;
  g_autofree char *stem = g_strndup (entry->file, strlen (entry->file) - strlen (".so"));
  g_autofree char *name = g_path_get_basename (stem);
  add (folders, g_strconcat (stem, ".answers", NULL), g_strconcat (name, ".", NULL));
}

GPtrArray *
np_answer_folders (NpRegistry *registry, const char *data_folder, gboolean team)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (folder_free);
  const GPtrArray *plugins = np_registry_all (registry);
  if (data_folder)
    add (folders, g_build_filename (data_folder, "answers", NULL), g_strdup (""));
  for (guint i = 0; i < plugins->len; i++)
    add_of_plugin (folders, plugins->pdata[i]);
  if (team)
    add (folders, g_build_filename (g_get_user_config_dir (), "nprof", "answers", NULL),
         g_strdup ("team."));
  return folders;
}
