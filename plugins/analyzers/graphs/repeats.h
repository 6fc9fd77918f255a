/* SPDX-License-Identifier: Apache-2.0 */
/* repeats.h - finds where a sequence repeats itself, as layers of a model do. Knows numbers
 * alone. */
#pragma once

#include <glib.h>

/* A part of a sequence: `times` times `period` places, from `first` on. */
typedef struct {
  guint first, period, times;
} Repeat;

#define REPEATS_LEAST 3u     /* times */
#define REPEATS_LONGEST 512u /* places of a period: all of them are tried at each place */

/* Returns the longest repeats of n numbers, none within another, by place; of Repeat; transfer
 * full. A period has two different numbers at least. */
GArray *repeats_find (const guint32 *of, guint n);
