/* SPDX-License-Identifier: Apache-2.0 */
/* rename-set.h - many renames that happen all or not at all.  One thread. */
#pragma once

#include "base/log.h"

typedef struct NpRenameSet NpRenameSet;

NpRenameSet *np_rename_set_new (NpLog *log);
void np_rename_set_free (NpRenameSet *renames);
/* Plans that `temp` takes the place; NULL: the file that stands there is removed.  `path` is for
 * people.  All are copied. */
void np_rename_set_add (NpRenameSet *renames, const char *path, const char *destination,
                        const char *temp);
/* Renames in the order of the calls.  NP_EXIT_SINK, and all is as it was: temporary files that had
 * been placed are gone, the others left to the caller. */
gboolean np_rename_set_do (NpRenameSet *renames, GError **error);
/* Removes for good what was replaced or cleared.  Call it after np_rename_set_do. */
void np_rename_set_settle (NpRenameSet *renames);
