/* SPDX-License-Identifier: Apache-2.0 */
/* summary-words.h - the sentences of the first screen. */
#pragma once

#include "answers.h"

/* Returns "idle", "compute", ... */
const char *words_part (Part part);
/* Returns the words for idle time whose place is not known. */
const char *words_cause (const Answers *answers, const char *cause);
gboolean words_are_cause (const char *words);
/* Tells whether nobody knows where the host was in that idle time. */
gboolean words_are_silent (const Answers *answers, const IdlePlace *place);
/* Tells whether the device waits notably for its host, and the host mostly for data. */
gboolean words_wait_for_data (const Answers *answers, const DeviceSteps *device);
/* Tells whether most of the time, first step to last, is in none, so that what bounds a step says little. */
gboolean words_lie_between (const DeviceSteps *device);
/* Says what lessens the idle time of such a device; "": nobody knows. */
const char *words_remedy (const Answers *answers, const DeviceSteps *device);
const char *words_copy_remedy (const Answers *answers, const DeviceSteps *device);
/* Returns "Summary of python3.10 (GPU 0), rank 0 of 2, A100, 3 steps"; transfer full. */
char *words_headline (const Answers *answers, guint n_devices);
/* Returns "HOST-BOUND: the GPU idles 76 % of a step; 94 % of that is before the launch"; v NULL:
 * nobody judged.  Transfer full; NULL: there is nothing to say. */
char *words_verdict (const Answers *answers, const Verdict *v);
/* Says which rows are missing, so that nobody knows what the device did while it seems idle; NULL: none. */
const char *words_missing (const Verdict *v);
/* Says what the path of steps is made of, and how many were walked; transfer full. */
char *words_path (const Answers *answers, const Verdict *v, guint n, guint of);
