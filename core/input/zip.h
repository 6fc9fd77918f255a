/* SPDX-License-Identifier: Apache-2.0 */
/* zip.h - the one file of a zip archive, as chrome://tracing saves a trace, as a stream. */
#pragma once

#include <glib.h>

/* Returns the next bytes of the archive, valid until the next call; 0 at its end, -1 with error. */
typedef gssize (*NpZipSource) (gpointer user, const void **bytes, GError **error);

typedef struct NpZip NpZip;

/* Returns NULL when libarchive is not installed.  Reading says what is wrong with the archive. */
NpZip *np_zip_new (NpZipSource source, gpointer user);
void np_zip_free (NpZip *zip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpZip, np_zip_free)

/* Returns how many bytes were written to `to`, 1..room; 0 at the end; -1: *why is what is wrong
 * with the archive, or NULL when the source failed, with its error. */
gssize np_zip_read (NpZip *zip, void *to, gsize room, const char **why, GError **error);
