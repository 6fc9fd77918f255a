/* SPDX-License-Identifier: Apache-2.0 */
/* compare-steps.c - steps of two profiles beside each other, paired as by nprof diff --by steps. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>

void
np_compare_step_columns (NpJson *j)
{
  static NpColumnText columns[]
      = { { "number", "int64", "", "key" },     { "device", "string", "", "key" },
          { "step_a", "text", "", "value" },    { "step_b", "text", "", "value" },
          { "a_ps", "double", "ps", "value" },  { "b_ps", "double", "ps", "value" },
          { "change", "double", "1", "value" }, { "profile", "string", "", "key" } };
  np_compare_columns (j, columns, G_N_ELEMENTS (columns));
}

/* Returns how much longer; NAN: one of them is not known, or took no time. */
static double
change_of (double base, double new)
{
  return base > 0 ? new / base - 1 : NAN;
}

/* Returns the i-th step of a side; without one, one of no name and an unknown window. */
static NpDiffStep
step_at (const NpDiffSide *side, guint i)
{
  return i < side->steps->len ? g_array_index (side->steps, NpDiffStep, i)
                              : (NpDiffStep){ .window = (double) NAN };
}

/* Puts the i-th step of both sides. */
static void
put_pair (NpJson *j, const NpDiffComparison *c, guint i, const char *id)
{
  const NpDiffStep base = step_at (c->base, i), new = step_at (c->new, i);
  np_json_array (j, NULL);
  np_json_i64 (j, NULL, i + 1);
  np_json_text (j, NULL, c->base->device);
  np_json_text (j, NULL, base.name);
  np_json_text (j, NULL, new.name);
  np_json_double_or_null (j, NULL, base.window);
  np_json_double_or_null (j, NULL, new.window);
  np_json_double_or_null (j, NULL, change_of (base.window, new.window));
  np_json_text (j, NULL, id);
  np_json_end_array (j);
}

/* Returns whether these are steps: a recording without any is one of no name. */
static gboolean
has_steps (const NpDiffComparison *c)
{
  return step_at (c->base, 0).name || step_at (c->new, 0).name;
}

guint
np_compare_step_rows (NpJson *j, const NpDiffReport *diff, const char *id)
{
  guint n = 0;
  for (guint d = 0; d < diff->comparisons->len; d++) {
    const NpDiffComparison *c = diff->comparisons->pdata[d];
    const guint pairs = has_steps (c) ? MAX (c->base->steps->len, c->new->steps->len) : 0;
    for (guint i = 0; i < pairs; i++)
      put_pair (j, c, i, id);
    n += pairs;
  }
  return n;
}

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Returns the median of the windows; NAN: there is none. */
static double
median_of (const NpDiffSide *side)
{
  guint n = 0;
  g_autofree double *windows = g_new (double, side->steps->len + 1);
  for (guint i = 0; i < side->steps->len; i++) {
    windows[n] = step_at (side, i).window;
    n += !isnan (windows[n]);
  }
  qsort (windows, n, sizeof *windows, by_value);
  return n ? (windows[(n - 1) / 2] + windows[n / 2]) / 2 : NAN;
}

void
np_compare_medians (NpJson *j, const NpDiffReport *diff, const char *id)
{
  for (guint d = 0; d < diff->comparisons->len; d++) {
    const NpDiffComparison *c = diff->comparisons->pdata[d];
    if (!has_steps (c))
      continue;
    const double base = median_of (c->base), new = median_of (c->new);
    np_json_object (j, NULL);
    np_json_text (j, "device", c->base->device);
    np_json_text (j, "profile", id);
    np_json_double_or_null (j, "a_ps", base);
    np_json_double_or_null (j, "b_ps", new);
    np_json_double_or_null (j, "change", change_of (base, new));
    np_json_end_object (j);
  }
}
