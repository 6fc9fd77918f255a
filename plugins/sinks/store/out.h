/* SPDX-License-Identifier: Apache-2.0 */
/* out.h - a file that is written from its start to its end, with a checksum a page. */
#pragma once

#include "fault.h"

#include <stdint.h>

struct store_out {
  int fd;            /* -1: not open */
  char *name;        /* for errors   */
  uint64_t at;       /* bytes so far, also those still in memory */
  uint8_t *buffer;
  size_t n;
  bool paged;        /* sums are kept */
  uint32_t *sums;
  size_t n_sums, max_sums;
};

/* `paged` is for a file that is checked by pages. */
bool store_out_open (struct store_out *out, int folder, const char *name, bool paged,
                     struct store_fault *fault);
/* Opens an unlinked file in $TMPDIR, to be read again with store_out_read. */
bool store_out_temp (struct store_out *out, struct store_fault *fault);
bool store_out_put (struct store_out *out, const void *data, size_t len, struct store_fault *fault);
bool store_out_flush (struct store_out *out, struct store_fault *fault);
/* Reads any range that was put; flushes first. */
bool store_out_read (struct store_out *out, uint64_t at, void *data, size_t len,
                     struct store_fault *fault);
/* Flushes, sums up the last page; the file stays open.  `sync` waits until it is on the disk. */
bool store_out_end (struct store_out *out, bool sync, struct store_fault *fault);
void store_out_clear (struct store_out *out);
