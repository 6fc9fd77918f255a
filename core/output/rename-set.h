/* SPDX-License-Identifier: Apache-2.0 */
/* rename-set.h - many renames that happen all or not at all.  One thread. */
#pragma once

#include "base/log.h"

typedef struct NpRenameSet NpRenameSet;

NpRenameSet *np_rename_set_new (NpLog *log);
void np_rename_set_free (NpRenameSet *renames);
/* temp takes the place; NULL: what stands there goes.  path: for people.  Copied. */
void np_rename_set_add (NpRenameSet *renames, const char *path, const char *destination,
                        const char *temp);
/* In the order of the calls.  NP_EXIT_SINK, and all is as it was: temporary files that had
 * been placed are gone, the others left to the caller. */
gboolean np_rename_set_do (NpRenameSet *renames, GError **error);
/* After that: what was replaced or cleared goes for good. */
void np_rename_set_settle (NpRenameSet *renames);
