/* SPDX-License-Identifier: Apache-2.0 */
/* readers.h - reads profiles while the server serves, each by a nprof of its own, so that a plugin
 * that crashes takes nothing with it, and that it can be ended. */
#pragma once

#include "base/log.h"
#include "stored/listing.h"
#include "reading.h"

typedef struct NpReaders NpReaders;

NpReaders *np_readers_new (const char *store, NpListing *listing, NpOpened *opened, NpLog *log);
/* Begins to read profile id, unless it is being read. A reader whose profile is in the store
 * already, as the list says, is waited for here and below. [any-thread] */
void np_readers_start (NpReaders *readers, const char *id, const NpReading *reading);
/* Returns whether this server is reading it. [any-thread] */
gboolean np_readers_run (NpReaders *readers, const char *id);
/* Returns the request that this server last read it with; transfer full, NULL: it did not. */
NpReading *np_readers_known (NpReaders *readers, const char *id);
/* Ends what runs, as np_child_run does; nothing begins any more. */
void np_readers_end (NpReaders *readers);
/* After the end, when nobody asks any more. */
void np_readers_free (NpReaders *readers);
