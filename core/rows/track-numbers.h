/* SPDX-License-Identifier: Apache-2.0 */
/* track-numbers.h - numbers for the tracks that got no rows. */
#pragma once

#include "rows/strings.h"
#include "rows/tracks.h"

/* Numbers them after the last delivery: parents before children, and by sort, kind and key among
 * the children of one track, so that nothing depends on the order in which tracks were made. */
void np_track_numbers_complete (NpTracks *tracks, NpStrings *strings);
