/* SPDX-License-Identifier: Apache-2.0 */
/* picture-steps.c - draws for a browser what devices did in a step, as one bar for each device:
 * what it worked, and idle time by its cause. Bars are to scale among each other. */

#include "picture.h"

#include <nprof/sdk.h>

#define MOST_DEVICES 32 /* more bars than a screen has lines tell nobody more */
#define WIDTH 1000.0    /* of the longest bar */

/* The parts of a window: these add up to it. */
static const struct {
  Part part;
  const char *name, *colour;
} kinds[] = {
  { PART_COMPUTE, "compute", "#2f7d4f" },
  { PART_COMMUNICATION, "exposed communication", "#7a4fb5" },
  { PART_COPY, "exposed copies", "#2b6cb0" },
  { PART_HOST, "idle: waiting for a launch", "#c2410c" },
  { PART_LAUNCH, "idle: launch latency", "#e0912f" },
  { PART_WAIT, "idle: waiting on another stream or kernel", "#a3a3a3" },
  { PART_UNLINKED, "idle: launch not in the file", "#6b7280" },
};

/* Devices without launches wait for a program, and within one for copies or collectives. */
static const char *
name_of (const Answers *a, guint kind)
{
  if (!a->launches && kinds[kind].part == PART_HOST)
    return "idle between programs";
  if (!a->launches && kinds[kind].part == PART_WAIT)
    return "idle within a program";
  return kinds[kind].name;
}

static void
put_bar (GString *out, const Answers *a, const DeviceSteps *d, const char *label, double longest)
{
  double at = 0;
  picture_bar_begin (out, label);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    double mean = answers_mean (d, kinds[i].part), width = WIDTH * mean / longest;
    g_autofree char *time = picture_number ("ps", mean);
    if (mean <= 0)
      continue;
    picture_bar_part (out, at, width, kinds[i].colour, name_of (a, i), time);
    at += width;
  }
  picture_bar_end (out);
}

static void
put_legend (GString *out, const Answers *a)
{
  g_string_append (out, "<p class=\"legend\">");
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    gboolean any = FALSE;
    for (guint k = 0; k < a->devices->len; k++)
      any |= answers_mean (g_ptr_array_index (a->devices, k), kinds[i].part) > 0;
    if (!any)
      continue;
    g_string_append (out, "<span>");
    picture_swatch (out, kinds[i].colour);
    g_string_append_printf (out, "%s</span> ", name_of (a, i));
  }
  g_string_append (out, "</p>\n");
}

/* Returns whether the parts of a step are known: not where it is unknown which instructions are
 * work. */
static gboolean
is_known (const DeviceSteps *d)
{
  return answers_steps (d)->n > 0 && !answers_steps (d)->unsure
         && answers_mean (d, PART_WINDOW) > 0;
}

/* Returns whether the device is one of those that have no steps where others have some: all of its
 * time is no step. */
static gboolean
is_without_steps (const Answers *a, const DeviceSteps *d)
{
  for (guint i = 0; i < a->devices->len && !d->named; i++)
    if (((const DeviceSteps *) g_ptr_array_index (a->devices, i))->named)
      return TRUE;
  return FALSE;
}

static double
longest_mean (const Answers *a)
{
  double longest = 0;
  for (guint i = 0; i < a->devices->len; i++) {
    const DeviceSteps *d = g_ptr_array_index (a->devices, i);
    if (!is_without_steps (a, d))
      longest = MAX (longest, answers_mean (d, PART_WINDOW));
  }
  return longest;
}

static void
put_device (GString *out, const Answers *a, const DeviceSteps *d, gboolean inputs, double longest)
{
  g_autofree char *time = picture_number ("ps", answers_mean (d, PART_WINDOW));
  g_autofree char *label
      = g_strdup_printf ("%s%s%s, %s", inputs ? nprof_text (a->host, d->input) : "",
                         inputs ? ", " : "", nprof_text (a->host, d->device), time);
  g_string_append (out, "<tr><th scope=\"row\">");
  picture_text (out, label);
  g_string_append (out, "</th><td class=\"bar\">");
  put_bar (out, a, d, label, longest);
  g_string_append (out, "</td></tr>\n");
}

void
picture_steps (GString *out, const Answers *a)
{
  double longest = longest_mean (a);
  gboolean inputs = a->host->run (a->host)->n_inputs > 1;
  guint shown = 0, known = 0, without = 0;
  GString *rows = g_string_new (NULL);
  for (guint i = 0; i < a->devices->len; i++) {
    const DeviceSteps *d = g_ptr_array_index (a->devices, i);
    gboolean drawn = is_known (d) && !is_without_steps (a, d);
    known += drawn;
    without += is_known (d) && !drawn;
    if (!drawn || shown == MOST_DEVICES)
      continue;
    put_device (rows, a, d, inputs, longest);
    shown++;
  }
  if (shown) {
    g_string_append (out, "<h2>What a step is made of</h2>\n<div tabindex=\"0\"><table "
                          "class=\"answers steps\"><tbody>\n");
    g_string_append (out, rows->str);
    g_string_append (out, "</tbody></table></div>\n");
    put_legend (out, a);
  }
  if (shown < known)
    g_string_append_printf (out, "<p>%u more devices (table steps)</p>\n", known - shown);
  if (without)
    g_string_append_printf (out, "<p>Not drawn: %u %s without steps (table steps)</p>\n", without,
                            without == 1 ? "device" : "devices");
  g_string_free (rows, TRUE);
}
