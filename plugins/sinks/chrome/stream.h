/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - the bytes of the trace on their way to its file, compressed when the file is
 * named .gz. */
#pragma once

#include <glib.h>
#include <nprof/format.h>
#include <nprof/sdk.h>
#include <zlib.h>

typedef struct stream {
  const struct nprof_host *host;
  struct nprof_output *output;
  struct nprof_buf buf; /* what is put here goes to the file */
  gboolean gzip;
  z_stream zlib;
  guint8 *packed;
} Stream;

/* name NULL: the one file of the target. */
nprof_status stream_open (Stream *stream, const struct nprof_host *host, const char *name,
                          gboolean gzip);
/* Writes what is there, once it is worth a write. */
nprof_status stream_flush (Stream *stream);
nprof_status stream_finish (Stream *stream);
void stream_clear (Stream *stream);
