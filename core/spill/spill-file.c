/* SPDX-License-Identifier: Apache-2.0 */
/* spill-file.c - writes and reads the unlinked temporary file; block.c and compress.c know what its
 * bytes mean. */

#include "spill/spill-file.h"

#include "base/error.h"
#include "base/temp-file.h"
#include "system/room.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* This many bytes are written at once.  Kernels take large pieces for less, but keep the largest in
 * memory that was long out of use: 1 MB cost twice the time of the kernel. */
#define WRITE_BYTES (256u << 10)

struct NpSpill {
  int fd;
  guint64 size;
  char *folder;
  guint8 *scratch; /* compressed blocks, on their way */
  gsize scratch_size;
  gsize pending; /* bytes in it, the last of `size`, that are not yet written */
};

NpSpill *
np_spill_new (void)
{
  NpSpill *spill = g_new0 (NpSpill, 1);
  spill->fd = -1;
  spill->folder = g_strdup (np_temp_folder ());
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
  g_free (spill->scratch);
  g_free (spill);
}

gboolean
np_spill_no_memory (GError **error)
{
  return np_error_set (error, NP_EXIT_ROOM,
                       "no memory left to set rows aside: select fewer rows (--from, --to, "
                       "--track) or run it where more memory is free");
}

static gboolean
fail (const NpSpill *spill, const char *what, int err, GError **error)
{
  return np_error_set (error, np_no_temp_room (err) ? NP_EXIT_ROOM : NP_EXIT_SINK,
                       "%s: cannot %s a temporary file for rows set aside, %" G_GUINT64_FORMAT
                       " bytes so far: %s: set TMPDIR to a folder that has room",
                       spill->folder, what, spill->size - spill->pending, g_strerror (err));
}

static gboolean
open_file (NpSpill *spill, GError **error)
{
  spill->fd = np_temp_open ();
  return spill->fd >= 0 || fail (spill, "make", errno, error);
}

static gboolean
write_at (NpSpill *spill, guint64 at, const guint8 *from, gsize len, GError **error)
{
  int err = np_write_at (spill->fd, at, from, len);
  return !err || fail (spill, "write", err, error);
}

/* Writes the first `len` of the bytes that are pending. */
static gboolean
write_pending (NpSpill *spill, gsize len, GError **error)
{
  if (!write_at (spill, spill->size - spill->pending, spill->scratch, len, error))
    return FALSE;
  spill->pending -= len;
  memmove (spill->scratch, spill->scratch + len, spill->pending);
  return TRUE;
}

static gboolean
make_room (guint8 **buffer, gsize *size, gsize need, GError **error)
{
  if (need <= *size)
    return TRUE;
  guint8 *larger = g_try_realloc (*buffer, need);
  if (!larger)
    return np_spill_no_memory (error);
  *buffer = larger;
  *size = need;
  return TRUE;
}

gboolean
np_spill_append (NpSpill *spill, const NpPack *pack, GError **error)
{
  if (spill->fd < 0 && !open_file (spill, error))
    return FALSE;
  for (gsize at = 0; at < pack->used;) {
    const guint8 *block = pack->data + at;
    guint64 size = np_block_size (block);
    gsize room = spill->pending + np_compressed_bound (size), used;
    if (!make_room (&spill->scratch, &spill->scratch_size, room, error))
      return FALSE;
    used = np_compress (block, spill->scratch + spill->pending);
    spill->pending += used;
    spill->size += used;
    at += size;
    if (spill->pending >= WRITE_BYTES
        && !write_pending (spill, spill->pending & ~(gsize) (WRITE_BYTES - 1), error))
      return FALSE;
  }
  return TRUE;
}

guint64
np_spill_size (const NpSpill *spill)
{
  return spill->size;
}

static gboolean
read_at (const NpSpill *spill, guint64 at, void *data, gsize len, GError **error)
{
  int err = np_read_at (spill->fd, at, data, len);
  return !err || fail (spill, "read", err, error);
}

/* -- Blocks ---------------------------------------------------------------- */

/* One read brings a block and the header of the next, which says how much to read then. */
static gboolean
read_block (NpBlocks *blocks, guint64 *size, GError **error)
{
  NpSpill *spill = blocks->spill;
  if (spill->pending && !write_pending (spill, spill->pending, error))
    return FALSE;
  if (!blocks->has_header
      && !read_at (spill, blocks->at, blocks->header, NP_COMPRESSED_HEADER, error))
    return FALSE;
  *size = np_compressed_size (blocks->header);
  blocks->has_header = blocks->at + *size < blocks->end;
  gsize len = (gsize) *size + (blocks->has_header ? NP_COMPRESSED_HEADER : 0);
  if (!make_room (&blocks->buffer, &blocks->size, np_decompressed_size (blocks->header), error)
      || !make_room (&spill->scratch, &spill->scratch_size, len, error)
      || !read_at (spill, blocks->at, spill->scratch, len, error))
    return FALSE;
  if (blocks->has_header)
    memcpy (blocks->header, spill->scratch + *size, NP_COMPRESSED_HEADER);
  np_decompress (spill->scratch, blocks->buffer);
  return TRUE;
}

gboolean
np_blocks_next (NpBlocks *blocks, NpBlock *block, GError **error)
{
  guint64 size = 0;
  if (blocks->at >= blocks->end)
    return FALSE;
  if (blocks->spill && !read_block (blocks, &size, error))
    return FALSE;
  np_block_open (blocks->spill ? blocks->buffer : blocks->memory + blocks->at, block);
  blocks->at += blocks->spill ? size : block->size;
  return TRUE;
}

void
np_blocks_clear (NpBlocks *blocks)
{
  g_free (blocks->buffer);
  memset (blocks, 0, sizeof *blocks);
}
