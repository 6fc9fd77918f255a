/* SPDX-License-Identifier: Apache-2.0 */
/* folder-lock.h - keeps two runs from replacing the manifest of a folder at the same time. */
#pragma once

#include <glib.h>

/* folders: real paths, of char *; sorts them.  Waits for runs that hold one of them.  A file system
 * that has no locks is used without.  Returns descriptors; their end unlocks. */
GArray *np_lock_folders (GPtrArray *folders);
void np_unlock_folders (GArray *locks);
