/* SPDX-License-Identifier: Apache-2.0 */
/* step-skews.h - how far apart devices or ranks begin and end a step. */
#pragma once

#include "ask.h"
#include "stored/cells.h"

/* Puts member skews of route steps: {input, step, last, begin, end} of each step. */
void np_put_step_skews (NpAsk *ask, const NpCells *steps);
