/* SPDX-License-Identifier: Apache-2.0 */
/* remove.h - takes stored profiles away. */
#pragma once

#include <glib.h>

/* Removes the profile; kept: also what people keep of it.  Whoever has it open keeps what is mapped.  *bytes: NULL, or what it
 * took on the disk.  NP_EXIT_SINK. */
gboolean np_profile_remove (const char *store, const char *id, gboolean kept, guint64 *bytes,
                            GError **error);
/* A folder of files, and of folders of files; whatever can be removed. */
void np_remove_folder (const char *path);
