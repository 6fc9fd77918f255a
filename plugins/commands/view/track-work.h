/* SPDX-License-Identifier: Apache-2.0 */
/* track-work.h - how long tracks of devices worked: what tables devices and engines have of
 * them. */
#pragma once

#include "ask.h"

typedef struct NpTrackWork NpTrackWork;

NpTrackWork *np_track_work_new (NpAsk *ask);
void np_track_work_free (NpTrackWork *work);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpTrackWork, np_track_work_free)

/* Puts member `work` of a track: null where no table has it, or where two tracks have one name
 * there. */
void np_json_track_work (NpAsk *ask, const NpTrackWork *work, const struct nprof_store_track *t);
