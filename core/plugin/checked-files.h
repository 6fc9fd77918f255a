/* SPDX-License-Identifier: Apache-2.0 */
/* checked-files.h - which plugins have passed nprof check, by what is in their files. */
#pragma once

#include <glib.h>

gboolean np_checked_files_have (const char *file);
/* FALSE: the list cannot be written. */
gboolean np_checked_files_add (const char *file, GError **error);
