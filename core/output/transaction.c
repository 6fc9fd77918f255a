/* SPDX-License-Identifier: Apache-2.0 */
/* transaction.c - the files of a run as one transaction: which there are, and when they get their
 * names.  Where a sink writes is target.c's, writing output-file.c's, renaming rename-set.c's, what
 * stands in a manifest manifest.c's.
 *
 * A file is written as ".NAME.nprof-XXXXXX" in the folder where it will stand.  Commit
 * closes all, gives all their names, sets aside what an older run left, and then the
 * manifests their names.  What cannot be undone are bytes written in place (stdout, pipes,
 * devices).  A killed run leaves only such hidden names; no other run touches them, since
 * their owner may be at work.  A replaced file's permissions stay; its owner does not. */

#include "output/target.h"

#include "base/error.h"
#include "base/fence.h"
#include "output/folder-lock.h"
#include "output/manifest.h"
#include "output/output-file.h"
#include "output/output-path.h"
#include "output/rename-set.h"
#include "output/run-id.h"
#include "output/stale-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Files of other runs ---------------------------------------------------- */

typedef struct { /* a folder with a manifest, as it was when the first file was opened */
  char *run;     /* what this run is called there; "" when nobody said what it is */
  GPtrArray *older;
} NpOwned;

static void
owned_free (gpointer data)
{
  NpOwned *owned = data;
  g_free (owned->run);
  g_ptr_array_unref (owned->older);
  g_free (owned);
}

static char *
copy_text (gconstpointer text, gpointer user)
{
  (void) user;
  return g_strdup (text);
}

void
np_outputs_set_run (NpOutputs *outputs, const char *options, const GPtrArray *inputs)
{
  g_free (outputs->options);
  g_clear_pointer (&outputs->inputs, g_ptr_array_unref);
  outputs->options = g_strdup (options);
  outputs->inputs = g_ptr_array_copy ((GPtrArray *) inputs, (GCopyFunc) copy_text, NULL);
  g_ptr_array_set_free_func (outputs->inputs, g_free);
}

/* The caller holds the lock. */
static NpOwned *
owned_in (NpOutputs *outputs, const char *folder)
{
  gboolean foreign;
  NpOwned *owned = g_hash_table_lookup (outputs->owned, folder);
  if (owned)
    return owned;
  owned = g_new0 (NpOwned, 1);
  owned->run
      = outputs->options ? np_run_id (folder, outputs->options, outputs->inputs) : g_strdup ("");
  owned->older = np_manifest_read (folder, NULL, &foreign); /* commit says what is wrong with it */
  g_hash_table_insert (outputs->owned, g_strdup (folder), owned);
  return owned;
}

/* Returns whether a run with other inputs or options wrote this file, and whether it still stands
 * there. */
static gboolean
is_of_another (const char *run, const GPtrArray *older, const char *folder, const char *name)
{
  struct stat st;
  g_autofree char *destination = g_build_filename (folder, name, NULL);
  for (guint i = 0; i < older->len; i++) {
    const NpManifestFile *file = older->pdata[i];
    if (!strcmp (file->name, name) && strcmp (file->run, run))
      return lstat (destination, &st) == 0;
  }
  return FALSE;
}

static gboolean
fail_taken (const char *path, GError **error)
{
  return np_error_set (
      error, NP_EXIT_USAGE,
      "%s: a run with other inputs or options wrote this file (the manifest.json of the "
      "folder lists it): name another folder, or remove what stands in this one",
      path);
}

/* This is checked as early as can be, because decoding for a folder that cannot be written is lost
 * time. */
static gboolean
may_write (NpOutputs *outputs, const NpOutputFile *file, const char *name, GError **error)
{
  pthread_mutex_lock (&outputs->lock);
  const NpOwned *owned = owned_in (outputs, file->folder);
  pthread_mutex_unlock (&outputs->lock);
  return !is_of_another (owned->run, owned->older, file->folder, name)
         || fail_taken (file->path, error);
}

/* -- Opening files --------------------------------------------------------- */

static gboolean
claim (NpOutputs *outputs, NpOutputFile *file, GError **error)
{
  pthread_mutex_lock (&outputs->lock);
  const NpOutputFile *other = g_hash_table_lookup (outputs->places, file->destination);
  const gboolean of_inputs = other && other->user == file->user;
  if (!other)
    g_hash_table_insert (outputs->places, file->destination, file);
  pthread_mutex_unlock (&outputs->lock);
  if (of_inputs)
    np_error_set (
        error, NP_EXIT_USAGE,
        "%s: the inputs hold two files of this name: read one of them alone, or each into "
        "a folder of its own",
        file->path);
  else if (other)
    np_error_set (error, NP_EXIT_USAGE,
                  "%s: two outputs want this file: run one sink alone or give each a folder of its "
                  "own",
                  file->path);
  return !other;
}

