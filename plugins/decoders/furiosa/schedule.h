/* SPDX-License-Identifier: Apache-2.0 */
/* schedule.h - schedule.json of the RNGD compiler, which is one part, however large. */
#pragma once

#include "columns.h"
#include "furiosa.h"


/* Tells by the first bytes p..end, which are no space, whether a file is a schedule. */
bool fu_is_schedule (const char *p, const char *end);
/* Says what the file is, and announces its tables. */
nprof_status fu_schedule_plan (Furiosa *f);
/* Writes its rows. */
nprof_status fu_schedule_decode (FuPart *part);
