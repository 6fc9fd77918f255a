/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - what table findings tells of a profile. */
#pragma once

#include "view/ask.h"
#include "view/findings.h"

/* Adds the first row of each answer, and how many more things it tells of; of the window that the
 * request asks of. */
void np_find_told (NpAsk *ask, GPtrArray *all);
/* Sets the window of evidence that has no times of its own: all that was asked of. */
void np_finding_window (NpAsk *ask, NpFinding *finding);
