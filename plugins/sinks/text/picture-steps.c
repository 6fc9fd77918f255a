/* SPDX-License-Identifier: Apache-2.0 */
/* picture-steps.c - draws for a browser what a step, a period or the span of each device is made
 * of, as one bar a device: the parts of its verdict. Bars are to scale among each other. */

#include "picture.h"
#include "profile/window-parts.h"

#include <math.h>
#include <string.h>

#define MOST_DEVICES 32 /* more bars than a screen has lines say no more */
#define WIDTH 1000.0    /* of the longest bar */
#define ANGLES 3        /* of hatchings, on each of two grounds */

typedef struct {
  char *label;      /* input and device */
  double of[PARTS]; /* ps of a mean window */
  double mean;      /* the window, ps */
} Bar;

typedef struct {
  gboolean is_drawn, idle;
  char name[16]; /* classes of report.css */
} Look;

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
    for (guint k = 0; k < PARTS; k++)
      bar->of[k] += g_str_equal (window_part (k)->name, name) ? time : 0;
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

static gboolean
is_drawn (const GPtrArray *bars, Part part)
{
  for (guint i = 0; i < bars->len; i++)
    if (((const Bar *) g_ptr_array_index (bars, i))->of[part] > 0)
      return TRUE;
  return FALSE;
}

/* Gives each part that is drawn its look: causes of idle time are hatched otherwise each, on the
 * ground that they have in the page of nprof view. */
static void
find_looks (const GPtrArray *bars, Look looks[PARTS])
{
  guint used[2] = { 0 };
  for (Part k = 0; k < PARTS; k++) {
    const WindowPart *part = window_part (k);
    looks[k].is_drawn = is_drawn (bars, k);
    looks[k].idle = g_str_has_prefix (part->look, "idle");
    const guint other = g_str_equal (part->look, "idle other");
    if (looks[k].is_drawn && looks[k].idle)
      g_snprintf (looks[k].name, sizeof looks[k].name, "idle idle-%u",
                  other * ANGLES + used[other]++ % ANGLES);
    else
      g_strlcpy (looks[k].name, part->look, sizeof looks[k].name);
  }
}

/* Puts what the looks idle-0 to idle-5 name: two grounds, each in three directions, first that of
 * the page. */
static void
put_hatchings (GString *out)
{
  static const int angles[] = { -45, 45, 0, 45, -45, 0 };
  g_string_append (out, "<svg aria-hidden=\"true\" width=\"0\" height=\"0\"><defs>\n");
  for (guint i = 0; i < G_N_ELEMENTS (angles); i++)
    g_string_append_printf (
        out,
        "<pattern id=\"idle-%u\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(%d)\"><rect width=\"6\" height=\"6\"%s/><rect class=\"stripe\" "
        "width=\"6\" height=\"1.8\"/></pattern>\n",
        i, angles[i], i < ANGLES ? "" : " class=\"paper\"");
  g_string_append (out, "</defs></svg>\n");
}

/* Transfer full. */
static char *
said_of (const Look *look, Part part)
{
  return g_strconcat (look->idle ? "idle: " : "", window_part (part)->said, NULL);
}

static void
put_bar (GString *out, const Bar *bar, const Look looks[PARTS], double longest)
{
  g_autofree char *mean = picture_number ("ps", bar->mean);
  g_autofree char *label = g_strdup_printf ("%s, %s", bar->label, mean);
  double at = 0;
  g_string_append (out, "<tr><th scope=\"row\">");
  picture_text (out, label);
  g_string_append (out, "</th><td class=\"bar\">");
  picture_bar_begin (out, label);
  for (Part k = 0; k < PARTS; k++) {
    const double width = WIDTH * bar->of[k] / longest;
    g_autofree char *time = picture_number ("ps", bar->of[k]);
    g_autofree char *said = said_of (&looks[k], k);
    if (bar->of[k] <= 0)
      continue;
    picture_bar_part (out, at, width, looks[k].name, said, time);
    at += width;
  }
  picture_bar_end (out);
  g_string_append (out, "</td></tr>\n");
}

static void
put_legend (GString *out, const Look looks[PARTS])
{
  g_string_append (out, "<p class=\"legend\">");
  for (Part k = 0; k < PARTS; k++) {
    g_autofree char *said = said_of (&looks[k], k);
    if (!looks[k].is_drawn)
      continue;
    g_string_append (out, "<span>");
    picture_swatch (out, looks[k].name);
    g_string_append_printf (out, "%s</span> ", said);
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
  Look looks[PARTS];
  find_looks (bars, looks);
  put_hatchings (out);
  g_string_append_printf (out,
                          "<h2>What %s is made of</h2>\n<div tabindex=\"0\"><table "
                          "class=\"answers steps\"><tbody>\n",
                          picture_value (verdict, first, "windows") == 1
                                  && g_str_equal (whole, "a mean step")
                              ? "the step"
                              : whole);
  for (guint i = 0; i < MIN (bars->len, MOST_DEVICES); i++)
    put_bar (out, g_ptr_array_index (bars, i), looks, longest);
  g_string_append (out, "</tbody></table></div>\n");
  put_legend (out, looks);
  if (bars->len > MOST_DEVICES)
    g_string_append_printf (out, "<p>%u more devices (table verdict)</p>\n",
                            bars->len - MOST_DEVICES);
  if (others)
    g_string_append_printf (out,
                            "<p>Not drawn: %u device%s without such steps (table verdict)</p>\n",
                            others, others == 1 ? "" : "s");
}
