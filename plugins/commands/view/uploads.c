/* SPDX-License-Identifier: Apache-2.0 */
/* uploads.c - says whose an upload is: the first half of its id is the number of a server, which
 * holds a lock on STORE/kept/servers/NUMBER as long as it runs. */

#include "uploads.h"
#include "random.h"
#include "upload.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NUMBER_DIGITS (NP_UPLOAD_DIGITS / 2)
#define DAY_S (24 * 60 * 60)

struct NpUploads {
  char *store, *folder, *lock_path;
  char number[NUMBER_DIGITS + 1];
  int lock; /* -1: the store cannot be written */
};

/* A file that another server has just taken for nobody's is gone; then a number is taken anew. */
static void
take_number (NpUploads *u)
{
  g_autofree char *servers = g_build_filename (u->store, "kept", "servers", NULL);
  struct stat st;
  g_mkdir_with_parents (servers, 0700);
  for (guint tries = 0; tries < 10; tries++) {
    np_random_hex (u->number, NUMBER_DIGITS);
    g_free (u->lock_path);
    u->lock_path = g_build_filename (servers, u->number, NULL);
    u->lock = open (u->lock_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (u->lock >= 0 && !flock (u->lock, LOCK_EX) && !fstat (u->lock, &st) && st.st_nlink)
      return;
    if (u->lock >= 0)
      close (u->lock);
    u->lock = -1;
  }
}

/* Returns whether the server with this number is gone, and then forgets it. */
static gboolean
is_gone (const NpUploads *u, const char *number)
{
  g_autofree char *path = g_build_filename (u->store, "kept", "servers", number, NULL);
  int fd = open (path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  gboolean gone = fd < 0 || !flock (fd, LOCK_EX | LOCK_NB);
  if (fd >= 0 && gone)
    unlink (path);
  if (fd >= 0)
    close (fd);
  return gone;
}

/* Calls fn with each file or folder of an upload by the whole path of its folder, and its
 * number. */
static void
each_upload (NpUploads *u, void (*fn) (NpUploads *u, const char *folder, const char *number))
{
  GDir *dir = g_dir_open (u->folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  while (dir && (name = g_dir_read_name (dir)))
    if (strspn (name, "0123456789abcdef") == NP_UPLOAD_DIGITS)
      g_ptr_array_add (names, g_strndup (name, NP_UPLOAD_DIGITS));
  if (dir)
    g_dir_close (dir);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *folder = g_build_filename (u->folder, names->pdata[i], NULL);
    g_autofree char *number = g_strndup (names->pdata[i], NUMBER_DIGITS);
    fn (u, folder, number);
  }
}

static void
remove_left (NpUploads *u, const char *folder, const char *number)
{
  if (strcmp (number, u->number) && is_gone (u, number))
    np_upload_remove (folder);
}

static void
remove_own (NpUploads *u, const char *folder, const char *number)
{
  if (!strcmp (number, u->number))
    np_upload_remove (folder);
}

static void
remove_old (NpUploads *u, const char *folder, const char *number)
{
  struct stat st;
  if (!lstat (folder, &st) && st.st_mtim.tv_sec < time (NULL) - DAY_S)
    remove_own (u, folder, number);
}

NpUploads *
np_uploads_new (const char *store)
{
  NpUploads *u = g_new0 (NpUploads, 1);
  u->store = g_strdup (store);
  u->folder = g_build_filename (store, "uploads", NULL);
  u->lock = -1;
  take_number (u);
  if (u->lock >= 0)
    each_upload (u, remove_left);
  return u;
}

void
np_uploads_free (NpUploads *u)
{
  if (!u)
    return;
  if (u->lock >= 0) {
    each_upload (u, remove_own);
    unlink (u->lock_path);
    close (u->lock);
  }
  g_free (u->lock_path);
  g_free (u->folder);
  g_free (u->store);
  g_free (u);
}

const char *
np_uploads_store (const NpUploads *u)
{
  return u->store;
}

void
np_uploads_id (NpUploads *u, char id[NP_UPLOAD_DIGITS + 1])
{
  each_upload (u, remove_old);
  memcpy (id, u->number, NUMBER_DIGITS);
  np_random_hex (id + NUMBER_DIGITS, NP_UPLOAD_DIGITS - NUMBER_DIGITS);
}
