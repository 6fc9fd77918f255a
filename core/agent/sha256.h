/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.h - the SHA-256 of a file, by the instructions that the processor has for it. */
#pragma once

#include <glib.h>

/* Hashes n blocks of 64 bytes into the state. */
typedef void (*NpSha256Blocks) (guint32 state[8], const guint8 *data, gsize n);

/* For processors with SSE 4.1 and the SHA extensions. */
void np_sha256_blocks_x86 (guint32 state[8], const guint8 *data, gsize n);

/* Returns what hashes blocks on this processor; NULL: it has no instructions for that. */
NpSha256Blocks np_sha256_blocks (void);

/* Returns the digits in hex of what can be read from here on; transfer full. NULL: errno says why,
 * or stop () was TRUE between two pieces. */
char *np_sha256_read (int fd, NpSha256Blocks blocks, gboolean (*stop) (gpointer user),
                      gpointer user);
