/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - the life of a store that is written: its folder, its files, and the one step that
 * makes it visible. */
#include "parts.h"
#include "system/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const file_names[] = NPROF_STORE_FILE_NAMES;

/* -- Folders ---------------------------------------------------------------------- */

/* Removes the contents of a folder, one level of folders deep; follows no link. */
static void
empty_folder (int folder, int depth)
{
  int copy = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = copy >= 0 ? fdopendir (copy) : NULL;
  if (!dir) {
    if (copy >= 0)
      close (copy);
    return;
  }
  for (struct dirent *entry; (entry = readdir (dir));) {
    if (!strcmp (entry->d_name, ".") || !strcmp (entry->d_name, ".."))
      continue;
    if (!unlinkat (folder, entry->d_name, 0))
      continue;
    int sub = depth
                  ? openat (folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                  : -1;
    if (sub >= 0) {
      empty_folder (sub, depth - 1);
      close (sub);
    }
    unlinkat (folder, entry->d_name, AT_REMOVEDIR);
  }
  closedir (dir);
}

static void
remove_folder (int root, const char *name)
{
  int folder = openat (root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  empty_folder (folder, 1);
  close (folder);
  unlinkat (root, name, AT_REMOVEDIR);
}

static bool
make_folders (const char *path)
{
  char *copy = strdup (path);
  bool made = copy != NULL;
  int error = ENOMEM;
  for (char *p = copy ? copy + 1 : NULL; made && p; p = *p ? p + 1 : NULL)
    if (*p == '/' || !*p) {
      char end = *p;
      *p = 0;
      /* A folder above may be there and closed to us; only a missing one matters. */
      made = !mkdir (copy, 0700) || (error = errno) == EEXIST || !access (copy, X_OK);
      *p = end;
    }
  free (copy);
  errno = error;
  return made;
}

/* Locks the folder; a program that only looks whether it is locked holds it for a moment. */
static bool
lock_folder (int folder)
{
  const struct timespec moment = { .tv_nsec = 2000000 };
  for (int tries = 0; tries < 20; tries++) {
    if (!flock (folder, LOCK_EX | LOCK_NB))
      return true;
    nanosleep (&moment, NULL);
  }
  return false;
}

/* Opens the part.  The folder is locked while its writer lives; one that can be locked was left
 * behind. */
static bool
open_part (struct store_writer *w)
{
  for (int tries = 0; tries < 3; tries++) {
    struct stat a, b;
    if (mkdirat (w->root_fd, w->part, 0700) && errno != EEXIST)
      return store_fail_errno (&w->fault, w->part);
    w->folder = openat (w->root_fd, w->part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (w->folder < 0)
      return store_fail_errno (&w->fault, w->part);
    if (!lock_folder (w->folder)) {
      close (w->folder);
      w->folder = -1; /* it is not ours */
      return store_fail (&w->fault, NPROF_E_IO,
                         "%s/%s: is being written by another nprof: wait until it has ended",
                         w->root, w->part);
    }
    if (!fstat (w->folder, &a) && !fstatat (w->root_fd, w->part, &b, AT_SYMLINK_NOFOLLOW)
        && a.st_ino == b.st_ino) {
      empty_folder (w->folder, 1);
      return true;
    }
    close (w->folder); /* it was renamed meanwhile */
    w->folder = -1;
  }
  return store_fail (&w->fault, NPROF_E_IO, "%s/%s: cannot be made", w->root, w->part);
}

static bool
open_files (struct store_writer *w)
{
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    if (!store_out_open (&w->out[f], w->folder, file_names[f],
                         f >= NPROF_STORE_F_INDEX && f < NPROF_STORE_F_SUMS, &w->fault))
      return false;
  return store_out_temp (&w->lists.temp, &w->fault) && store_out_temp (&w->links.temp, &w->fault);
}

static bool
open_all (struct store_writer *w, const char *root, const char *id)
{
  w->root = strdup (root);
  w->id = strdup (id);
  w->part = malloc (strlen (id) + sizeof ".part");
  if (!w->root || !w->id || !w->part)
    return store_fail (&w->fault, NPROF_E_NOMEM, "no memory for a store");
  sprintf (w->part, "%s.part", id);
  if (!make_folders (root))
    return store_fail (&w->fault, np_file_status (errno),
                       "%s: %s: set XDG_DATA_HOME, or --store of nprof view, to a folder that can "
                       "be made",
                       root, strerror (errno));
  w->root_fd = open (root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (w->root_fd < 0)
    return store_fail_errno (&w->fault, root);
  return open_part (w) && open_files (w) && store_names_init (w);
}

struct store_writer *
store_writer_new (const char *root, const char *id, struct store_fault *fault)
{
  struct store_writer *w = calloc (1, sizeof *w);
  if (!w) {
    store_fail (fault, NPROF_E_NOMEM, "no memory for a store");
    return NULL;
  }
  w->root_fd = w->folder = -1;
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    w->out[f].fd = -1;
  w->lists.temp.fd = w->links.temp.fd = w->sorter.temp.fd = -1;
  if (open_all (w, root, id))
    return w;
  *fault = w->fault;
  store_writer_free (w);
  return NULL;
}

/* -- The end ------------------------------------------------------------------------ */

static void
free_line (struct store_line *line)
{
  for (uint32_t t = 0; t < NPROF_STORE_LANE_TYPES; t++)
    free (line->others[t]);
  free (line->lanes);
  free (line->open);
  free (line->ends);
  free (line->busy);
  free (line->free);
  free (line);
}

static void
free_rows (struct store_writer *w)
{
  for (size_t i = 0; i < w->n_lanes; i++) {
    store_lane_free (w->lanes[i]);
    free (w->lanes[i]);
  }
  for (size_t i = 0; i < w->n_lines; i++)
    free_line (w->lines[i]);
  for (size_t i = 0; i < w->n_counters; i++)
    free (w->counters[i]);
  free (w->lanes);
  free (w->lines);
  free (w->counters);
  free (w->counter_of.slots);
  free (w->index);
  free (w->lane_of);
  free (w->scratch);
  free (w->attrs);
  free (w->shape_columns);
  free (w->attr_column);
  free (w->used);
}

void
store_writer_free (struct store_writer *w)
{
  if (!w)
    return;
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    store_out_clear (&w->out[f]);
  for (uint32_t s = 0; s < NPROF_STORE_SECTIONS; s++)
    free (w->given[s].data);
  free_rows (w);
  store_names_clear (&w->names);
  store_links_clear (&w->links);
  store_sort_clear (&w->sorter);
  store_tables_clear (&w->tables);
  store_pack_clear (&w->packer);
  store_out_clear (&w->lists.temp);
  free (w->lists.dir);
  if (w->folder >= 0 && !w->committed)
    remove_folder (w->root_fd, w->part);
  if (w->folder >= 0)
    close (w->folder);
  if (w->root_fd >= 0)
    close (w->root_fd);
  free (w->root);
  free (w->id);
  free (w->part);
  free (w);
}

/* -- Small files --------------------------------------------------------------------- */

static bool
write_small (struct store_writer *w, const char *name, const void *data, size_t len, bool sync)
{
  int fd = openat (w->folder, name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return store_fail_errno (&w->fault, name);
  const char *p = data;
  while (len) {
    ssize_t n = write (fd, p, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    p += n;
    len -= (size_t) n;
  }
  bool ok = !len && (!sync || !fsync (fd));
  if (!ok)
    store_fail_errno (&w->fault, name);
  close (fd);
  return ok;
}

bool
store_writer_file (struct store_writer *w, const char *name, const void *data, size_t len)
{
  char folder[64];
  const char *slash = strchr (name, '/');
  if (slash && (size_t) (slash - name) < sizeof folder) {
    snprintf (folder, sizeof folder, "%.*s", (int) (slash - name), name);
    if (mkdirat (w->folder, folder, 0700) && errno != EEXIST)
      return store_fail_errno (&w->fault, folder);
  }
  return write_small (w, name, data, len, true);
}

bool
store_writer_progress (struct store_writer *w, const void *data, size_t len)
{
  if (!write_small (w, "progress.new", data, len, false))
    return false;
  return !renameat (w->folder, "progress.new", w->folder, "progress")
         || store_fail_errno (&w->fault, "progress");
}

/* -- Finishing ------------------------------------------------------------------------ */

static bool
write_meta (struct store_writer *w)
{
  struct nprof_store_meta *meta = &w->meta;
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    meta->bytes[f] = w->out[f].at;
  meta->hash = 0;
  meta->hash = nprof_store_hash (meta, sizeof *meta);
  return write_small (w, "meta", meta, sizeof *meta, true);
}

static bool
end_files (struct store_writer *w, uint32_t from, uint32_t to, bool sync)
{
  for (uint32_t f = from; f < to; f++)
    if (!store_out_end (&w->out[f], sync, &w->fault))
      return false;
  return true;
}

static bool
write_sums (struct store_writer *w)
{
  struct nprof_store_hasher h;
  nprof_store_hash_begin (&h);
  for (uint32_t f = NPROF_STORE_F_INDEX; f < NPROF_STORE_F_SUMS; f++) {
    size_t bytes = w->out[f].n_sums * sizeof *w->out[f].sums;
    if (bytes)
      nprof_store_hash_add (&h, w->out[f].sums, bytes);
    if (!store_out_put (&w->out[NPROF_STORE_F_SUMS], w->out[f].sums, bytes, &w->fault))
      return false;
  }
  w->meta.sums_hash = nprof_store_hash_end (&h);
  return store_out_end (&w->out[NPROF_STORE_F_SUMS], true, &w->fault);
}

bool
store_writer_finish (struct store_writer *w, const struct store_facts *facts)
{
  struct nprof_store_meta *meta = &w->meta;
  memcpy (meta->magic, NPROF_STORE_MAGIC, sizeof meta->magic);
  meta->version = NPROF_STORE_VERSION;
  meta->flags = facts->flags;
  meta->generation = facts->generation;
  meta->origin_unix_ns = facts->origin_unix_ns;
  meta->made_unix_ms = facts->made_unix_ms;
  snprintf (meta->id, sizeof meta->id, "%s", w->id);
  if (w->fault.status || !store_index_finish (w))
    return false;
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    meta->bytes[f] = w->out[f].at;
  if (!end_files (w, 0, NPROF_STORE_F_INDEX, true) || !store_over (w)
      || !end_files (w, NPROF_STORE_F_INDEX, NPROF_STORE_F_SUMS, true) || !write_sums (w))
    return false;
  unlinkat (w->folder, "progress", 0);
  meta->done = 1;
  return write_meta (w) && (!fsync (w->folder) || store_fail_errno (&w->fault, w->part));
}

/* Exchanges both in one step; where the file system cannot, the old one is renamed first. */
static bool
exchange (struct store_writer *w)
{
  if (!renameat2 (w->root_fd, w->part, w->root_fd, w->id, RENAME_NOREPLACE))
    return true;
  if (!renameat2 (w->root_fd, w->part, w->root_fd, w->id, RENAME_EXCHANGE)) {
    remove_folder (w->root_fd, w->part);
    return true;
  }
  char aside[80];
  snprintf (aside, sizeof aside, "%s.old", w->id);
  remove_folder (w->root_fd, aside);
  renameat (w->root_fd, w->id, w->root_fd, aside);
  if (renameat (w->root_fd, w->part, w->root_fd, w->id)) {
    store_fail_errno (&w->fault, w->id);
    renameat (w->root_fd, aside, w->root_fd, w->id);
    return false;
  }
  remove_folder (w->root_fd, aside);
  return true;
}

bool
store_writer_commit (struct store_writer *w, char **path)
{
  size_t size = strlen (w->root) + strlen (w->id) + 2;
  *path = malloc (size);
  if (!*path)
    return store_fail (&w->fault, NPROF_E_NOMEM, "no memory");
  snprintf (*path, size, "%s/%s", w->root, w->id);
  if (!exchange (w))
    return false;
  w->committed = true;
  fsync (w->root_fd);
  return true;
}

uint64_t
store_writer_rows (const struct store_writer *w)
{
  return w->meta.rows;
}

uint64_t
store_writer_bytes (const struct store_writer *w)
{
  uint64_t bytes = 0;
  for (uint32_t f = 0; f < NPROF_STORE_FILES; f++)
    bytes += w->out[f].at;
  return bytes;
}

struct store_fault *
store_writer_fault (struct store_writer *w)
{
  return &w->fault;
}
