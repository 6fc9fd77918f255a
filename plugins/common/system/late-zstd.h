/* SPDX-License-Identifier: Apache-2.0 */
/* late-zstd.h - zstd.h for the core, which opens zstd at its first call (zstd.c). What stands in
 * for its functions has names of its own, so that libraries which need zstd themselves, as
 * libarchive does, do not find ours in the place of theirs. */
#pragma once

#define ZSTD_isError np_ZSTD_isError
#define ZSTD_getErrorName np_ZSTD_getErrorName
#define ZSTD_compressBound np_ZSTD_compressBound
#define ZSTD_compress np_ZSTD_compress
#define ZSTD_decompress np_ZSTD_decompress
#define ZSTD_getFrameContentSize np_ZSTD_getFrameContentSize
#define ZSTD_createDCtx np_ZSTD_createDCtx
#define ZSTD_freeDCtx np_ZSTD_freeDCtx
#define ZSTD_decompressStream np_ZSTD_decompressStream

/* Nor does anybody else see them. */
#define ZSTDLIB_VISIBLE
#define ZSTDLIB_VISIBILITY
#include <zstd.h>
