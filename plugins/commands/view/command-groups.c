/* SPDX-License-Identifier: Apache-2.0 */
/* command-groups.c - groups inputs to profiles: the files of the command line are one; in a folder
 * a run that TensorBoard shows is one, the ranks of one job, a NEFF with its NTFF, and any other
 * file alone. */

#include "command-groups.h"
#include "base/error.h"
#include "input/input.h"
#include "run/run-inputs.h"
#include "system/by-text.h"

#include <nprof/store-reader.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 6 /* of folders in which folders of runs are looked for */

/* Returns a profile that is stored already, by its name. */
static NpIngestProfile *
stored_profile (const NpIngest *ingest, const char *name)
{
  char path[4096];
  if (g_file_test (name, G_FILE_TEST_EXISTS)
      || nprof_store_find (ingest->store, name, path, sizeof path) != 1)
    return NULL;
  NpIngestProfile *profile = g_new0 (NpIngestProfile, 1);
  profile->paths = g_ptr_array_new_with_free_func (g_free);
  profile->here = TRUE;
  g_strlcpy (profile->id, strrchr (path, '/') + 1, sizeof profile->id);
  return profile;
}

/* -- Runs of TensorBoard ----------------------------------------------------------- */

/* Returns the visible folders below `path`, sorted; links are not followed. */
static GPtrArray *
folders_in (const char *path)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *child = g_build_filename (path, name, NULL);
    if (*name != '.' && g_file_test (child, G_FILE_TEST_IS_DIR)
        && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
      g_ptr_array_add (found, g_steal_pointer (&child));
  }
  if (dir)
    g_dir_close (dir);
  g_ptr_array_sort (found, np_by_text);
  return found;
}

/* Finds runs: each folder of a plugins/profile or plugins/neuron is one. */
static void
find_runs (GPtrArray *runs, const char *path, guint depth)
{
  g_autoptr (GPtrArray) folders = folders_in (path);
  gboolean of_runs = np_holds_runs (path);
  for (guint i = 0; i < folders->len; i++)
    if (of_runs)
      g_ptr_array_add (runs, g_strdup (folders->pdata[i]));
    else if (depth)
      find_runs (runs, folders->pdata[i], depth - 1);
}

/* -- Other folders ------------------------------------------------------------------ */

typedef struct {
  char *path, *folder, *stem;
  const char *decoder;
  gint64 rank, ranks; /* of the job; -1: not stated; G_MAXINT32: as many as there are folders */
  gboolean taken;
} File;

static void
file_clear (gpointer data)
{
  File *file = data;
  g_free (file->path);
  g_free (file->folder);
  g_free (file->stem);
}

/* Returns the number behind "key": in text; -1: none. */
static gint64
number_behind (const char *text, gsize len, const char *key)
{
  const char *at = g_strstr_len (text, (gssize) len, key);
  gint64 number = -1;
  if (!at)
    return -1;
  at += strlen (key);
  at += strspn (at, " \t\r\n:");
  g_autofree char *digits = g_strndup (at, strspn (at, "0123456789"));
  return *digits && g_ascii_string_to_signed (digits, 10, 0, G_MAXINT32, &number, NULL) ? number
                                                                                        : -1;
}

/* Reads Kineto's distributedInfo, which stands at the beginning of a trace. */
static void
read_rank (File *file)
{
  g_autofree guint8 *head = g_malloc (NP_INPUT_HEAD + 1);
  gsize len = NP_INPUT_HEAD;
  guint64 size;
  file->rank = file->ranks = -1;
  if (strcmp (file->decoder, "chrome") || !np_input_head (file->path, head, &len, &size, NULL))
    return;
  head[len] = '\0';
  const char *info = g_strstr_len ((const char *) head, (gssize) len, "\"distributedInfo\"");
  const char *end = info ? strchr (info, '}') : NULL;
  if (!end)
    return;
  file->rank = number_behind (info, (gsize) (end - info), "\"rank\"");
  file->ranks = number_behind (info, (gsize) (end - info), "\"world_size\"");
}

