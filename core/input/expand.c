/* SPDX-License-Identifier: Apache-2.0 */
/* expand.c - which files the command line names, and what they are called in outputs;
 * whether a decoder knows a file is decided elsewhere. */

#include "input/input.h"

#include "base/error.h"
#include "base/suggest.h"
#include "system/by-text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nprof/plugin.h>
#include <nprof/store-reader.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH 8
#define MOST_NAMES 10000 /* of a folder, among which one that is like a missing file is found */

static void
input_path_free (gpointer data)
{
  NpInputPath *input = data;
  g_free (input->path);
  g_free (input->label);
  g_free (input->given);
  g_free (input);
}

/* `listed` means that it was found in a folder, so it is skipped when no decoder knows it. */
static void
add_input (GPtrArray *inputs, const char *path, gboolean listed)
{
  NpInputPath *input = g_new0 (NpInputPath, 1);
  input->path = g_strdup (path);
  input->listed = listed;
  g_ptr_array_add (inputs, input);
}

/* Returns the name up to its first dot: endings are alike in files that are not. */
static char *
stem_of (const char *name)
{
  return g_strndup (name, strcspn (name, "."));
}

/* Returns at most `most` visible names of a folder, in byte order; NULL with errno. */
static GPtrArray *
names_in (const char *folder, guint most)
{
  DIR *dir = opendir (folder);
  if (!dir)
    return NULL;
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (struct dirent *e; names->len < most && (errno = 0, e = readdir (dir));)
    if (e->d_name[0] != '.')
      g_ptr_array_add (names, g_strdup (e->d_name));
  const int err = names->len < most ? errno : 0;
  closedir (dir);
  if (err)
    g_clear_pointer (&names, g_ptr_array_unref);
  else
    g_ptr_array_sort (names, np_by_text);
  errno = err;
  return names;
}

/* Returns the path of the file in the same folder whose name is nearest; NULL: none is near. */
static char *
nearest_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *base = g_path_get_basename (path);
  g_autofree char *stem = stem_of (base);
  g_autoptr (GPtrArray) names = names_in (folder, MOST_NAMES);
  g_autoptr (GPtrArray) stems = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; names && i < names->len; i++)
    g_ptr_array_add (stems, stem_of (names->pdata[i]));
  g_ptr_array_add (stems, NULL);
  const char *near = np_suggest (stem, (const char *const *) stems->pdata);
  for (guint i = 0; near && i < names->len; i++)
    if (stems->pdata[i] == near)
      return strchr (path, '/') ? g_build_filename (folder, names->pdata[i], NULL)
                                : g_strdup (names->pdata[i]);
  return NULL;
}

/* Returns what a name that is no file was meant to be; transfer full, NULL: nothing that is known.
 */
static char *
what_was_meant (const char *path)
{
  g_autofree char *near = nearest_file (path);
  if (near)
    return g_strdup_printf ("did you mean %s?", near);
  if (g_str_has_prefix (path, "baseline:"))
    return g_strdup ("baseline:NAME is the BASE of nprof diff BASE NEW, and stands before "
                     "--against; gate takes --baseline NAME; elsewhere name the profile, as nprof "
                     "baseline lists it");
  if (g_str_has_prefix (path, "n_") && !path[2 + strspn (path + 2, "0123456789abcdef")])
    return g_strdup (
        "or a stored profile: expected n_ and 6 to 40 hex digits: nprof profiles lists "
        "them");
  return NULL;
}

static gboolean
unreadable (const char *path, int err, GError **error)
{
  g_autofree char *hint = err == ENOENT ? what_was_meant (path) : NULL;
  return np_error_set (error, np_exit_of (err, NP_EXIT_INPUT), "%s: cannot be read: %s: %s", path,
                       np_error_words (err),
                       hint            ? hint
                       : err == ELOOP  ? "its links lead back to itself: name the file itself"
                       : err != ENOENT ? "check the permissions, or name other files"
                       : strstr (path, "://") ? "files are read: download it, and name the copy"
                       : strpbrk (path, "*?") ? "no file is called so: check the pattern"
                                              : "check the name");
}

/* -- Walking --------------------------------------------------------------- */

typedef struct {
  NpLog *log;
  GPtrArray *files; /* of char * */
  guint passed;     /* links, pipes and devices */
  guint stored;     /* profiles of a store: they were made of files, which may be here as well */
  guint captures;   /* recordings of captures of graphs, or folders of them */
} Walk;

static mode_t
type_of (const char *folder, const char *name)
{
  struct stat st;
  g_autofree char *path = g_build_filename (folder, name, NULL);
  return lstat (path, &st) ? 0 : st.st_mode & S_IFMT;
}

