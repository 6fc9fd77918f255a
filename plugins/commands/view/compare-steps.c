/* SPDX-License-Identifier: Apache-2.0 */
/* compare-steps.c - steps of two profiles beside each other, of what nprof diff --by steps says. */

#include "compare.h"

#include <math.h>
#include <stdlib.h>

static const char *const sides[] = { "base_steps", "new_steps" };

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

/* Returns the window of a step of a list; NAN: there is none. */
static double
window_of (JsonArray *steps, guint i, const char **name)
{
  gboolean known = FALSE;
  JsonObject *o = steps && i < json_array_get_length (steps)
                      ? json_array_get_object_element (steps, i)
                      : NULL;
  double window = np_body_double (o, "window_ps", &known);
  *name = np_body_text (o, "step");
  return known ? window : NAN;
}

/* Puts the i-th step of both sides. */
static void
put_pair (NpJson *j, JsonObject *device, guint i, const char *id)
{
  const char *name[2];
  double window[2];
  for (guint k = 0; k < 2; k++)
    window[k] = window_of (np_body_array (device, sides[k]), i, &name[k]);
  np_json_array (j, NULL);
  np_json_i64 (j, NULL, i + 1);
  np_json_text (j, NULL, np_body_text (np_body_object (device, "base"), "device"));
  np_json_text (j, NULL, name[0]);
  np_json_text (j, NULL, name[1]);
  np_json_double_or_null (j, NULL, window[0]);
  np_json_double_or_null (j, NULL, window[1]);
  np_json_double_or_null (j, NULL, change_of (window[0], window[1]));
  np_json_text (j, NULL, id);
  np_json_end_array (j);
}

static guint
length_of (JsonObject *device, guint side)
{
  JsonArray *steps = np_body_array (device, sides[side]);
  return steps ? json_array_get_length (steps) : 0;
}

/* Returns whether these are steps: a recording without any is one of no name. */
static gboolean
has_steps (JsonObject *device)
{
  const char *name[2];
  window_of (np_body_array (device, sides[0]), 0, &name[0]);
  window_of (np_body_array (device, sides[1]), 0, &name[1]);
  return name[0] || name[1];
}

guint
np_compare_step_rows (NpJson *j, JsonObject *diff, const char *id)
{
  JsonArray *devices = np_body_array (diff, "devices");
  guint n = 0;
  for (guint d = 0; devices && d < json_array_get_length (devices); d++) {
    JsonObject *device = json_array_get_object_element (devices, d);
    guint pairs = has_steps (device) ? MAX (length_of (device, 0), length_of (device, 1)) : 0;
    for (guint i = 0; i < pairs; i++)
      put_pair (j, device, i, id);
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
median_of (JsonArray *steps)
{
  guint n = 0, all = steps ? json_array_get_length (steps) : 0;
  g_autofree double *windows = g_new (double, all + 1);
  const char *name;
  for (guint i = 0; i < all; i++) {
    windows[n] = window_of (steps, i, &name);
    n += !isnan (windows[n]);
  }
  qsort (windows, n, sizeof *windows, by_value);
  return n ? (windows[(n - 1) / 2] + windows[n / 2]) / 2 : NAN;
}

void
np_compare_medians (NpJson *j, JsonObject *diff, const char *id)
{
  JsonArray *devices = np_body_array (diff, "devices");
  for (guint d = 0; devices && d < json_array_get_length (devices); d++) {
    JsonObject *device = json_array_get_object_element (devices, d);
    double base = median_of (np_body_array (device, sides[0])),
           new = median_of (np_body_array (device, sides[1]));
    if (!has_steps (device))
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "device", np_body_text (np_body_object (device, "base"), "device"));
    np_json_text (j, "profile", id);
    np_json_double_or_null (j, "a_ps", base);
    np_json_double_or_null (j, "b_ps", new);
    np_json_double_or_null (j, "change", change_of (base, new));
    np_json_end_object (j);
  }
}
