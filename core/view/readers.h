/* SPDX-License-Identifier: Apache-2.0 */
/* readers.h - profiles that are being read while the server serves: each by a nprof of its own, so that a plugin that
 * crashes takes nothing with it, and that it can be ended. */
#pragma once

#include "view/listing.h"

#include "base/log.h"

typedef struct NpReaders NpReaders;

NpReaders *np_readers_new (NpListing *listing, NpOpened *opened, NpLog *log);
/* Begins `nprof ARGUMENTS`, which stores profile id; label: what people call it. */
void np_readers_start (NpReaders *readers, const char *id, const char *label, char **arguments);
/* Ends what runs, within a second, and frees.  *cut: one had to be ended; *status: the worst exit status of those that
 * failed, 0 of none. */
void np_readers_free (NpReaders *readers, gboolean *cut, int *status);
