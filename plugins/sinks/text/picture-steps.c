/* SPDX-License-Identifier: Apache-2.0 */
/* picture-steps.c - draws for a browser what a step, a period or the span of each device is made
 * of, as one bar a device: the parts of its verdict. Bars are to scale among each other. */

#include "picture.h"

#include <math.h>
#include <string.h>

#define MOST_DEVICES 32 /* more bars than a screen has lines say no more */
#define WIDTH 1000.0    /* of the longest bar */

/* Parts of table verdict_parts, in the order of the bar. */
static const struct {
  const char *part, *name, *colour;
} kinds[] = {
  { "compute", "compute", "#2f7d4f" },
  { "comm", "exposed communication", "#7a4fb5" },
  { "bubble", "idle: pipeline bubble", "#b39ddb" },
  { "copy", "exposed copies", "#2b6cb0" },
  { "control", "control", "#94a3b8" },
  { "input", "idle: waiting for input", "#a61b4b" },
  { "preprocess", "idle: preprocessing", "#d14d8b" },
  { "alloc", "idle: allocations", "#8a6d1f" },
  { "first_use", "idle: loading code", "#0e7490" },
  { "stall", "idle: stalled CPU", "#7f1d1d" },
  { "host", "idle: waiting for the CPU", "#c2410c" },
  { "launch", "idle: launch latency", "#e0912f" },
  { "sync", "idle: calls that block", "#f2c078" },
  { "wait", "idle: waiting on another stream or kernel", "#a3a3a3" },
  { "unrecorded", "idle: work that was not recorded", "#6b7280" },
  { "opaque", "inside graphs recorded as one", "#475569" },
  { "profiler", "idle: the profiler", "#3f3f46" },
  { "unlinked", "idle: launch not recorded", "#6b7280" },
};

#define KINDS G_N_ELEMENTS (kinds)

typedef struct {
  char *label;      /* input and device */
  double of[KINDS]; /* ps of a mean window */
  double mean;      /* the window, ps */
} Bar;

static void
bar_free (gpointer data)
{
  Bar *bar = data;
  g_free (bar->label);
  g_free (bar);
}

static gboolean
is_of (const Table *parts, const Row *part, const Table *verdict, const Row *row)
{
  static const char *const keys[] = { "input", "device" };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_autofree char *a = picture_cell (parts, part, keys[i]);
    g_autofree char *b = picture_cell (verdict, row, keys[i]);
    if (!g_str_equal (a, b))
      return FALSE;
  }
  return TRUE;
}

/* Returns the bar of a device, NULL: the parts of its window are unknown. */
static Bar *
bar_of (const Table *verdict, const Row *row, const Table *parts)
{
  const double windows = picture_value (verdict, row, "windows"),
               all = picture_value (verdict, row, "window_ns");
  if (!(windows > 0 && all > 0))
    return NULL;
  Bar *bar = g_new0 (Bar, 1);
  double sum = 0;
  for (guint i = 0; i < parts->rows->len; i++) {
    const Row *part = g_ptr_array_index (parts->rows, i);
    g_autofree char *name = picture_cell (parts, part, "part");
    const double time = picture_value (parts, part, "duration_ns") / windows;
    if (!is_of (parts, part, verdict, row) || isnan (time))
      continue;
    for (guint k = 0; k < KINDS; k++)
      bar->of[k] += g_str_equal (kinds[k].part, name) ? time : 0;
    sum += time;
  }
  bar->mean = all / windows;
  g_autofree char *device = picture_cell (verdict, row, "device");
  bar->label = picture_name (verdict, row, device);
  if (sum > 0)
    return bar;
  bar_free (bar);
  return NULL;
}

/* Returns what the windows of a device are; transfer none. */
static const char *
whole_of (const Table *verdict, const Row *row)
{
  g_autofree char *base = picture_cell (verdict, row, "base");
  return g_str_equal (base, "period") ? "a mean period"
         : g_str_equal (base, "span") ? "the span"
                                      : "a mean step";
}

