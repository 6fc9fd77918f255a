/* SPDX-License-Identifier: Apache-2.0 */
/* folder-lock.h - keeps two runs from replacing the manifest of a folder at the same time. */
#pragma once

#include <glib.h>

/* `folders` are real paths, of char *, which are sorted.  Waits for runs that hold one of them.  A
 * file system that has no locks is used without.  Returns descriptors; closing them unlocks. */
GArray *np_lock_folders (GPtrArray *folders);
void np_unlock_folders (GArray *locks);
