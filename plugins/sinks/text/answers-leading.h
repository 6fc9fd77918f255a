/* SPDX-License-Identifier: Apache-2.0 */
/* answers-leading.h - the operators and the kernels that take most of the time of each device. */
#pragma once

#include "answers-row.h"

/* These lead a table of a device; shares: of Share, in no order. */
typedef struct {
  nprof_str input, device;
  guint level; /* of operators */
  GArray *shares;
} Leading;

/* Returns an array of Leading that frees what they hold. */
GArray *answers_leading_new (void);
void answers_take_operator (Answers *answers, const Reader *r);
void answers_take_kernel (Answers *answers, const Reader *r);
/* Returns the shares of the device among `all`; NULL: there are none. */
GArray *answers_leading_of (const GArray *all, nprof_str input, nprof_str device);
