/* SPDX-License-Identifier: Apache-2.0 */
/* remove.h - removes stored profiles. */
#pragma once

#include <glib.h>

/* Removes the profile; with `kept` also what people keep of it.  A reader that has it open keeps
 * what is mapped. *bytes, unless NULL, is what it took on the disk.  NP_EXIT_SINK. */
gboolean np_profile_remove (const char *store, const char *id, gboolean kept, guint64 *bytes,
                            GError **error);
/* Removes a folder of files, and of folders of files, as far as possible. */
void np_remove_folder (const char *path);
