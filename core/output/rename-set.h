/* SPDX-License-Identifier: Apache-2.0 */
/* rename-set.h - many renames that happen all or not at all.  One thread. */
#pragma once

#include "base/log.h"

typedef struct NpMoves NpMoves;

NpMoves *np_moves_new (NpLog *log);
void np_moves_free (NpMoves *moves);
/* temp takes the place; NULL: what stands there goes.  path: for people.  Copied. */
void np_moves_add (NpMoves *moves, const char *path, const char *place, const char *temp);
/* In the order of the calls.  NP_EXIT_SINK, and all is as it was: temporary files that had
 * been placed are gone, the others left to the caller. */
gboolean np_moves_do (NpMoves *moves, GError **error);
/* After that: what was replaced or cleared goes for good. */
void np_moves_settle (NpMoves *moves);
