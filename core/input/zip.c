/* SPDX-License-Identifier: Apache-2.0 */
/* zip.c - reads zip through libarchive, front to back, so that pipes do as well as files.  The
 * library is opened when a zip is met, because linking it and what it needs would nearly double the
 * time that nprof takes to start. */

#include "input/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define LIBRARY "libarchive.so.13" /* since libarchive 3.0, 2011 */

#define FUNCTIONS(X)                                                                               \
  X (read_new)                                                                                     \
  X (read_free)                                                                                    \
  X (read_support_format_zip_streamable)                                                           \
  X (read_open)                                                                                    \
  X (read_next_header)                                                                             \
  X (read_data)                                                                                    \
  X (set_error)                                                                                    \
  X (error_string)                                                                                 \
  X (entry_pathname)                                                                               \
  X (entry_filetype)

#define FIELD(name) __typeof__ (&archive_##name) name;

typedef struct {
  void *handle;
  FUNCTIONS (FIELD)
} Library;

struct NpZip {
  Library lib;
  struct archive *archive;
  NpZipSource source;
  gpointer user;
  GError *failed; /* of the source */
  gboolean begun, inside;
};

static gboolean
find (void *handle, const char *name, void *function)
{
  void *found = dlsym (handle, name);
  memcpy (function, &found, sizeof found);
  return found != NULL;
}

/* The library stays loaded, so that a second zip finds it. */
static gboolean
open_library (Library *lib)
{
#define FIND(name) found = found && find (lib->handle, "archive_" #name, &lib->name);
  lib->handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  gboolean found = lib->handle != NULL;
  FUNCTIONS (FIND)
  return found;
}

static la_ssize_t
next_block (struct archive *archive, void *user, const void **block)
{
  NpZip *zip = user;
  gssize n = zip->source (zip->user, block, &zip->failed);
  if (n >= 0)
    return (la_ssize_t) n;
  zip->lib.set_error (archive, EIO, "stopped");
  return ARCHIVE_FATAL;
}

NpZip *
np_zip_new (NpZipSource source, gpointer user)
{
  g_autoptr (NpZip) zip = g_new0 (NpZip, 1);
  if (!open_library (&zip->lib))
    return NULL;
  zip->source = source;
  zip->user = user;
  zip->archive = zip->lib.read_new ();
  if (zip->archive)
    zip->lib.read_support_format_zip_streamable (zip->archive);
  return g_steal_pointer (&zip);
}

void
np_zip_free (NpZip *zip)
{
  if (!zip)
    return;
  if (zip->archive)
    zip->lib.read_free (zip->archive);
  if (zip->lib.handle)
    dlclose (zip->lib.handle);
  g_clear_error (&zip->failed);
  g_free (zip);
}

static gssize
fail (NpZip *zip, const char **why, GError **error)
{
  const char *text = zip->archive ? zip->lib.error_string (zip->archive) : "no memory";
  *why = zip->failed ? NULL : text ? text : "unknown";
  if (zip->failed)
    g_propagate_error (error, g_steal_pointer (&zip->failed));
  return -1;
}

/* Folders do not count, nor what macOS adds about each file. */
static gboolean
is_file (const Library *lib, struct archive_entry *entry)
{
  const char *name = lib->entry_pathname (entry);
  return lib->entry_filetype (entry) != AE_IFDIR
         && !(name && (g_str_has_suffix (name, "/") || g_str_has_prefix (name, "__MACOSX/")));
}

/* Returns 1: the next file begins; 0: there is none; -1: damage. */
static int
next_file (NpZip *zip)
{
  struct archive_entry *entry;
  int status;
  while ((status = zip->lib.read_next_header (zip->archive, &entry)) == ARCHIVE_OK
         || status == ARCHIVE_WARN)
    if (is_file (&zip->lib, entry))
      return 1;
  return status == ARCHIVE_EOF ? 0 : -1;
}

/* Begins the first file; FALSE: damage. */
static gboolean
begin (NpZip *zip)
{
  zip->begun = TRUE;
  if (!zip->archive || zip->lib.read_open (zip->archive, zip, NULL, next_block, NULL) != ARCHIVE_OK)
    return FALSE;
  int found = next_file (zip);
  zip->inside = found > 0;
  return found >= 0;
}

/* Checks that no other file follows. */
static gssize
finish (NpZip *zip, const char **why, GError **error)
{
  zip->inside = FALSE;
  int more = next_file (zip);
  if (more < 0)
    return fail (zip, why, error);
  *why = "it holds several files: unpack it with unzip, and name those to read";
  return more ? -1 : 0;
}

gssize
np_zip_read (NpZip *zip, void *to, gsize room, const char **why, GError **error)
{
  if (!zip->begun && !begin (zip))
    return fail (zip, why, error);
  if (!zip->inside)
    return 0;
  la_ssize_t n = zip->lib.read_data (zip->archive, to, room);
  if (n < 0)
    return fail (zip, why, error);
  return n > 0 ? (gssize) n : finish (zip, why, error);
}
