/* SPDX-License-Identifier: Apache-2.0 */
/* inflate.h - a file descriptor as one stream of inflated bytes: gzip (of any number of
 * members), zstd (of any number of frames), zip (of one file) or plain, told apart by the first
 * bytes. One thread. All errors name the byte of the compressed file; code NP_EXIT_INPUT. */
#pragma once

#include <glib.h>
#include <stdatomic.h>

typedef enum { NP_PLAIN, NP_GZIP, NP_ZSTD, NP_ZIP } NpCompression;

typedef struct NpInflate NpInflate;

/* `fd` stays the caller's; `path` is for texts.  `interrupt` is NULL, or an exit status once the
 * run must end; then reading, also from a silent pipe, fails with that code. */
NpInflate *np_inflate_new (int fd, const char *path, const atomic_int *interrupt, GError **error);
void np_inflate_free (NpInflate *in);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpInflate, np_inflate_free)

NpCompression np_inflate_kind (const NpInflate *in);
/* Returns how many bytes were written to `to`, 1..room; 0 at the end; -1 with error.  Bytes before
 * damage are handed out first. */
gssize np_inflate_read (NpInflate *in, void *to, gsize room, GError **error);
/* Returns whether reading failed because the file ends too soon: all bytes before were right. Where
 * damage began is unknown: what deflate makes of changed bytes mostly looks well for a while. */
gboolean np_inflate_is_cut (const NpInflate *in);
guint64 np_inflate_taken (const NpInflate *in); /* bytes of the file worked through so far */
