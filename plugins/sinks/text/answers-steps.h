/* SPDX-License-Identifier: Apache-2.0 */
/* answers-steps.h - takes the rows of tables of steps, for answers.c. */
#pragma once

#include "answers-row.h"

void answers_take_breakdown (Answers *answers, const Reader *row);
