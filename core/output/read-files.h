/* SPDX-License-Identifier: Apache-2.0 */
/* read-files.h - the files that a command reads, by device and inode, so that it never writes over
 * one of them: whatever a path says, by links too.  [any-thread] but for new and free. */
#pragma once

#include <glib.h>

typedef struct NpReadFiles NpReadFiles;

NpReadFiles *np_read_files_new (void);
void np_read_files_free (NpReadFiles *files);
/* Remembers a file, "-" for stdin; what is no file, or is not there, is skipped. `files` may be
 * NULL, here and below. */
void np_read_files_add (NpReadFiles *files, const char *path);
/* Returns whether to write there would change a file that is read: FALSE with NP_EXIT_USAGE. `path`
 * may lead to nothing, to a folder or to a device, or name an open descriptor. */
gboolean np_read_files_spare (NpReadFiles *files, const char *path, GError **error);
