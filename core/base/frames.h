/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h - which functions a thread is in, by the tables that the unwinder of exceptions
 * reads. */
#pragma once

#include <glib.h>

/* Counts the frames of a function on the stack of this thread; 0 where there is no unwinder. */
guint np_frames_of (gpointer function);