/* Returns the leading device, which the first screen is of. */
static const Row *
leading (const Table *verdict)
{
  for (guint i = 0; verdict && i < verdict->rows->len; i++) {
    const Row *row = g_ptr_array_index (verdict->rows, i);
    if (picture_value (verdict, row, "place") == 1)
      return row;
  }
  return NULL;
}

/* Returns the bars of devices whose windows are of that kind; *others gets how many are not. */
static GPtrArray *
bars_of (const Table *verdict, const Table *parts, const char *whole, guint *others)
{
  GPtrArray *bars = g_ptr_array_new_with_free_func (bar_free);
  *others = 0;
  for (guint i = 0; whole && parts && i < verdict->rows->len; i++) {
    const Row *row = g_ptr_array_index (verdict->rows, i);
    Bar *bar = bar_of (verdict, row, parts);
    if (bar && g_str_equal (whole_of (verdict, row), whole)) {
      g_ptr_array_add (bars, bar);
    } else if (bar) {
      bar_free (bar);
      ++*others;
    }
  }
  return bars;
}

static void
put_bar (GString *out, const Bar *bar, double longest)
{
  g_autofree char *mean = picture_number ("ps", bar->mean);
  g_autofree char *label = g_strdup_printf ("%s, %s", bar->label, mean);
  double at = 0;
  g_string_append (out, "<tr><th scope=\"row\">");
  picture_text (out, label);
  g_string_append (out, "</th><td class=\"bar\">");
  picture_bar_begin (out, label);
  for (guint k = 0; k < KINDS; k++) {
    const double width = WIDTH * bar->of[k] / longest;
    g_autofree char *time = picture_number ("ps", bar->of[k]);
    if (bar->of[k] <= 0)
      continue;
    picture_bar_part (out, at, width, kinds[k].colour, kinds[k].name, time);
    at += width;
  }
  picture_bar_end (out);
  g_string_append (out, "</td></tr>\n");
}

static void
put_legend (GString *out, const GPtrArray *bars)
{
  g_string_append (out, "<p class=\"legend\">");
  for (guint k = 0; k < KINDS; k++) {
    gboolean any = FALSE;
    for (guint i = 0; i < bars->len; i++)
      any |= ((const Bar *) g_ptr_array_index (bars, i))->of[k] > 0;
    if (!any)
      continue;
    g_string_append (out, "<span>");
    picture_swatch (out, kinds[k].colour);
    g_string_append_printf (out, "%s</span> ", kinds[k].name);
  }
  g_string_append (out, "</p>\n");
}

void
picture_steps (GString *out, const Table *verdict, const Table *parts)
{
  guint others;
  const Row *first = leading (verdict);
  const char *whole = first ? whole_of (verdict, first) : NULL;
  g_autoptr (GPtrArray) bars = bars_of (verdict, parts, whole, &others);
  double longest = 0;
  for (guint i = 0; i < bars->len; i++)
    longest = MAX (longest, ((const Bar *) g_ptr_array_index (bars, i))->mean);
  if (bars->len == 0)
    return;
  g_string_append_printf (out,
                          "<h2>What %s is made of</h2>\n<div tabindex=\"0\"><table "
                          "class=\"answers steps\"><tbody>\n",
                          picture_value (verdict, first, "windows") == 1
                                  && g_str_equal (whole, "a mean step")
                              ? "the step"
                              : whole);
  for (guint i = 0; i < MIN (bars->len, MOST_DEVICES); i++)
    put_bar (out, g_ptr_array_index (bars, i), longest);
  g_string_append (out, "</tbody></table></div>\n");
  put_legend (out, bars);
  if (bars->len > MOST_DEVICES)
    g_string_append_printf (out, "<p>%u more devices (table verdict)</p>\n",
                            bars->len - MOST_DEVICES);
  if (others)
    g_string_append_printf (out,
                            "<p>Not drawn: %u device%s without such steps (table verdict)</p>\n",
                            others, others == 1 ? "" : "s");
}
