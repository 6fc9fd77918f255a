/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - decides where a sink writes: stdout, a file, or a folder; the files there are
 * transaction.c's. */

#include "output/target.h"

#include "base/error.h"
#include "output/manifest.h"
#include "output/output-path.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct nprof_target *
np_target_info (const NpTarget *target)
{
  return &target->info;
}

const GError *
np_target_error (const NpTarget *target)
{
  pthread_mutex_lock (&target->outputs->lock);
  const GError *error = target->error;
  pthread_mutex_unlock (&target->outputs->lock);
  return error;
}

void
np_target_fail (gpointer user, GError *error)
{
  NpTarget *target = user;
  pthread_mutex_lock (&target->outputs->lock);
  if (!target->error)
    target->error = g_steal_pointer (&error);
  pthread_mutex_unlock (&target->outputs->lock);
  g_clear_error (&error);
}

void
np_target_free (gpointer data)
{
  NpTarget *target = data;
  g_clear_error (&target->error);
  g_free (target->folder);
  g_free (target->name);
  g_free (target);
}

static NpTarget *
target_new (NpOutputs *outputs, guint kind, const char *folder, const char *name)
{
  NpTarget *target = g_new0 (NpTarget, 1);
  target->outputs = outputs;
  target->folder = g_strdup (folder);
  target->name = g_strdup (name);
  target->option = " with -o";
  target->listed = kind == NPROF_TARGET_FOLDER;
  target->info = (struct nprof_target){ .size = sizeof target->info,
                                        .kind = kind,
                                        .name = kind == NPROF_TARGET_FILE ? target->name : NULL };
  return target;
}

static NpTarget *
target_keep (NpTarget *target)
{
  g_ptr_array_add (target->outputs->targets, target);
  return target;
}

static void
look_at_terminal (NpTarget *target, int fd)
{
  struct winsize size = { 0 };
  target->info.is_terminal = isatty (fd) == 1;
  if (target->info.is_terminal && !ioctl (fd, TIOCGWINSZ, &size))
    target->info.columns = size.ws_col;
}

static NpTarget *
usage (GError **error, const char *path, const struct nprof_component *sink, const char *why)
{
  np_error_set (error, NP_EXIT_USAGE, "-o %s: sink %s %s", path, sink->name, why);
  return NULL;
}

static NpTarget *
stdout_target (NpOutputs *outputs, const struct nprof_component *sink, const char *path,
               gboolean alone, GError **error)
{
  if (!(sink->flags & NPROF_SINK_STDOUT))
    return usage (error, path, sink, "cannot write to stdout: name a file or folder instead");
  if (path && !alone)
    return usage (error, path, sink,
                  "is not alone, but stdout takes one sink: name a folder instead");
  NpTarget *target = target_new (outputs, NPROF_TARGET_STDOUT, NULL, NULL);
  look_at_terminal (target, STDOUT_FILENO);
  return target_keep (target);
}

gboolean
np_output_has_folder (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  if (np_descriptor_of (path) >= 0 || g_file_test (folder, G_FILE_TEST_EXISTS))
    return TRUE;
  return np_error_set (error, NP_EXIT_USAGE,
                       "-o %s: there is no folder %s: make it first, or name another place", path,
                       folder);
}

static NpTarget *
file_target (NpOutputs *outputs, const char *path, GError **error)
{
  if (!np_output_has_folder (path, error))
    return NULL;
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  NpTarget *target = target_new (outputs, NPROF_TARGET_FILE, folder, name);
  target->named = TRUE;
  if (np_descriptor_of (path) >= 0)
    look_at_terminal (target, np_descriptor_of (path));
  return target_keep (target);
}

/* A sink that can do both takes a path for a file when it ends like its default_name. */
static gboolean
means_folder (const struct nprof_component *sink, const char *path, gboolean alone)
{
  const char *ending = sink->default_name ? strrchr (sink->default_name, '.') : NULL;
  if (!path || !alone || g_str_has_suffix (path, "/") || g_file_test (path, G_FILE_TEST_IS_DIR))
    return TRUE;
  return sink->flags & NPROF_SINK_FOLDER && np_descriptor_of (path) < 0
         && !(ending && g_str_has_suffix (path, ending));
}

