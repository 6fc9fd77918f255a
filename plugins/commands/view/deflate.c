/* SPDX-License-Identifier: Apache-2.0 */
/* deflate.c - gzip in one step. */

#include "deflate.h"

#include <zlib.h>

gboolean
np_gzip (struct nprof_buf *buf, NpGzip effort)
{
  z_stream z = { 0 };
  struct nprof_buf out = { 0 };
  if (buf->len > G_MAXUINT
      || deflateInit2 (&z, (int) effort, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return FALSE;
  gsize most = deflateBound (&z, buf->len);
  gboolean good = most <= G_MAXUINT && nprof_buf_need (&out, most);
  if (good) {
    z.next_in = (Bytef *) buf->data;
    z.avail_in = (uInt) buf->len;
    z.next_out = (Bytef *) out.data;
    z.avail_out = (uInt) most;
    good = deflate (&z, Z_FINISH) == Z_STREAM_END;
    out.len = z.total_out;
  }
  deflateEnd (&z);
  if (!good) {
    nprof_buf_clear (&out);
    return FALSE;
  }
  nprof_buf_clear (buf);
  *buf = out;
  return TRUE;
}
