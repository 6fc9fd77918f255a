/* SPDX-License-Identifier: Apache-2.0 */
/* student.c - Student's t by the regularized incomplete beta function.
 * source: Abramowitz and Stegun, 26.5.8 (continued fraction) and 26.7.1 */

#include "diff/student.h"

#include <math.h>

#define TINY 1e-300
#define MANY_DF 1e6

static double
not_zero (double x)
{
  return fabs (x) > TINY ? x : TINY;
}

/* Evaluates the continued fraction by the method of Lentz. */
static double
fraction (double a, double b, double x)
{
  double c = 1, d = 1 / not_zero (1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < 400; m++) {
    const double terms[] = { m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                             -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) };
    for (int i = 0; i < 2; i++) {
      d = 1 / not_zero (1 + terms[i] * d);
      c = not_zero (1 + terms[i] / c);
      value *= c * d;
    }
    if (fabs (c * d - 1) < 1e-13)
      break;
  }
  return value;
}

static double
incomplete_beta (double a, double b, double x)
{
  if (x <= 0 || x >= 1)
    return x <= 0 ? 0 : 1;
  double front = exp (lgamma (a + b) - lgamma (a) - lgamma (b) + a * log (x) + b * log (1 - x));
  return x < (a + 1) / (a + b + 2) ? front * fraction (a, b, x) / a
                                   : 1 - front * fraction (b, a, 1 - x) / b;
}

double
np_student_tail (double t, double df)
{
  if (isinf (t))
    return 0;
  return df > MANY_DF ? erfc (fabs (t) / M_SQRT2)
                      : incomplete_beta (df / 2, 0.5, df / (df + t * t));
}

/* Bisection finds t, because the tail falls with t. */
double
np_student_quantile (double p, double df)
{
  double low = 0, high = 1;
  while (np_student_tail (high, df) > p && high < 1e9)
    high *= 2;
  for (int i = 0; i < 60 && high - low > 1e-12 * high; i++) {
    double middle = (low + high) / 2;
    if (np_student_tail (middle, df) > p)
      low = middle;
    else
      high = middle;
  }
  return high;
}
