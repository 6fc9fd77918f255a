/* SPDX-License-Identifier: Apache-2.0 */
/* upload.c - takes files in. A name of a client is never a path: what is behind its last / names
 * the file. */

#include "upload.h"
#include "stored/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define ID_DIGITS NP_UPLOAD_DIGITS
#define NAME_BYTES 200 /* of 255 that file systems take, with room for what is put before it */
#define FILES 64

struct NpUpload {
  char id[ID_DIGITS + 1];
  char *folder, *list, *path;
  int fd;
  guint64 expected, bytes;
};

static gboolean
is_id (const char *text)
{
  return strlen (text) == ID_DIGITS && strspn (text, "0123456789abcdef") == ID_DIGITS;
}

/* Returns where the last NAME_BYTES of a name begin, at a whole character. */
static const char *
tail_of (const char *name)
{
  gsize len = strlen (name);
  const char *tail = name + (len > NAME_BYTES ? len - NAME_BYTES : 0);
  while (tail > name && ((guchar) *tail & 0xc0) == 0x80)
    tail++;
  return tail;
}

/* Returns the name as it was given, but for what names no file, or would part lines of the list:
 * "." and "..", which are folders, and control characters, as %0A. A long one loses its beginning,
 * for the ending tells what it is. */
static char *
file_name (const char *name)
{
  const char *slash = name ? strrchr (name, '/') : NULL;
  const char *last = slash ? slash + 1 : name ? name : "";
  gboolean dots = !strcmp (last, ".") || !strcmp (last, "..");
  GString *own = g_string_new (NULL);
  for (const char *c = tail_of (last); *c; c++)
    if (dots || (guchar) *c < ' ' || *c == 0x7f)
      g_string_append_printf (own, "%%%02X", (guchar) *c);
    else
      g_string_append_c (own, *c);
  if (!own->len)
    g_string_append (own, "upload");
  if (own->len <= NAME_BYTES)
    return g_string_free (own, FALSE);
  g_autofree char *escaped = g_string_free (own, FALSE);
  return g_strdup (tail_of (escaped));
}

/* Returns the names of its files, a line each, in the order in which they came. */
static GStrv
read_names (const NpUpload *u)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents (u->list, &text, NULL, NULL))
    return g_new0 (char *, 1);
  return g_strsplit (g_strchomp (text), "\n", -1);
}

/* Returns a name that no file of it has yet. */
static char *
free_name (char **names, const char *name)
{
  guint n = g_strv_length (names);
  return g_strv_contains ((const char *const *) names, name)
             ? g_strdup_printf ("%u-%s", n + 1, name)
             : g_strdup (name);
}

/* Makes the file, and enters it in the list. */
static void
open_file (NpUpload *u, char **names, const char *name)
{
  g_autofree char *own = free_name (names, name), *line = g_strconcat (own, "\n", NULL);
  gsize len = strlen (line);
  u->path = g_build_filename (u->folder, own, NULL);
  u->fd = open (u->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  int list = u->fd < 0
                 ? -1
                 : open (u->list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (u->fd >= 0 && (list < 0 || write (list, line, len) != (ssize_t) len)) {
    close (u->fd);
    u->fd = -1;
  }
  if (list >= 0)
    close (list);
}

static gboolean
has_room (const char *store, guint64 bytes, guint64 most, NpReply *reply)
{
  struct statvfs fs;
  if (bytes > most)
    return np_reply_fail (
        reply, 413, "start nprof view with a larger --upload-max, or open the file by its path",
        "the file has %" G_GUINT64_FORMAT " bytes: at most %" G_GUINT64_FORMAT " are taken", bytes,
        most);
  if (!statvfs (store, &fs) && (guint64) fs.f_bavail * fs.f_frsize < bytes)
    return np_reply_fail (reply, 507, "delete profiles",
                          "there is no room for the file on the disk of the store");
  return TRUE;
}

NpUpload *
np_upload_new (NpUploads *uploads, const char *with, const char *name, guint64 bytes, guint64 most,
               NpReply *reply)
{
  const char *store = np_uploads_store (uploads);
  if (!has_room (store, bytes, most, reply))
    return NULL;
  if (with && !is_id (with)) {
    np_reply_fail (reply, 400, "", "parameter with: expected the id of an upload");
    return NULL;
  }
  NpUpload *u = g_new0 (NpUpload, 1);
  u->fd = -1;
  u->expected = bytes;
  if (with)
    g_strlcpy (u->id, with, sizeof u->id);
  else
    np_uploads_id (uploads, u->id);
  u->folder = g_build_filename (store, "uploads", u->id, NULL);
  u->list = g_strconcat (u->folder, ".list", NULL);
  g_autofree char *own = file_name (name);
  g_auto (GStrv) names = read_names (u);
  guint n = g_strv_length (names);
  gboolean known = !with || n > 0;
  if (known && n < FILES && !g_mkdir_with_parents (u->folder, 0700))
    open_file (u, names, own);
  if (u->fd >= 0)
    return u;
  if (!known)
    np_reply_fail (reply, 404, "send all files anew", "there is no upload %s", u->id);
  else
    np_reply_fail (reply, 507, "look after the folder of the store", "the file cannot be kept: %s",
                   n < FILES ? g_strerror (errno) : "too many files");
  np_upload_free (u);
  return NULL;
}

gboolean
np_upload_add (NpUpload *u, const void *data, gsize len, NpReply *reply)
{
  const char *at = data;
  if (len > u->expected - u->bytes)
    return np_reply_fail (reply, 413, "", "the body is longer than it said");
  while (len) {
    ssize_t n = write (u->fd, at, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return np_reply_fail (reply, 507, "delete profiles", "the file cannot be kept: %s",
                            g_strerror (errno));
    at += n;
    len -= (gsize) n;
    u->bytes += (guint64) n;
  }
  return TRUE;
}

void
np_upload_free (NpUpload *u)
{
  if (!u)
    return;
  if (u->fd >= 0)
    close (u->fd);
  if (u->fd >= 0 && u->bytes != u->expected)
    np_upload_forget (u);
  g_free (u->folder);
  g_free (u->list);
  g_free (u->path);
  g_free (u);
}

const char *
np_upload_id (const NpUpload *u)
{
  return u->id;
}

guint64
np_upload_bytes (const NpUpload *u)
{
  return u->bytes;
}

char *
np_upload_folder (const NpUpload *u)
{
  return g_strdup (u->folder);
}

void
np_upload_files (const NpUpload *u, GPtrArray *paths)
{
  g_auto (GStrv) names = read_names (u);
  for (char **name = names; *name; name++)
    if (**name)
      g_ptr_array_add (paths, g_build_filename (u->folder, *name, NULL));
}

void
np_upload_forget (NpUpload *u)
{
  np_upload_remove (u->folder);
}

void
np_upload_remove (const char *folder)
{
  g_autofree char *list = g_strconcat (folder, ".list", NULL);
  unlink (list);
  np_remove_folder (folder);
}
