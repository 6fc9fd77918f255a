/* SPDX-License-Identifier: Apache-2.0 */
/* checked-files.h - which plugins have passed nprof check, and which of their components a run has
 * had live again, by what is in their files. */
#pragma once

#include <glib.h>

#define NP_FILES_CHECKED "checked" /* plugins that nprof check has passed */
#define NP_FILES_TRIED "tried"     /* with a component that has lived again after a run */

/* what: beside NP_FILES_TRIED the component, and how it was told to live; else NULL. */
gboolean np_checked_files_have (const char *list, const char *file, const char *what);
/* FALSE: the list cannot be written. */
gboolean np_checked_files_add (const char *list, const char *file, const char *what,
                               GError **error);
