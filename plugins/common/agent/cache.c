/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c - the folders of $XDG_CACHE_HOME/nprof/mcp. */
#include "agent/cache.h"

#include "base/install-paths.h"
#include "input/input.h"
#include "stored/only-profile.h"
#include "stored/remove.h"
#include "system/by-text.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define MOST_BYTES (G_GUINT64_CONSTANT (2) << 30)
#define MOST_FILES 4096 /* of a folder */
#define ID_DIGITS 12

/* -- Which files ------------------------------------------------------------------------------- */

GPtrArray *
np_cache_files (const NpRoots *roots, int fd, const char *real, NpCall *call)
{
  struct stat st;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = NULL;
  const char *const paths[] = { real, NULL };
  g_autoptr (GPtrArray) found = NULL;
  if (!fstat (fd, &st) && S_ISREG (st.st_mode)) {
    files = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (files, g_strdup (real));
    return g_steal_pointer (&files);
  }
  NpLog *log = np_log_new (NPROF_ERROR, STDERR_FILENO);
  found = np_inputs_expand (paths, log, &error);
  np_log_free (log);
  if (!found || !found->len || found->len > MOST_FILES) {
    np_call_fail (call, "unreadable", "the folder has no profile, or more than %u files",
                  MOST_FILES);
    return NULL;
  }
  files = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < found->len; i++) {
    char *inside = NULL;
    int file = np_roots_open (roots, ((const NpInputPath *) found->pdata[i])->path, &inside);
    if (file < 0) {
      np_call_fail (call, "outside_roots", "a file of the folder lies outside of the roots");
      return NULL;
    }
    close (file);
    g_ptr_array_add (files, inside);
  }
  return g_steal_pointer (&files);
}

/* -- Their id ---------------------------------------------------------------------------------- */

/* Returns where the digest of a file is noted: by what changes whenever its bytes do. */
static char *
note_of (const char *cache, const struct stat *st)
{
  g_autofree char *text
      = g_strdup_printf ("%ju %ju %jd %jd.%09ld %jd.%09ld", (uintmax_t) st->st_dev,
                         (uintmax_t) st->st_ino, (intmax_t) st->st_size,
                         (intmax_t) st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
                         (intmax_t) st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
  g_autofree char *name = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  return g_build_filename (cache, "files", name, NULL);
}

/* Returns the SHA-256 in hex; NULL with errno, or when the call was cancelled. */
static char *
digest_bytes (int fd, const NpCall *call)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guchar *piece = g_malloc (1 << 20);
  ssize_t n;
  while ((n = read (fd, piece, 1 << 20)) > 0 && !atomic_load (&call->cancelled))
    g_checksum_update (sum, piece, n);
  return n ? NULL : g_strdup (g_checksum_get_string (sum));
}

/* Returns the digest that is noted there; NULL: none is, or one that was cut, as where the machine
 * stopped. */
static char *
noted (const char *note)
{
  g_autofree char *hex = NULL;
  const gsize n = 2 * (gsize) g_checksum_type_get_length (G_CHECKSUM_SHA256);
  return g_file_get_contents (note, &hex, NULL, NULL) && strlen (hex) == n
                 && strspn (hex, "0123456789abcdef") == n
             ? g_steal_pointer (&hex)
             : NULL;
}

/* Returns the SHA-256 of a file within the roots, in hex; NULL: the call has the error. */
static char *
digest (const char *cache, const NpRoots *roots, const char *path, NpCall *call)
{
  struct stat st;
  g_autofree char *real = NULL;
  int fd = np_roots_open (roots, path, &real);
  if (fd < 0 || fstat (fd, &st)) {
    np_call_fail (call, "unreadable", "the file cannot be read any more");
    return NULL;
  }
  g_autofree char *note = note_of (cache, &st);
  char *hex = noted (note);
  if (!hex && (hex = digest_bytes (fd, call))) {
    g_autofree char *folder = g_path_get_dirname (note);
    if (!g_mkdir_with_parents (folder, 0700))
      g_file_set_contents (note, hex, -1, NULL); /* without it the file is read again */
  }
  close (fd);
  if (!hex)
    np_call_fail (call, "unreadable", "the file cannot be read");
  return hex;
}