static void
unclaim (NpOutputs *outputs, const NpOutputFile *file)
{
  pthread_mutex_lock (&outputs->lock);
  g_hash_table_remove (outputs->places, file->destination);
  pthread_mutex_unlock (&outputs->lock);
}

static NpOutputFile *
file_new (NpTarget *target, const char *path)
{
  NpOutputFile *file = np_output_file_new (path, target->option);
  file->interrupt = target->outputs->interrupt;
  file->colors = target->colors;
  file->fail = np_target_fail;
  file->user = target;
  return file;
}

static struct nprof_output *
add_file (NpOutputs *outputs, NpOutputFile *file)
{
  pthread_mutex_lock (&outputs->lock);
  g_ptr_array_add (outputs->files, file);
  pthread_mutex_unlock (&outputs->lock);
  return &file->pub;
}

static int
prepare (NpTarget *target, NpOutputFile *file, const char *name, gboolean named, gboolean *in_place)
{
  pthread_mutex_lock (&target->outputs->lock);
  int err = np_make_folders (target->folder, target->outputs->made);
  file->folder = err ? NULL : realpath (target->folder, NULL);
  if (!err)
    err = file->folder ? np_make_inner (file->folder, name, target->outputs->made) : errno;
  pthread_mutex_unlock (&target->outputs->lock);
  if (err)
    return err;
  return np_find_destination (file->path, file->folder, name, named, &file->destination, in_place);
}

static char *
path_in (const NpTarget *target, const char *name)
{
  return strcmp (target->folder, ".") ? g_build_filename (target->folder, name, NULL)
                                      : g_strdup (name);
}

static struct nprof_output *
open_file (NpTarget *target, const char *name, gboolean named, GError **error)
{
  NpOutputs *outputs = target->outputs;
  gboolean in_place = FALSE;
  g_autofree char *path = path_in (target, name);
  g_autoptr (NpOutputFile) file = file_new (target, path);
  int err = prepare (target, file, name, named, &in_place);
  if (err) {
    g_propagate_error (error, np_output_file_error (file, err));
    return NULL;
  }
  if (!np_read_files_spare (outputs->read, path, error))
    return NULL;
  if (target->listed && !in_place && !may_write (outputs, file, name, error))
    return NULL;
  if (!claim (outputs, file, error))
    return NULL;
  if (!(in_place ? np_output_file_open_in_place (file) : np_output_file_open_temp (file))) {
    g_propagate_error (error, np_output_file_error (file, errno));
    unclaim (outputs, file);
    return NULL;
  }
  file->listed = target->listed && !in_place;
  return add_file (outputs, g_steal_pointer (&file));
}

static struct nprof_output *
open_stdout (NpTarget *target, GError **error)
{
  g_autoptr (NpOutputFile) file = file_new (target, "stdout");
  if (!np_read_files_spare (target->outputs->read, "/dev/stdout", error))
    return NULL;
  file->destination = g_strdup ("-");
  file->is_stdout = TRUE;
  np_output_file_open_in_place (file); /* a closed stdout fails when it is written to */
  return claim (target->outputs, file, error) ? add_file (target->outputs, g_steal_pointer (&file))
                                              : NULL;
}

static const char *
name_problem (const NpTarget *target, const char *name)
{
  if (target->info.kind == NPROF_TARGET_NONE)
    return "is wanted by a sink that declares no file";
  if (target->info.kind == NPROF_TARGET_STDOUT)
    return name ? "is not possible on stdout, which takes one unnamed file" : NULL;
  if (!name && !target->name)
    return "is missing, but files in a folder have names";
  if (!name)
    return target->named ? NULL : np_file_name_problem (target->name);
  if (target->listed && !strcmp (name, NP_MANIFEST))
    return "is nprof's own";
  return target->listed ? np_file_path_problem (name) : np_file_name_problem (name);
}

struct nprof_output *
np_target_open (NpTarget *target, const char *name, GError **error)
{
  const char *problem = name_problem (target, name);
  if (problem) {
    np_error_set (error, NP_EXIT_PLUGIN,
                  "output name \"%s\" %s: a plugin gives one plain file name", name ? name : "",
                  problem);
    return NULL;
  }
  if (target->info.kind == NPROF_TARGET_STDOUT)
    return open_stdout (target, error);
  return open_file (target, name ? name : target->name, !name && target->named, error);
}

