/* SPDX-License-Identifier: Apache-2.0 */
/* own-store.h - the stored profile that a command asks: one that is there, or one that it reads its
 * inputs into and leaves nothing of. */
#pragma once

#include "cli/cli.h"

typedef struct {
  char *folder, *id; /* the profile is folder/id                     */
  gboolean own;      /* the folder goes when the store is let go     */
} NpOwnStore;

/* Are only some of the rows asked for? */
gboolean np_cli_selects (const NpCliOptions *o);
/* Finds the stored profile n_... that the one input names, without a selection or analyzers of its
 * own.  FALSE: the inputs must be read. */
gboolean np_own_store_find (NpOwnStore *store, const NpCliOptions *o);
/* Reads the inputs with the analyzers of o->config into a temporary folder.  *status: an NpExit.
 * FALSE: there is no profile, and the cause has been printed. */
gboolean np_own_store_read (NpOwnStore *store, NpCliOptions *o, int *status);
/* Removes what was read; a store that was opened meanwhile stays readable. */
void np_own_store_clear (NpOwnStore *store);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpOwnStore, np_own_store_clear)
