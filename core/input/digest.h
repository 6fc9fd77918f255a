/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - what tells one input from another without reading all of it: SHA-1 over its size
 * (decimal digits), its first and its last MiB, which overlap in small ones. */
#pragma once

#include <glib.h>

#define NP_DIGEST_BYTES (1u << 20) /* of each end */
#define NP_DIGEST_HEX 40

/* `hex` has room for NP_DIGEST_HEX digits and a NUL. */
void np_digest_memory (const void *data, guint64 len, char *hex);
/* Digests a regular file as it lies there, compressed or not.  NP_EXIT_INPUT. */
gboolean np_digest_file (const char *path, char *hex, GError **error);