gboolean
np_holds_runs (const char *folder)
{
  return g_str_has_suffix (folder, "/plugins/profile")
         || g_str_has_suffix (folder, "/plugins/neuron");
}

/* Keeps only the last by name of the runs in plugins/profile: a run's folder is named after its
 * date, and TensorBoard shows the last one first. */
static void
keep_last_run (Walk *walk, const char *path, GPtrArray *names)
{
  guint runs = 0;
  g_autofree char *last = NULL;
  for (guint i = names->len; i-- > 0;) {
    if (type_of (path, names->pdata[i]) != S_IFDIR)
      continue;
    if (!runs++)
      last = g_strdup (names->pdata[i]);
    else
      g_ptr_array_remove_index (names, i);
  }
  if (runs > 1)
    np_log (walk->log, NPROF_WARNING,
            "%s: took the last of %u runs, %s: name the folder of another run to read that one",
            path, runs, last);
}

/* Returns whether servers leave recordings of captures of graphs in folders of that name. */
static gboolean
is_of_captures (const char *name)
{
  return !strcmp (name, "capture_traces") || !strcmp (name, "graph_capture_profile");
}

/* Leaves out recordings of captures that lie beside their runs, as a list there says: the decoder
 * reads them with the run.  Where they are all there is, they stay. */
static void
drop_captures (Walk *walk, const char *path, GPtrArray *names)
{
  g_autofree char *details = g_build_filename (path, "execution_details.json", NULL), *text = NULL;
  if (!g_file_get_contents (details, &text, NULL, NULL))
    return;
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *quoted = g_strdup_printf ("\"%s\"", (char *) names->pdata[i]);
    if (!strstr (text, quoted))
      g_ptr_array_add (others, g_strdup (names->pdata[i]));
  }
  if (others->len < 2) /* the list itself is one */
    return;
  walk->captures += names->len - others->len;
  g_ptr_array_set_size (names, 0);
  for (guint i = 0; i < others->len; i++)
    g_ptr_array_add (names, g_strdup (others->pdata[i]));
}

/* Returns whether the folder is that of a stored profile, wherever it lies. */
static gboolean
is_stored (const char *path)
{
  char found[4096];
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole), *name = g_path_get_basename (whole);
  return strlen (name) == strlen ("n_") + 40
         && nprof_store_find (folder, name, found, sizeof found) == 1;
}

/* Tells it from the folder of its name in which the store keeps its tags. */
static gboolean
has_rows (const char *stored)
{
  g_autofree char *meta = g_build_filename (stored, "meta", NULL);
  return g_file_test (meta, G_FILE_TEST_IS_REGULAR);
}

/* `real` is the folder's real path, by which runs are known however the user named it; `left` is
 * how many names may still follow. */