/* -- The transaction ------------------------------------------------------- */

static gboolean
close_all (NpOutputs *outputs, GError **error)
{
  for (guint i = 0; i < outputs->files->len; i++) {
    struct nprof_output *out = outputs->files->pdata[i];
    out->close (out); /* a failure is its target's */
  }
  for (guint i = 0; i < outputs->targets->len; i++) {
    const NpTarget *target = outputs->targets->pdata[i];
    if (target->error) {
      g_propagate_error (error, g_error_copy (target->error));
      return FALSE;
    }
  }
  return TRUE;
}

/* Returns whether the manifest of this folder lists the file. */
static gboolean
is_listed (const NpOutputFile *file, const char *folder)
{
  return file->listed && !strcmp (file->folder, folder);
}

/* Removes a file that an older run left and this one did not write, unless somebody changed it. */
static void
plan_removal (NpTarget *target, const char *folder, const NpManifestFile *old, NpRenameSet *renames)
{
  struct stat st;
  NpOutputs *outputs = target->outputs;
  g_autofree char *destination = g_build_filename (folder, old->name, NULL);
  g_autofree char *path = path_in (target, old->name);
  if (g_hash_table_contains (outputs->places, destination) || !strcmp (old->name, NP_MANIFEST)
      || !np_is_inside (folder, old->name) || lstat (destination, &st))
    return;
  if (!np_manifest_unchanged (folder, old)) {
    np_log (outputs->log, NPROF_WARNING,
            "%s: is from an older run, but was changed since: it stays; remove it yourself", path);
    return;
  }
  np_log (outputs->log, NPROF_INFO, "%s: goes, an older run wrote it and this one did not", path);
  np_rename_set_add (renames, path, destination, NULL);
}

static const char *
name_in (const char *folder, const char *destination)
{
  const char *name = destination + strlen (folder);
  return name + (*name == '/');
}

/* Files of other runs stay listed as long as they exist. */
static void
keep_other (const char *run, const char *folder, const NpManifestFile *old, GPtrArray *listed)
{
  struct stat st;
  g_autofree char *destination = g_build_filename (folder, old->name, NULL);
  if (strcmp (old->run, run) && !lstat (destination, &st))
    g_ptr_array_add (listed, np_manifest_file_new (old->run, old->name, old->bytes, old->crc32));
}

/* Another run may have ended since the files were opened. */
static gboolean
all_are_ours (NpOutputs *outputs, const char *run, const char *folder, const GPtrArray *older,
              GError **error)
{
  for (guint i = 0; i < outputs->files->len; i++) {
    const NpOutputFile *file = outputs->files->pdata[i];
    if (is_listed (file, folder)
        && is_of_another (run, older, folder, name_in (folder, file->destination)))
      return fail_taken (file->path, error);
  }
  return TRUE;
}

static char *
manifest_text (NpOutputs *outputs, const char *run, const char *folder, const GPtrArray *older,
               const char *generator)
{
  g_autoptr (GPtrArray) listed = np_manifest_list ();
  for (guint i = 0; i < older->len; i++)
    keep_other (run, folder, older->pdata[i], listed);
  for (guint i = 0; i < outputs->files->len; i++) {
    const NpOutputFile *file = outputs->files->pdata[i];
    if (is_listed (file, folder))
      g_ptr_array_add (listed, np_manifest_file_new (run, name_in (folder, file->destination),
                                                     file->bytes, file->crc32));
  }
  return np_manifest_text (generator, run, listed);
}

static gboolean
plan_folder (NpTarget *target, const char *folder, const char *generator, NpRenameSet *renames,
             GError **error)
{
  NpOutputs *outputs = target->outputs;
  gboolean foreign;
  const char *run = owned_in (outputs, folder)->run; /* nobody else writes any more */
  g_autoptr (GPtrArray) older = np_manifest_read (folder, outputs->log, &foreign);
  if (!all_are_ours (outputs, run, folder, older, error))
    return FALSE;
  for (guint i = 0; i < older->len; i++)
    if (!strcmp (((const NpManifestFile *) older->pdata[i])->run, run))
      plan_removal (target, folder, older->pdata[i], renames);
  if (foreign)
    return TRUE;
  g_autofree char *text = manifest_text (outputs, run, folder, older, generator);
  if (!text)
    return np_error_set (error, NP_EXIT_ROOM, "%s/%s: no memory to write it", folder, NP_MANIFEST);
  struct nprof_output *out = open_file (target, NP_MANIFEST, FALSE, error);
  if (!out)
    return FALSE;
  const NpOutputFile *manifest = (const NpOutputFile *) out;
  out->write (out, text, strlen (text));
  np_rename_set_add (renames, manifest->path, manifest->destination, manifest->temp);
  return close_all (outputs, error);
}

