/* SPDX-License-Identifier: Apache-2.0 */
/* time-text.h - a time in a sentence of the viewer. */
#pragma once

#include <glib.h>

/* Returns the time of `ps` picoseconds as people read it, "260.001 us"; the caller frees it. */
char *np_time_text (gint64 ps);