/* Returns the number in the name of profiler_info_RANK.json of a folder; -1: there is none. */
static gint64
rank_of_folder (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;
  gint64 rank = -1;
  while (dir && rank < 0 && (name = g_dir_read_name (dir)))
    rank = number_behind (name, strlen (name), "profiler_info_");
  if (dir)
    g_dir_close (dir);
  return rank;
}

/* Ascend's profilers write a folder a rank, JOB/NAME_ascend_pt/ASCEND_PROFILER_OUTPUT: the job is
 * that of the folder around them, and how many ranks it has stands nowhere that is read here. */
static void
read_folder_of_rank (File *file)
{
  g_autofree char *own = g_path_get_basename (file->folder),
                  *run = g_path_get_dirname (file->folder);
  const gint64 rank = g_str_equal (own, "ASCEND_PROFILER_OUTPUT") ? rank_of_folder (run) : -1;
  if (rank < 0)
    return;
  file->rank = rank;
  file->ranks = G_MAXINT32;
  g_free (file->folder);
  file->folder = g_path_get_dirname (run);
}

static void
add_file (GArray *files, const NpRunInput *input)
{
  g_autofree char *name = g_path_get_basename (input->path);
  File file = { .path = g_strdup (input->path),
                .folder = g_path_get_dirname (input->path),
                .stem = g_strndup (name, strcspn (name, ".")),
                .decoder = input->decoder->name };
  for (guint i = 0; i < files->len; i++)
    if (!strcmp (g_array_index (files, File, i).path, file.path)) { /* a file of several profiles */
      file_clear (&file);
      return;
    }
  read_rank (&file);
  read_folder_of_rank (&file);
  g_array_append_val (files, file);
}

/* Returns the files that some decoder reads and that are no part of another; NULL with an error. */
static GArray *
files_of (const NpIngest *ingest, const char *folder, GError **error)
{
  g_autoptr (NpConfig) config = np_config_new ();
  NpLog *log = np_log_new (NPROF_ERROR, STDERR_FILENO);
  NpRun run = { .config = config,
                .registry = np_cli_modules (ingest->options),
                .log = log,
                .interrupt = &np_cli_interrupt };
  GArray *files = g_array_new (FALSE, TRUE, sizeof (File));
  g_array_set_clear_func (files, file_clear);
  g_ptr_array_add (config->inputs, g_strdup (folder));
  config->keep_going = TRUE; /* one that cannot be read is told when it is its turn */
  if (ingest->options->decoder)
    config->decoder = np_spec_parse (ingest->options->decoder, NULL);
  np_cli_hints (ingest->options, config, NULL);
  np_run_init (&run);
  gboolean good = np_run_open_inputs (&run, error);
  for (guint i = 0; good && i < run.inputs->len; i++)
    add_file (files, g_ptr_array_index (run.inputs, i));
  np_run_clear (&run);
  np_log_free (log);
  if (!good)
    g_clear_pointer (&files, g_array_unref);
  return files;
}

static gboolean
is_of (const File *file, const char *decoder)
{
  return !strcmp (file->decoder, decoder);
}

/* Returns the NEFF that an NTFF was recorded of: that of its name, else the only one of its
 * folder. */
static File *
neff_of (GArray *files, const File *ntff)
{
  File *only = NULL;
  guint n = 0;
  for (guint i = 0; i < files->len; i++) {
    File *file = &g_array_index (files, File, i);
    if (!is_of (file, "neff") || strcmp (file->folder, ntff->folder))
      continue;
    if (!strcmp (file->stem, ntff->stem))
      return file;
    only = file;
    n++;
  }
  return n == 1 ? only : NULL;
}

static GPtrArray *
group_new (GPtrArray *groups)
{
  GPtrArray *group = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (groups, group);
  return group;
}

static void
add_to_group (GPtrArray *group, File *file)
{
  file->taken = TRUE;
  g_ptr_array_add (group, g_strdup (file->path));
}

