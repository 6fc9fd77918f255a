/* SPDX-License-Identifier: Apache-2.0 */
/* inflate.c - inflates compressed packets: streams of zlib, and of zstd where nprof has it. */
#include "perfetto.h"

#include <string.h>
#include <zlib.h>
#ifdef NP_HAVE_ZSTD
#include "system/late-zstd.h"
#endif

#define MOST_INFLATED (512u << 20)
#define ZSTD_BEGINS "\x28\xb5\x2f\xfd" /* which no stream of zlib does */

static nprof_status
inflate_zlib (PbSpan packed, guint8 **data, gsize *len)
{
  gsize room = MAX (4 * (gsize) (packed.end - packed.p), 4096);
  z_stream z = { .next_in = (Bytef *) (gpointer) packed.p,
                 .avail_in = (uInt) MIN (packed.end - packed.p, G_MAXUINT32) };
  guint8 *out = g_try_malloc (room);
  int result = out ? inflateInit (&z) : Z_MEM_ERROR;
  while (result == Z_OK && z.total_out <= MOST_INFLATED) {
    if (z.total_out == room) {
      guint8 *more = g_try_realloc (out, room *= 2);
      result = more ? Z_OK : Z_MEM_ERROR;
      out = more ? more : out;
    }
    z.next_out = out + z.total_out;
    z.avail_out = (uInt) (room - z.total_out);
    if (result == Z_OK)
      result = inflate (&z, Z_NO_FLUSH);
  }
  *len = z.total_out;
  inflateEnd (&z);
  if (result == Z_STREAM_END && *len <= MOST_INFLATED) {
    *data = out;
    return NPROF_OK;
  }
  g_free (out);
  return result == Z_MEM_ERROR ? NPROF_E_NOMEM : NPROF_E_FORMAT;
}

#ifdef NP_HAVE_ZSTD
static nprof_status
inflate_zstd (PbSpan packed, guint8 **data, gsize *len)
{
  gsize room = MAX (4 * (gsize) (packed.end - packed.p), 4096), left = 1;
  ZSTD_DCtx *zstd = ZSTD_createDCtx ();
  ZSTD_inBuffer from = { packed.p, (gsize) (packed.end - packed.p), 0 };
  ZSTD_outBuffer out = { g_try_malloc (room), room, 0 };
  bool memory = zstd && out.dst, moves = true;
  while (memory && left && !ZSTD_isError (left) && moves && out.pos <= MOST_INFLATED) {
    const gsize had = from.pos + out.pos;
    if (out.pos == out.size) {
      guint8 *more = g_try_realloc (out.dst, room *= 2);
      memory = more != NULL;
      out = memory ? (ZSTD_outBuffer){ more, room, out.pos } : out;
    }
    if (memory)
      left = ZSTD_decompressStream (zstd, &out, &from);
    moves = from.pos + out.pos > had;
  }
  if (zstd)
    ZSTD_freeDCtx (zstd);
  *len = out.pos;
  if (memory && !left && *len <= MOST_INFLATED) {
    *data = out.dst;
    return NPROF_OK;
  }
  g_free (out.dst);
  return memory ? NPROF_E_FORMAT : NPROF_E_NOMEM;
}
#endif

bool
pf_has_zstd (void)
{
#ifdef NP_HAVE_ZSTD
  return true;
#else
  return false;
#endif
}

nprof_status
pf_inflate (PbSpan packed, guint8 **data, gsize *len)
{
#ifdef NP_HAVE_ZSTD
  if (packed.end - packed.p >= 4 && memcmp (packed.p, ZSTD_BEGINS, 4) == 0)
    return inflate_zstd (packed, data, len);
#endif
  return inflate_zlib (packed, data, len);
}
