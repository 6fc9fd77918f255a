/* SPDX-License-Identifier: Apache-2.0 */
/* screen.h - the first screen of a report, for the head of the page: the verdict, what a step is
 * made of, and the lines below. */
#pragma once

#include "ask.h"

/* Puts member `screen` (docs/formats/view-api.md, 4): tables summary, verdict and verdict_parts. */
void np_json_screen (NpAsk *ask);