char *
np_cache_id (const char *cache, const NpRoots *roots, const GPtrArray *paths, NpCall *call)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < paths->len; i++) {
    char *hex = digest (cache, roots, paths->pdata[i], call);
    if (!hex)
      return NULL;
    g_ptr_array_add (all, hex);
  }
  if (all->len == 1)
    return g_strdup_printf ("n_%.*s", ID_DIGITS, (const char *) all->pdata[0]);
  g_ptr_array_sort (all, np_by_text);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < all->len; i++)
    g_checksum_update (sum, all->pdata[i], -1);
  return g_strdup_printf ("n_%.*s", ID_DIGITS, g_checksum_get_string (sum));
}

/* -- Its folder -------------------------------------------------------------------------------- */

static void
put_age (GString *text, const char *path)
{
  struct stat st;
  if (!stat (path, &st))
    g_string_append_printf (text, " %jd.%09ld", (intmax_t) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* Returns which nprof, with which plugins, makes tables now. */
static char *
maker (void)
{
  g_autofree char *plugins = np_installed_plugins ();
  GString *text = g_string_new (NPROF_VERSION);
  put_age (text, "/proc/self/exe");
  put_age (text, plugins);
  return g_string_free (text, FALSE);
}

/* Returns whether this nprof made what lies in the folder; another may judge by other rules. */
static gboolean
is_ours (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "maker", NULL), *now = maker (), *then = NULL;
  return g_file_get_contents (path, &then, NULL, NULL) && !strcmp (then, now);
}

char *
np_cache_make (const char *cache, const char *id, const char *real, NpCall *call)
{
  g_autofree char *folder = g_build_filename (cache, id, NULL),
                  *path = g_build_filename (folder, "path", NULL),
                  *by = g_build_filename (folder, "maker", NULL), *now = maker ();
  g_autofree char *others = is_ours (folder) ? NULL : np_only_profile (folder);
  if (others)
    np_remove_folder (folder);
  if (g_mkdir_with_parents (folder, 0700) || !g_file_set_contents (path, real, -1, NULL)
      || !g_file_set_contents (by, now, -1, NULL)) {
    np_call_fail (call, "internal",
                  "nothing can be written to the cache: free some space, or set "
                  "XDG_CACHE_HOME");
    return NULL;
  }
  return g_steal_pointer (&folder);
}

char *
np_cache_store (const char *cache, const char *id)
{
  g_autofree char *folder = g_build_filename (cache, id, NULL);
  g_autofree char *name = is_ours (folder) ? np_only_profile (folder) : NULL;
  return name ? g_build_filename (folder, name, NULL) : NULL;
}

char *
np_cache_path (const char *cache, const char *id)
{
  char *text = NULL;
  g_autofree char *path = g_build_filename (cache, id, "path", NULL);
  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

void
np_cache_touch (const char *cache, const char *id)
{
  g_autofree char *folder = g_build_filename (cache, id, NULL);
  utime (folder, NULL);
}

/* -- Its size ---------------------------------------------------------------------------------- */

typedef struct {
  char *path;
  gint64 used;
  guint64 bytes;
} Kept;

static void
kept_clear (gpointer data)
{
  g_free (((Kept *) data)->path);
}

/* Adds up what lies in a folder. */
static guint64
bytes_of (const char *folder)
{
  struct stat st;
  guint64 bytes = 0;
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  while (dir && (name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    if (lstat (path, &st))
      continue;
    bytes += S_ISDIR (st.st_mode) ? bytes_of (path) : (guint64) st.st_size;
  }
  return bytes;
}

static int
by_use (gconstpointer a, gconstpointer b)
{
  const Kept *x = a, *y = b;
  return (x->used > y->used) - (x->used < y->used);
}

void
np_cache_trim (const char *cache, const char *id)
{
  guint64 bytes = 0;
  const char *name;
  struct stat st;
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Kept));
  g_autoptr (GDir) dir = g_dir_open (cache, 0, NULL);
  g_array_set_clear_func (all, kept_clear);
  while (dir && (name = g_dir_read_name (dir))) {
    Kept kept = { g_build_filename (cache, name, NULL), 0, 0 };
    kept.bytes = bytes_of (kept.path);
    kept.used = lstat (kept.path, &st) ? 0 : st.st_mtime;
    bytes += kept.bytes;
    if (!strcmp (name, id) || !g_str_has_prefix (name, "n_"))
      kept_clear (&kept);
    else
      g_array_append_val (all, kept);
  }
  g_array_sort (all, by_use);
  for (guint i = 0; i < all->len && bytes > MOST_BYTES; i++) {
    const Kept *kept = &g_array_index (all, Kept, i);
    np_remove_folder (kept->path);
    bytes -= MIN (bytes, kept->bytes);
  }
}