/* Returns whether the file is of a group's job: of as many ranks, and of none that is there. */
static gboolean
same_job (const File *first, const File *file, GHashTable *ranks)
{
  return first->ranks >= 2 && file->ranks == first->ranks && !strcmp (file->folder, first->folder)
         && !g_hash_table_contains (ranks, GINT_TO_POINTER (file->rank));
}

static void
group_file (GPtrArray *groups, GArray *files, guint i)
{
  File *file = &g_array_index (files, File, i);
  GPtrArray *group = file->taken ? NULL : group_new (groups);
  File *neff = group && is_of (file, "ntff") ? neff_of (files, file) : NULL;
  if (!group)
    return;
  if (neff)
    add_to_group (group, neff); /* by this order the profile has its name */
  add_to_group (group, file);
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);
  g_hash_table_add (ranks, GINT_TO_POINTER (file->rank));
  for (guint k = i + 1; k < files->len && file->rank >= 0; k++) {
    File *other = &g_array_index (files, File, k);
    if (other->taken || !same_job (file, other, ranks))
      continue;
    g_hash_table_add (ranks, GINT_TO_POINTER (other->rank));
    add_to_group (group, other);
  }
}

/* Groups NTFFs first, so that a NEFF that belongs to one does not stand alone. */
static gboolean
group_files (const NpIngest *ingest, GPtrArray *groups, const char *folder, GError **error)
{
  g_autoptr (GArray) files = files_of (ingest, folder, error);
  for (guint pass = 0; files && pass < 2; pass++)
    for (guint i = 0; i < files->len; i++)
      if (pass || is_of (&g_array_index (files, File, i), "ntff"))
        group_file (groups, files, i);
  return files != NULL;
}

/* -- Profiles ------------------------------------------------------------------------- */

static gboolean
group_folder (const NpIngest *ingest, GPtrArray *groups, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *whole = g_canonicalize_filename (folder, NULL);
  find_runs (runs, whole, DEPTH);
  for (guint i = 0; i < runs->len; i++)
    g_ptr_array_add (group_new (groups), g_strdup (runs->pdata[i]));
  return runs->len || group_files (ingest, groups, folder, error);
}

static void
profile_free (gpointer profile)
{
  np_ingest_profile_free (profile);
}

/* Plans the profiles of a folder that can be read; sets the error of the first when there is
 * none. */
static GPtrArray *
plan_all (const NpIngest *ingest, GPtrArray *groups, GError **error)
{
  g_autoptr (GPtrArray) profiles = g_ptr_array_new_with_free_func (profile_free);
  g_autoptr (GError) first = NULL;
  for (guint i = 0; i < groups->len; i++) {
    g_autoptr (GError) own = NULL;
    NpIngestProfile *profile = np_ingest_plan (ingest, groups->pdata[i], &own);
    if (profile) {
      g_ptr_array_add (profiles, profile);
      continue;
    }
    if (groups->len > 1)
      g_printerr ("nprof: warning: %s (skipped)\n", own->message);
    if (!first)
      first = g_steal_pointer (&own);
  }
  if (profiles->len || !first)
    return g_steal_pointer (&profiles);
  g_propagate_error (error, g_steal_pointer (&first));
  return NULL;
}

GPtrArray *
np_view_profiles (const NpIngest *ingest, GPtrArray *inputs, gboolean one, GError **error)
{
  g_autoptr (GPtrArray) groups
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  const char *only = inputs->len == 1 ? inputs->pdata[0] : NULL;
  NpIngestProfile *stored = only ? stored_profile (ingest, only) : NULL;
  if (stored) {
    GPtrArray *profiles = g_ptr_array_new_with_free_func (profile_free);
    g_ptr_array_add (profiles, stored);
    return profiles;
  }
  if (!one && only && g_file_test (only, G_FILE_TEST_IS_DIR)) {
    if (!group_folder (ingest, groups, only, error))
      return NULL;
  } else if (inputs->len) {
    g_ptr_array_add (groups, g_ptr_array_ref (inputs));
  }
  return plan_all (ingest, groups, error);
}
