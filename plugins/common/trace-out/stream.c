/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - writes the bytes of the trace to its file. */
#include "stream.h"

#define WRITE_BYTES (1u << 20)
#define PACKED_BYTES (256u << 10)
#define GZIP_LEVEL 6

nprof_status
stream_open (Stream *stream, const struct nprof_host *host, const char *name, gboolean gzip)
{
  stream->host = host;
  stream->output = host->output (host, name);
  if (!stream->output)
    return NPROF_E_IO;
  if (!gzip)
    return NPROF_OK;
  /* 16 asks for a gzip header, which zlib writes without name and time. */
  if (deflateInit2 (&stream->zlib, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory to compress the trace");
  stream->gzip = TRUE;
  stream->packed = g_malloc (PACKED_BYTES);
  return NPROF_OK;
}

static nprof_status
write_packed (Stream *stream, int flush)
{
  z_stream *z = &stream->zlib;
  z->next_in = (Bytef *) stream->buf.data;
  z->avail_in = (uInt) stream->buf.len;
  do {
    z->next_out = stream->packed;
    z->avail_out = PACKED_BYTES;
    deflate (z, flush);
    nprof_status status
        = stream->output->write (stream->output, stream->packed, PACKED_BYTES - z->avail_out);
    if (status)
      return status;
  } while (z->avail_out == 0);
  return NPROF_OK;
}

static nprof_status
write_all (Stream *stream, int flush)
{
  nprof_status status;
  if (stream->buf.failed || (stream->gzip && stream->buf.len > G_MAXUINT32))
    return nprof_fail (stream->host, NPROF_E_NOMEM,
                       "no memory for an event of this length; a viewer would not take it either");
  if (stream->gzip)
    status = write_packed (stream, flush);
  else
    status = stream->output->write (stream->output, stream->buf.data, stream->buf.len);
  stream->buf.len = 0;
  return status;
}

nprof_status
stream_flush (Stream *stream)
{
  if (stream->buf.len < WRITE_BYTES && !stream->buf.failed)
    return NPROF_OK;
  return write_all (stream, Z_NO_FLUSH);
}

nprof_status
stream_finish (Stream *stream)
{
  nprof_status status = write_all (stream, Z_FINISH);
  return status == NPROF_OK ? stream->output->close (stream->output) : status;
}

void
stream_clear (Stream *stream)
{
  if (stream->gzip)
    deflateEnd (&stream->zlib);
  g_clear_pointer (&stream->packed, g_free);
  nprof_buf_clear (&stream->buf);
}

void
stream_tell_loss (const struct nprof_host *host, guint64 count, const char *what)
{
  if (count)
    nprof_log (host, NPROF_WARNING, "%" G_GUINT64_FORMAT " %s", count, what);
}
