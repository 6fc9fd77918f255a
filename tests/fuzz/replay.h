/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - what replay.c asks of the samples of a format. */
#pragma once

#include <glib.h>

/* A sample whole, transfer full; NULL beyond the last. */
GByteArray *replay_sample (guint number);
/* What means something to the format: half of all changes put one of these in. */
extern const char replay_likely[];