/* Returns whether the path, which would be a folder, is meant for one file as the sink writes them,
 * but compressed: x.csv.gz. */
static gboolean
is_compressed (const struct nprof_component *sink, const char *path)
{
  static const char *const endings[] = { ".gz", ".zst", ".bz2", ".xz", ".zip" };
  const char *own = sink->default_name ? strrchr (sink->default_name, '.') : NULL;
  gboolean folder = path && sink->flags & NPROF_SINK_FOLDER;
  for (guint i = 0; own && folder && i < G_N_ELEMENTS (endings); i++) {
    g_autofree char *both = g_strconcat (own, endings[i], NULL);
    if (g_str_has_suffix (path, both))
      return !g_file_test (path, G_FILE_TEST_IS_DIR);
  }
  return FALSE;
}

static gboolean
has_colors (const struct nprof_component *sink)
{
  for (guint i = 0; sink->options && sink->options[i]; i++)
    if (!strcmp (sink->options[i]->name, "color"))
      return TRUE;
  return FALSE;
}

static NpTarget *
place_of (NpOutputs *outputs, const struct nprof_component *sink, const char *path, gboolean alone,
          GError **error)
{
  guint flags = sink->flags & (NPROF_SINK_FILE | NPROF_SINK_FOLDER | NPROF_SINK_STDOUT);
  if (!flags)
    return target_keep (target_new (outputs, NPROF_TARGET_NONE, NULL, NULL));
  if (path && !*path)
    return usage (error, "\"\"", sink, "needs a path: name a file or folder");
  if (path ? !strcmp (path, "-") : flags == NPROF_SINK_STDOUT)
    return stdout_target (outputs, sink, path, alone, error);
  if (path && flags & NPROF_SINK_STDOUT && np_descriptor_of (path) == STDOUT_FILENO)
    return stdout_target (outputs, sink, path, alone, error);
  if (flags == NPROF_SINK_STDOUT)
    return usage (error, path, sink, "writes only to stdout: give -o - instead");
  if (is_compressed (sink, path))
    return usage (
        error, path, sink,
        "compresses no files: leave out the last ending, or end the name of a folder in /");
  if (!means_folder (sink, path, alone) && flags & NPROF_SINK_FILE)
    return file_target (outputs, path, error);
  if (path && g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_DIR))
    return usage (
        error, path, sink,
        flags & NPROF_SINK_FILE && flags & NPROF_SINK_FOLDER && alone
            ? "needs a folder here, and this is a file: name a folder, or a file by its ending"
            : "needs a folder here, and this is a file: name a folder");
  if (flags & NPROF_SINK_FOLDER)
    return target_keep (
        target_new (outputs, NPROF_TARGET_FOLDER, path ? path : ".", sink->default_name));
  if (np_file_name_problem (sink->default_name)) {
    np_error_set (error, NP_EXIT_PLUGIN, "sink %s: its default_name %s", sink->name,
                  np_file_name_problem (sink->default_name));
    return NULL;
  }
  return target_keep (
      target_new (outputs, NPROF_TARGET_FILE, path ? path : ".", sink->default_name));
}

NpTarget *
np_outputs_target (NpOutputs *outputs, const struct nprof_component *sink, const char *path,
                   gboolean alone, GError **error)
{
  NpTarget *target = place_of (outputs, sink, path, alone, error);
  if (target)
    target->colors = has_colors (sink);
  return target;
}

NpTarget *
np_outputs_folder (NpOutputs *outputs, const char *path, GError **error)
{
  NpTarget *target = NULL;
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_DIR)) {
    np_error_set (error, NP_EXIT_USAGE, "%s: is a file: name a folder", path);
    return NULL;
  }
  pthread_mutex_lock (&outputs->lock);
  for (guint i = 0; i < outputs->targets->len && !target; i++) {
    NpTarget *other = outputs->targets->pdata[i];
    if (!*other->option && !strcmp (other->folder, path))
      target = other;
  }
  if (!target) {
    target = target_keep (target_new (outputs, NPROF_TARGET_FOLDER, path, NULL));
    target->option = "";
  }
  pthread_mutex_unlock (&outputs->lock);
  return target;
}
