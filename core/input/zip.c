/* SPDX-License-Identifier: Apache-2.0 */
/* zip.c - reads zip through libarchive, front to back, so that pipes do as well as files. */

#include "input/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

struct NpZip {
  struct archive *archive;
  NpZipSource source;
  gpointer user;
  GError *failed; /* of the source */
  gboolean begun, inside;
};

static la_ssize_t
next_block (struct archive *archive, void *user, const void **block)
{
  NpZip *zip = user;
  gssize n = zip->source (zip->user, block, &zip->failed);
  if (n >= 0)
    return (la_ssize_t) n;
  archive_set_error (archive, EIO, "stopped");
  return ARCHIVE_FATAL;
}

NpZip *
np_zip_new (NpZipSource source, gpointer user)
{
  NpZip *zip = g_new0 (NpZip, 1);
  zip->source = source;
  zip->user = user;
  zip->archive = archive_read_new ();
  if (zip->archive)
    archive_read_support_format_zip_streamable (zip->archive);
  return zip;
}

void
np_zip_free (NpZip *zip)
{
  if (!zip)
    return;
  archive_read_free (zip->archive);
  g_clear_error (&zip->failed);
  g_free (zip);
}

static gssize
fail (NpZip *zip, const char **why, GError **error)
{
  const char *text = zip->archive ? archive_error_string (zip->archive) : "no memory";
  *why = zip->failed ? NULL : text ? text : "unknown";
  if (zip->failed)
    g_propagate_error (error, g_steal_pointer (&zip->failed));
  return -1;
}

/* Folders do not count, nor what macOS adds about each file. */
static gboolean
is_file (struct archive_entry *entry)
{
  const char *name = archive_entry_pathname (entry);
  return archive_entry_filetype (entry) != AE_IFDIR
         && !(name && (g_str_has_suffix (name, "/") || g_str_has_prefix (name, "__MACOSX/")));
}

/* 1: the next file begins, 0: there is none, -1: damage. */
static int
next_file (NpZip *zip)
{
  struct archive_entry *entry;
  int status;
  while ((status = archive_read_next_header (zip->archive, &entry)) == ARCHIVE_OK
         || status == ARCHIVE_WARN)
    if (is_file (entry))
      return 1;
  return status == ARCHIVE_EOF ? 0 : -1;
}

/* FALSE: damage. */
static gboolean
begin (NpZip *zip)
{
  zip->begun = TRUE;
  if (!zip->archive || archive_read_open (zip->archive, zip, NULL, next_block, NULL) != ARCHIVE_OK)
    return FALSE;
  int found = next_file (zip);
  zip->inside = found > 0;
  return found >= 0;
}

/* Behind the file: there must be no other. */
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
  la_ssize_t n = archive_read_data (zip->archive, to, room);
  if (n < 0)
    return fail (zip, why, error);
  return n > 0 ? (gssize) n : finish (zip, why, error);
}
