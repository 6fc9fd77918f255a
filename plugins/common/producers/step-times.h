/* SPDX-License-Identifier: Apache-2.0 */
/* step-times.h - in which step a moment of a host lies, and work of a device by its launch, for
 * decoders of formats in which a program only annotates its steps. */
#ifndef PRODUCERS_STEP_TIMES_H
#define PRODUCERS_STEP_TIMES_H

#include <glib.h>
#include <stdint.h>

typedef struct {
  int64_t number, start, end; /* ps */
} StepTime;

/* This is the number of the step in which a call began: below 0 in none. */
typedef struct {
  uint64_t correlation;
  int64_t start, step;
} StepLaunch;

/* Sorts by start, and joins the parts of a step, because each stream of a device has one. */
void step_times_sort (GArray *steps);
/* Returns the last that has begun by then, if it goes on; the one before it may go on longer.
 * NULL: none. */
const StepTime *step_time_at (const GArray *steps, int64_t at);

/* Compares by correlation, then by start. */
int step_launch_compare (gconstpointer a, gconstpointer b);
/* Returns the last of that id that began no later than the work, else the first: clocks of host and
 * device may differ.  The launches are sorted.  NULL: none. */
const StepLaunch *step_launch_find (const GArray *launches, uint64_t correlation, int64_t start);

#endif
