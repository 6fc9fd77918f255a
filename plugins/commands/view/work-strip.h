/* SPDX-License-Identifier: Apache-2.0 */
/* work-strip.h - how much of each pixel of the whole profile a device worked, by kind of work, from
 * the stored picture. */
#pragma once

#include "label-class.h"

/* Adds up the work of the tracks below a track: shares[k * pixels + x] is what of pixel x, from
 * t0 + x * p on, work of kind k takes where none of an earlier kind runs.  Returns whether there is
 * any; FALSE, too, where *failed is set: the store cannot be read, or time is over. */
gboolean np_work_strip (NpAsk *ask, NpKins *kins, guint32 track, guint32 pixels, gint64 t0,
                        gint64 p, double *shares, gboolean *failed);
