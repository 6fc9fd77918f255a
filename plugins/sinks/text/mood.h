/* SPDX-License-Identifier: Apache-2.0 */
/* mood.h - tells which numbers of a report look bad.  Knows nothing of paper. */
#pragma once

#include <glib.h>

typedef enum { MOOD_PLAIN, MOOD_DIM, MOOD_WARN, MOOD_BAD } Mood;

/* Returns the mood of a value that is shown as a share, "23.8 %", by its name: busy below 80 % is a
 * warning, below 50 % it is bad; exposed above 5 and 10 %; lost, or not recorded, above 0 and 1 %.
 * An unknown one is dim. */
Mood mood_of (const char *name, const char *text);