/* Returns the real paths of folders with a manifest, each once; the texts are those of the
 * files. */
static GPtrArray *
listed_folders (const NpOutputs *outputs)
{
  GPtrArray *folders = g_ptr_array_new ();
  for (guint i = 0; i < outputs->files->len; i++) {
    const NpOutputFile *file = outputs->files->pdata[i];
    if (file->listed
        && !g_ptr_array_find_with_equal_func (folders, file->folder, g_str_equal, NULL))
      g_ptr_array_add (folders, file->folder);
  }
  return folders;
}

/* Plans all moves in the order in which they are made; what can fail early fails here. */
static gboolean
plan (NpOutputs *outputs, const char *generator, NpRenameSet *renames, GError **error)
{
  guint n = outputs->files->len;
  g_autoptr (GHashTable) folders = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < n; i++) {
    const NpOutputFile *file = outputs->files->pdata[i];
    if (!np_read_files_spare (outputs->read, file->path, error))
      return FALSE; /* a file beside an input, which was met late */
    if (file->temp)
      np_rename_set_add (renames, file->path, file->destination, file->temp);
  }
  for (guint i = 0; i < n; i++) {
    const NpOutputFile *file = outputs->files->pdata[i];
    if (file->listed && g_hash_table_add (folders, file->folder)
        && !plan_folder (file->user, file->folder, generator, renames, error))
      return FALSE;
  }
  return TRUE;
}

static void
keep_all (NpOutputs *outputs)
{
  for (guint i = 0; i < outputs->files->len; i++) {
    NpOutputFile *file = outputs->files->pdata[i];
    np_fence_drop (&file->fenced);
    g_clear_pointer (&file->temp, g_free);
    np_log (outputs->log, NPROF_INFO, "%s: wrote %" G_GUINT64_FORMAT " bytes", file->path,
            file->bytes);
  }
  g_ptr_array_set_size (outputs->made, 0);
}

gboolean
np_outputs_commit (NpOutputs *outputs, const char *generator, GError **error)
{
  NpRenameSet *renames = np_rename_set_new (outputs->log);
  g_autoptr (GPtrArray) folders = listed_folders (outputs);
  np_fence_settle ();
  GArray *locks = np_lock_folders (folders);
  gboolean ok = close_all (outputs, error) && plan (outputs, generator, renames, error)
                && np_rename_set_do (renames, error);
  if (ok) {
    np_rename_set_settle (renames);
    np_stale_parts_tell (outputs);
    keep_all (outputs);
  } else {
    np_outputs_abort (outputs);
  }
  np_rename_set_free (renames);
  np_unlock_folders (locks);
  return ok;
}

void
np_outputs_abort (NpOutputs *outputs)
{
  for (guint i = 0; i < outputs->files->len; i++)
    np_output_file_discard (outputs->files->pdata[i]);
  for (guint i = outputs->made->len; i-- > 0;)
    rmdir (outputs->made->pdata[i]);
  g_ptr_array_set_size (outputs->made, 0);
}

NpOutputs *
np_outputs_new (NpLog *log, const atomic_int *interrupt, NpReadFiles *read)
{
  NpOutputs *outputs = g_new0 (NpOutputs, 1);
  outputs->log = log;
  outputs->interrupt = interrupt;
  outputs->read = read;
  pthread_mutex_init (&outputs->lock, NULL);
  outputs->targets = g_ptr_array_new_with_free_func (np_target_free);
  outputs->files = g_ptr_array_new_with_free_func ((GDestroyNotify) np_output_file_free);
  outputs->made = g_ptr_array_new_with_free_func (g_free);
  outputs->places = g_hash_table_new (g_str_hash, g_str_equal);
  outputs->owned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, owned_free);
  return outputs;
}

void
np_outputs_free (NpOutputs *outputs)
{
  if (!outputs)
    return;
  np_outputs_abort (outputs);
  g_hash_table_destroy (outputs->places);
  g_hash_table_destroy (outputs->owned);
  g_clear_pointer (&outputs->inputs, g_ptr_array_unref);
  g_free (outputs->options);
  g_ptr_array_unref (outputs->files);
  g_ptr_array_unref (outputs->targets);
  g_ptr_array_unref (outputs->made);
  pthread_mutex_destroy (&outputs->lock);
  g_free (outputs);
}
