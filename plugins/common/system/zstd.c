/* SPDX-License-Identifier: Apache-2.0 */
/* zstd.c - zstd, opened at its first call: what the core calls of it. */

#define LATE_FILE "libzstd.so.1"
#define LATE_NAME "zstd"
#define LATE_PACKAGE "libzstd1"
#define LATE_NEEDED "zstd 1.3"

#include "late-library.h"
#include "late-zstd.h"

/* It takes the pointers below for products. */
/* clang-format off */

FORWARD (unsigned, ZSTD_isError, (size_t code), (code))
FORWARD (const char *, ZSTD_getErrorName, (size_t code), (code))
FORWARD (size_t, ZSTD_compressBound, (size_t len), (len))
FORWARD (size_t, ZSTD_compress,
         (void *to, size_t room, const void *from, size_t len, int level),
         (to, room, from, len, level))
FORWARD (size_t, ZSTD_decompress,
         (void *to, size_t room, const void *from, size_t len),
         (to, room, from, len))
FORWARD (unsigned long long, ZSTD_getFrameContentSize, (const void *from, size_t len), (from, len))
FORWARD (ZSTD_DCtx *, ZSTD_createDCtx, (void), ())
FORWARD (size_t, ZSTD_freeDCtx, (ZSTD_DCtx *d), (d))
FORWARD (size_t, ZSTD_decompressStream,
         (ZSTD_DCtx *d, ZSTD_outBuffer *to, ZSTD_inBuffer *from),
         (d, to, from))
