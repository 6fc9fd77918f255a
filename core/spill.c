/* SPDX-License-Identifier: Apache-2.0 */
/* spill.c - writes and reads the unlinked temporary file; what its bytes mean is pack.c's. */

#include "spill.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct NpSpill {
  int fd;
  guint64 size;
  char *folder;
};

NpSpill *
np_spill_new (void)
{
  const char *folder = g_getenv ("TMPDIR");
  NpSpill *spill = g_new0 (NpSpill, 1);
  spill->fd = -1;
  spill->folder = g_strdup (folder && *folder ? folder : "/tmp");
  return spill;
}

void
np_spill_free (NpSpill *spill)
{
  if (!spill)
    return;
  if (spill->fd >= 0)
    close (spill->fd);
  g_free (spill->folder);
  g_free (spill);
}

void
np_spill_no_memory (GError **error)
{
  g_set_error_literal (error, NP_ERROR, NP_EXIT_SINK,
                       "no memory left to set rows aside: select fewer rows (--from, --to, "
                       "--track) or run it where more memory is free");
}

static gboolean
fail (const NpSpill *spill, const char *what, int err, GError **error)
{
  g_set_error (error, NP_ERROR, NP_EXIT_SINK,
               "%s: cannot %s a temporary file for rows set aside, %" G_GUINT64_FORMAT
               " bytes so far: %s: set TMPDIR to a folder that has room",
               spill->folder, what, spill->size, g_strerror (err));
  return FALSE;
}

static gboolean
open_file (NpSpill *spill, GError **error)
{
  spill->fd = open (spill->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (spill->fd >= 0)
    return TRUE;
  g_autofree char *path = g_build_filename (spill->folder, "nprof-XXXXXX", NULL);
  spill->fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (spill->fd < 0)
    return fail (spill, "make", errno, error);
  unlink (path);
  return TRUE;
}

gboolean
np_spill_append (NpSpill *spill, const void *data, gsize len, GError **error)
{
  if (spill->fd < 0 && !open_file (spill, error))
    return FALSE;
  const char *from = data;
  while (len) {
    gssize n = pwrite (spill->fd, from, MIN (len, 1u << 30), (off_t) spill->size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail (spill, "write", n < 0 ? errno : ENOSPC, error);
    from += n;
    len -= (gsize) n;
    spill->size += (guint64) n;
  }
  return TRUE;
}

guint64
np_spill_size (const NpSpill *spill)
{
  return spill->size;
}

gboolean
np_spill_read (const NpSpill *spill, guint64 at, void *data, gsize len, GError **error)
{
  char *to = data;
  while (len) {
    gssize n = pread (spill->fd, to, MIN (len, 1u << 30), (off_t) at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return fail (spill, "read", n < 0 ? errno : EIO, error);
    to += n;
    len -= (gsize) n;
    at += (guint64) n;
  }
  return TRUE;
}

/* -- Blocks ---------------------------------------------------------------- */

static gboolean
make_room (NpBlocks *blocks, guint64 size, GError **error)
{
  if (size <= blocks->size)
    return TRUE;
  guint8 *buffer = g_try_realloc (blocks->buffer, size);
  if (!buffer) {
    np_spill_no_memory (error);
    return FALSE;
  }
  blocks->buffer = buffer;
  blocks->size = size;
  return TRUE;
}

/* One read brings a block and the header of the next, which says how much to read then. */
static const guint8 *
read_block (NpBlocks *blocks, GError **error)
{
  if (!blocks->has_header
      && !np_spill_read (blocks->spill, blocks->at, blocks->header, NP_BLOCK_HEADER, error))
    return NULL;
  guint64 size = np_block_size (blocks->header);
  blocks->has_header = blocks->at + size < blocks->end;
  guint64 len = size + (blocks->has_header ? NP_BLOCK_HEADER : 0);
  if (!make_room (blocks, len, error)
      || !np_spill_read (blocks->spill, blocks->at, blocks->buffer, len, error))
    return NULL;
  if (blocks->has_header)
    memcpy (blocks->header, blocks->buffer + size, NP_BLOCK_HEADER);
  return blocks->buffer;
}

gboolean
np_blocks_next (NpBlocks *blocks, NpBlock *block, GError **error)
{
  if (blocks->at >= blocks->end)
    return FALSE;
  const guint8 *data = blocks->spill ? read_block (blocks, error) : blocks->memory + blocks->at;
  if (!data)
    return FALSE;
  np_block_open (data, block);
  blocks->at += block->size;
  return TRUE;
}

void
np_blocks_clear (NpBlocks *blocks)
{
  g_free (blocks->buffer);
  memset (blocks, 0, sizeof *blocks);
}
