/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - the file that SQLite writes to: it has no name, lies in $TMPDIR, and is copied to the
 * output at the end. */
#include "sink.h"

#include <string.h>

#define CHUNK (1u << 20)

struct file {
  sqlite3_file base;
  struct sqlite_sink *self;
};

static int
file_close (sqlite3_file *f)
{
  (void) f;
  return SQLITE_OK;
}

static int
file_read (sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
  struct sqlite_sink *self = ((struct file *) f)->self;
  gint64 there = MIN ((gint64) n, MAX (0, self->size - at));
  memset ((char *) to + there, 0, (size_t) (n - there));
  int error = there ? self->temp->read (self->temp, (uint64_t) at, to, (size_t) there) : 0;
  if (error)
    self->error = error;
  return error ? SQLITE_IOERR_READ : there == n ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int
file_write (sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
  struct sqlite_sink *self = ((struct file *) f)->self;
  int error = self->temp->write (self->temp, (uint64_t) at, data, (size_t) n);
  if (error)
    self->error = error;
  self->size = MAX (self->size, at + n);
  return error ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

static int
file_truncate (sqlite3_file *f, sqlite3_int64 size)
{
  struct sqlite_sink *self = ((struct file *) f)->self;
  self->size = MIN (self->size, size);
  return SQLITE_OK;
}

static int
file_nothing (sqlite3_file *f, int how)
{
  (void) f, (void) how;
  return SQLITE_OK;
}

static int
file_size (sqlite3_file *f, sqlite3_int64 *size)
{
  *size = ((struct file *) f)->self->size;
  return SQLITE_OK;
}

static int
file_is_free (sqlite3_file *f, int *taken)
{
  (void) f;
  *taken = 0;
  return SQLITE_OK;
}

static int
file_control (sqlite3_file *f, int what, void *arg)
{
  (void) f, (void) what, (void) arg;
  return SQLITE_NOTFOUND;
}

static int
file_sector (sqlite3_file *f)
{
  (void) f;
  return 4096;
}

static int
file_character (sqlite3_file *f)
{
  (void) f;
  return 0;
}

static const sqlite3_io_methods methods = {
  .iVersion = 1,
  .xClose = file_close,
  .xRead = file_read,
  .xWrite = file_write,
  .xTruncate = file_truncate,
  .xSync = file_nothing,
  .xFileSize = file_size,
  .xLock = file_nothing,
  .xUnlock = file_nothing,
  .xCheckReservedLock = file_is_free,
  .xFileControl = file_control,
  .xSectorSize = file_sector,
  .xDeviceCharacteristics = file_character,
};

/* Opens the one database; journals and temporary tables are in memory. */
static int
open_file (sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
  if (!(flags & SQLITE_OPEN_MAIN_DB))
    return SQLITE_CANTOPEN;
  (void) name;
  ((struct file *) f)->self = vfs->pAppData;
  f->pMethods = &methods;
  if (out)
    *out = flags;
  return SQLITE_OK;
}

static int
delete_file (sqlite3_vfs *vfs, const char *name, int sync)
{
  (void) vfs, (void) name, (void) sync;
  return SQLITE_OK;
}

static int
no_access (sqlite3_vfs *vfs, const char *name, int what, int *out)
{
  (void) vfs, (void) name, (void) what;
  *out = 0;
  return SQLITE_OK;
}

static int
full_name (sqlite3_vfs *vfs, const char *name, int n, char *out)
{
  (void) vfs;
  g_strlcpy (out, name, (gsize) n);
  return SQLITE_OK;
}

nprof_status
sqlite_file_open (struct sqlite_sink *self)
{
  const sqlite3_vfs *usual = sqlite3_vfs_find (NULL);
  self->temp = nprof_temp_file (self->host);
  if (!self->temp || !usual)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the database");
  self->vfs = *usual;
  self->vfs_name = g_strdup_printf ("nprof-%p", (void *) self);
  self->vfs.pNext = NULL;
  self->vfs.zName = self->vfs_name;
  self->vfs.szOsFile = sizeof (struct file);
  self->vfs.pAppData = self;
  self->vfs.xOpen = open_file;
  self->vfs.xDelete = delete_file;
  self->vfs.xAccess = no_access;
  self->vfs.xFullPathname = full_name;
  if (sqlite3_vfs_register (&self->vfs, 0)
      || sqlite3_open_v2 ("profile", &self->db,
                          SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                          self->vfs_name))
    return sqlite_sink_failed (self);
  sqlite3_db_config (self->db, SQLITE_DBCONFIG_LOOKASIDE, NULL, 8192, 64); /* no row needs more */
  return sqlite_sink_exec (
      self, "PRAGMA page_size = 65536; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; PRAGMA cache_size = "
            "-16384; BEGIN");
}

void
sqlite_file_close (struct sqlite_sink *self)
{
  sqlite3_close (self->db);
  self->db = NULL;
  if (self->vfs_name)
    sqlite3_vfs_unregister (&self->vfs);
  g_clear_pointer (&self->vfs_name, g_free);
  if (self->temp)
    self->temp->close (self->temp);
  self->temp = NULL;
}

nprof_status
sqlite_file_copy (struct sqlite_sink *self)
{
  struct nprof_output *out = self->host->output (self->host, NULL);
  g_autofree char *chunk = g_malloc (CHUNK);
  nprof_status status = out ? NPROF_OK : NPROF_E_IO;
  for (gint64 at = 0; !status && at < self->size; at += CHUNK) {
    size_t n = (size_t) MIN ((gint64) CHUNK, self->size - at);
    self->error = self->temp->read (self->temp, (uint64_t) at, chunk, n);
    status = self->error ? sqlite_sink_failed (self) : out->write (out, chunk, n);
  }
  return status ? status : out->close (out);
}
