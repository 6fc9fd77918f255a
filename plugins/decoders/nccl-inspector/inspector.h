/* SPDX-License-Identifier: Apache-2.0 */
/* inspector.h - what the files of the decoder nccl-inspector share.
 * source: plugins/profiler/inspector of NVIDIA/nccl, format v4.0 */
#pragma once

#include "columns.h"
#include "json/scan.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define UNKNOWN G_MININT64

enum {
  NI_COLLECTIVE,
  NI_COMMUNICATOR,
  NI_LABEL,
  NI_SIZE,
  NI_RANK,
  NI_SEQUENCE,
  NI_BYTES,
  NI_PEER,
  NI_KEYS
};

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  const char *data, *end;
  nprof_str key[NI_KEYS], category, unknown;
  bool want[NI_KEYS];
  bool has_origin;
  gint64 base_us; /* time 0, Unix */
} Inspector;

/* A line; UNKNOWN and 0: not told. */
typedef struct {
  const char *at;
  nprof_str id, name, host, collective, timing;
  gint64 rank, n_ranks, pid, written, sequence, peer, bytes, us;
  double algbw, busbw; /* GB/s; NAN: not told */
  gint64 start, stop;  /* us, Unix, of its kernels */
} NiLine;

/* line.c: reads a line.  Returns what is wrong with it; NULL: nothing.  *at: where that is. */
const char *ni_read (Inspector *self, const char *text, size_t len, NiLine *line, const char **at);

/* write.c: as a row of the table, and as a span where its times are known. */
nprof_status ni_write (Inspector *self, const NiLine *line);
