/* SPDX-License-Identifier: Apache-2.0 */
/* read-files.c - remembers which files are read; a file is its device and inode. */

#include "output/read-files.h"

#include "base/error.h"
#include "output/output-path.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  guint64 device, inode;
} Identity;

struct NpReadFiles {
  pthread_mutex_t lock;
  GHashTable *files; /* Identity -> char *, the path that is read */
};

static guint
hash (gconstpointer key)
{
  const Identity *identity = key;
  return (guint) (identity->inode ^ identity->inode >> 32 ^ identity->device);
}

static gboolean
equal (gconstpointer a, gconstpointer b)
{
  const Identity *one = a, *other = b;
  return one->inode == other->inode && one->device == other->device;
}

NpReadFiles *
np_read_files_new (void)
{
  NpReadFiles *files = g_new0 (NpReadFiles, 1);
  pthread_mutex_init (&files->lock, NULL);
  files->files = g_hash_table_new_full (hash, equal, g_free, g_free);
  return files;
}

void
np_read_files_free (NpReadFiles *files)
{
  if (!files)
    return;
  g_hash_table_destroy (files->files);
  pthread_mutex_destroy (&files->lock);
  g_free (files);
}

/* FALSE: there is no file, or it is one that writing changes nothing of, as a device. */
static gboolean
identify (const char *path, int fd, Identity *identity)
{
  struct stat st;
  if ((fd >= 0 ? fstat (fd, &st) : stat (path, &st)) || !S_ISREG (st.st_mode))
    return FALSE;
  *identity = (Identity){ (guint64) st.st_dev, (guint64) st.st_ino };
  return TRUE;
}

void
np_read_files_add (NpReadFiles *files, const char *path)
{
  Identity identity;
  int fd = strcmp (path, "-") ? np_descriptor_of (path) : STDIN_FILENO;
  if (!files || !identify (path, fd, &identity))
    return;
  pthread_mutex_lock (&files->lock);
  if (!g_hash_table_contains (files->files, &identity))
    g_hash_table_insert (files->files, g_memdup2 (&identity, sizeof identity), g_strdup (path));
  pthread_mutex_unlock (&files->lock);
}

gboolean
np_read_files_spare (NpReadFiles *files, const char *path, GError **error)
{
  Identity identity;
  if (!files || !identify (path, np_descriptor_of (path), &identity))
    return TRUE;
  pthread_mutex_lock (&files->lock);
  const char *read = g_hash_table_lookup (files->files, &identity);
  if (read)
    np_error_set (error, NP_EXIT_USAGE,
                  "%s: this is the input %s, which the output would replace: name another file",
                  path, read);
  pthread_mutex_unlock (&files->lock);
  return !read;
}
