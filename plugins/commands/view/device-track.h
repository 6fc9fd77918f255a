/* SPDX-License-Identifier: Apache-2.0 */
/* device-track.h - the track of a device, which tables name by a text. */
#pragma once

#include "ask.h"
#include "stored/cells.h"

/* Returns the track by the name of its device, core or process in tables, where a core may have the
 * name of its device before its own, and the label of its input; NULL: of any. Returns NULL where
 * none has it. */
const struct nprof_store_track *np_device_track (const NpAsk *ask, const char *device,
                                                 const char *input);
/* The same of a row, by its columns device and input. */
const struct nprof_store_track *np_device_track_of (const NpAsk *ask, const NpCells *cells,
                                                    guint64 row);
