/* SPDX-License-Identifier: Apache-2.0 */
/* checked-files.h - which plugins have passed nprof check, and which of their components a run has
 * had live again, by what is in their files. */
#pragma once

#include <glib.h>

gboolean np_checked_files_have (const char *file);
/* FALSE: the list cannot be written. */
gboolean np_checked_files_add (const char *file, GError **error);
/* what: the component, and how it was told to live. */
gboolean np_checked_files_tried (const char *file, const char *what);
/* Where there is no home, or the list cannot be written, it is tried again after the next run. */
void np_checked_files_add_tried (const char *file, const char *what);
