/* SPDX-License-Identifier: Apache-2.0 */
/* answers-steps.h - takes the rows of tables of steps and verdicts, for answers.c. */
#pragma once

#include "answers-row.h"

void answers_take_breakdown (Answers *answers, const Reader *row);
/* Rows of idle causes come behind those of the breakdown, which say what the profile cut. */
void answers_take_cause (Answers *answers, const Reader *row);
void answers_take_bound (Answers *answers, const Reader *row);
void answers_take_walked (Answers *answers, const Reader *row);
void answers_device_free (gpointer device); /* DeviceSteps */
void answers_verdict_clear (gpointer verdict);