static gboolean
walk_folder (Walk *walk, const char *path, const char *real, guint left, GError **error)
{
  g_autoptr (GPtrArray) names = names_in (path, G_MAXUINT);
  if (!names)
    return unreadable (path, errno, error);
  if (np_holds_runs (real))
    keep_last_run (walk, path, names);
  drop_captures (walk, path, names);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    g_autofree char *child = g_build_filename (path, name, NULL);
    g_autofree char *real_child = g_build_filename (real, name, NULL);
    mode_t type = type_of (path, name);
    if (type == S_IFREG)
      g_ptr_array_add (walk->files, g_steal_pointer (&child));
    else if (type != S_IFDIR)
      walk->passed++;
    else if (is_of_captures (name))
      walk->captures++;
    else if (is_stored (child))
      walk->stored += has_rows (child) ? 1 : 0;
    else if (left == 1)
      np_log (walk->log, NPROF_WARNING,
              "%s: not read, it lies more than %d folders deep: name it to read it", child,
              DEPTH - 1);
    else if (!walk_folder (walk, child, real_child, left - 1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_folder (GPtrArray *inputs, const char *path, NpLog *log, GError **error)
{
  g_autofree char *real = realpath (path, NULL);
  if (!real)
    return unreadable (path, errno, error);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  Walk walk = { .log = log, .files = files };
  if (!walk_folder (&walk, path, real, DEPTH, error))
    return FALSE;
  g_ptr_array_sort (files, np_by_text);
  for (guint i = 0; i < files->len; i++)
    add_input (inputs, files->pdata[i], TRUE);
  if (walk.passed)
    np_log (log, NPROF_INFO, "%s: skipped %u links, pipes or devices: name one to read it", path,
            walk.passed);
  if (walk.stored)
    np_log (log, files->len ? NPROF_INFO : NPROF_WARNING,
            "%s: skipped %u stored profile%s: name one to read it", path, walk.stored,
            walk.stored == 1 ? "" : "s");
  if (walk.captures)
    np_log (log, files->len ? NPROF_INFO : NPROF_WARNING,
            "%s: left out %u recordings of captures of graphs, or folders of them, which are read "
            "with the runs beside them: name one to read it alone",
            path, walk.captures);
  if (!files->len && !walk.stored && !walk.captures)
    np_log (log, NPROF_WARNING, "%s: holds no file (hidden ones and links do not count)", path);
  return TRUE;
}

/* -- Stored profiles ------------------------------------------------------- */

/* Returns whether a file of a store is one: a pipe in its place would keep whoever reads it
 * waiting. */
static gboolean
is_plain (const char *file, GError **error)
{
  int fd = nprof_store_file (AT_FDCWD, file);
  if (fd >= 0)
    return !close (fd);
  int err = errno;
  return np_error_set (
      error, np_exit_of (err, NP_EXIT_INPUT),
      "%s: expected a plain file: %s: read the profile again with nprof view --force", file,
      np_error_words (err));
}

/* Adds the inputs of a stored profile, each of which has a small file of its own. */
static gboolean
add_inputs_of (GPtrArray *inputs, const char *path, GError **error)
{
  char why[700];
  struct nprof_store *store = nprof_store_open (path, why, sizeof why);
  if (!store)
    return np_error_set (error, np_exit_of (errno, NP_EXIT_INPUT), "%s", why);
  const struct nprof_store_input *in;
  size_t len;
  gboolean good = TRUE;
  for (guint i = 0; good && (in = nprof_store_input_at (store, i)); i++) {
    g_autofree char *file = g_strdup_printf ("%s/inputs/%u", path, i);
    good = is_plain (file, error);
    add_input (inputs, file, FALSE);
    NpInputPath *added = g_ptr_array_index (inputs, inputs->len - 1);
    added->given = g_strdup (nprof_store_string (store, in->label, &len));
  }
  if (good && nprof_store_damage (store, why, sizeof why)) {
    np_error_set (error, NP_EXIT_INPUT, "%s", why);
    good = FALSE;
  }
  nprof_store_close (store);
  return good;
}

/* Sets *found when the name is one of a stored profile; only then what it returns counts. */
static gboolean
add_stored (GPtrArray *inputs, const char *name, gboolean *found, GError **error)
{
  char path[4096] = "";
  int n = nprof_store_find (NULL, name, path, sizeof path);
  *found = n != -2;
  if (n == 1)
    return add_inputs_of (inputs, path, error);
  if (n == -1)
    return np_error_set (error, NP_EXIT_INPUT, "%s: could be %s: give more digits", name, path);
  if (*found)
    np_error_set (
        error, NP_EXIT_INPUT,
        "%s: there is no such file, and no stored profile of that name: nprof profiles lists them",
        name);
  return FALSE;
}

static gboolean
add_named (GPtrArray *inputs, const char *path, NpLog *log, GError **error)
{
  struct stat st;
  gboolean stored = FALSE;
  if (stat (path, &st)) {
    int cause = errno;
    gboolean ok = cause == ENOENT && add_stored (inputs, path, &stored, error);
    return stored ? ok : unreadable (path, cause, error);
  }
  if (S_ISDIR (st.st_mode))
    return is_stored (path) ? add_inputs_of (inputs, path, error)
                            : add_folder (inputs, path, log, error);
  if (access (path, R_OK))
    return unreadable (path, errno, error);
  add_input (inputs, path, FALSE);
  return TRUE;
}

GPtrArray *
np_inputs_expand (const char *const *paths, NpLog *log, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (input_path_free);
  gboolean has_stdin = FALSE;
  for (guint i = 0; paths && paths[i]; i++) {
    gboolean is_stdin = !strcmp (paths[i], "-");
    if (!*paths[i]) {
      np_error_set (error, NP_EXIT_USAGE,
                    "\"\": the name of an input is empty: name a file, a folder, - for "
                    "stdin, or a stored profile");
      return NULL;
    }
    if (is_stdin && has_stdin) {
      np_error_set (error, NP_EXIT_USAGE,
                    "-: named twice, but stdin can be read only once: name a file instead");
      return NULL;
    }
    has_stdin |= is_stdin;
    if (is_stdin)
      add_input (inputs, "-", FALSE);
    else if (!add_named (inputs, paths[i], log, error))
      return NULL;
  }
  if (!inputs->len) {
    np_error_set (
        error, NP_EXIT_INPUT,
        "%s: no profile found (0 files looked at): name a file, or a folder with files; logs "
        "of Neuron need aws-neuronx-tools and a framework of release 2.6 or newer",
        paths && paths[0] ? paths[0] : "nprof");
    return NULL;
  }
  np_inputs_label (inputs);
  return g_steal_pointer (&inputs);
}

/* -- Labels ---------------------------------------------------------------- */

/* Returns the length of the longest common folder, with its last '/'.  The paths are absolute. */
static gsize
common_folder (GPtrArray *paths)
{
  const char *first = paths->pdata[0];
  gsize len = (gsize) (strrchr (first, '/') - first) + 1;
  for (guint i = 1; i < paths->len; i++) {
    const char *path = paths->pdata[i];
    gsize same = 0;
    while (same < len && path[same] == first[same])
      same++;
    while (same && first[same - 1] != '/')
      same--;
    len = same;
  }
  return len;
}

/* Returns the last k names of an absolute path, but never all, unless it has only one. */
static const char *
tail_of (const char *path, guint k)
{
  const char *at = path + strlen (path), *next = strchr (path + 1, '/');
  const char *limit = next ? next : path;
  while (k && at > limit) {
    at--;
    if (*at == '/')
      k--;
  }
  return at + 1;
}

static guint
distinct_tails (GPtrArray *paths, guint k)
{
  g_autoptr (GHashTable) tails = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < paths->len; i++)
    g_hash_table_add (tails, (gpointer) tail_of (paths->pdata[i], k));
  return g_hash_table_size (tails);
}

/* Inputs that have only the root in common get as many names from the end as tell most of them
 * apart, because their whole paths are nobody's business. */
static guint
tail_names (GPtrArray *paths)
{
  guint best = 1, most = distinct_tails (paths, 1);
  for (guint k = 2; k <= DEPTH && most < paths->len; k++) {
    guint n = distinct_tails (paths, k);
    if (n > most)
      best = k;
    most = MAX (n, most);
  }
  return best;
}

/* Returns the label of stdin, or of an input of a stored profile. */
static const char *
own_label (const NpInputPath *input)
{
  return input->given ? input->given : strcmp (input->path, "-") ? NULL : "stdin";
}

/* Returns the absolute paths of the inputs that have one, in order. */
static GPtrArray *
absolute_paths (GPtrArray *inputs)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < inputs->len; i++) {
    const NpInputPath *input = inputs->pdata[i];
    if (!own_label (input))
      g_ptr_array_add (paths, g_canonicalize_filename (input->path, NULL));
  }
  return paths;
}

