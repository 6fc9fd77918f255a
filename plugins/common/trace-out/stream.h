/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h - takes the bytes of the trace to its file, compressed when the file is named .gz. */
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

/* NULL as name is the one file of the target. */
nprof_status stream_open (Stream *stream, const struct nprof_host *host, const char *name,
                          gboolean gzip);
/* Writes the bytes that are there, once they are worth a write. */
nprof_status stream_flush (Stream *stream);
nprof_status stream_finish (Stream *stream);
void stream_clear (Stream *stream);
/* Warns of what a trace does not hold, unless it is nothing. */
void stream_tell_loss (const struct nprof_host *host, guint64 count, const char *what);
