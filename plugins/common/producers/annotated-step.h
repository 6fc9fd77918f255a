/* SPDX-License-Identifier: Apache-2.0 */
/* annotated-step.h - which texts of ranges that a program annotates (NVTX, roctx) name a step. */
#ifndef PRODUCERS_ANNOTATED_STEP_H
#define PRODUCERS_ANNOTATED_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the number of a step: of texts like "step 12", "iteration_12", "ProfilerStep#12"; where
 * there is a pattern (with * and ?), of those that it matches, their last number. */
bool annotated_step (const char *pattern, const char *text, int64_t *number);

#endif