/* Returns whether any of them is deeper than the common folder. */
static gboolean
any_below (GPtrArray *paths, gsize common)
{
  for (guint i = 0; i < paths->len; i++)
    if (strchr ((const char *) paths->pdata[i] + common, '/'))
      return TRUE;
  return FALSE;
}

static void
set_natural (GPtrArray *inputs)
{
  g_autoptr (GPtrArray) paths = absolute_paths (inputs);
  gsize common = paths->len ? common_folder (paths) : 0;
  guint tail = paths->len && common == 1 && any_below (paths, common) ? tail_names (paths) : 0;
  for (guint i = 0, at = 0; i < inputs->len; i++) {
    NpInputPath *input = inputs->pdata[i];
    g_free (input->label);
    if (own_label (input)) {
      input->label = g_strdup (own_label (input));
      continue;
    }
    const char *path = paths->pdata[at++];
    input->label = g_utf8_make_valid (tail ? tail_of (path, tail) : path + common, -1);
  }
}

/* The first of equal labels keeps it; the others get numbers that no label has. */
static void
make_distinct (GPtrArray *inputs)
{
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) next = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < inputs->len; i++) {
    NpInputPath *input = inputs->pdata[i];
    if (!g_hash_table_contains (owners, input->label))
      g_hash_table_insert (owners, g_strdup (input->label), input);
  }
  for (guint i = 0; i < inputs->len; i++) {
    NpInputPath *input = inputs->pdata[i];
    if (g_hash_table_lookup (owners, input->label) == input)
      continue;
    guint n = GPOINTER_TO_UINT (g_hash_table_lookup (next, input->label));
    char *label = NULL;
    for (n = MAX (n, 2); !label || g_hash_table_contains (owners, label); n++) {
      g_free (label);
      label = g_strdup_printf ("%s (%u)", input->label, n);
    }
    g_hash_table_insert (next, g_strdup (input->label), GUINT_TO_POINTER (n));
    g_hash_table_insert (owners, g_strdup (label), input);
    g_free (input->label);
    input->label = label;
  }
}

void
np_inputs_label (GPtrArray *inputs)
{
  set_natural (inputs);
  make_distinct (inputs);
}
