/* SPDX-License-Identifier: Apache-2.0 */
/* student.h - Student's t distribution.  Pure. */
#pragma once

#include <glib.h>

/* Returns the two-sided probability of a |t| that large; df > 0, above a million as the normal
 * distribution. */
double np_student_tail (double t, double df);

/* Returns the t that has the two-sided probability p, 0 < p < 1. */
double np_student_quantile (double p, double df);
