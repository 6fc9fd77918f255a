/* SPDX-License-Identifier: Apache-2.0 */
/* summary-steps.c - lines of the first screen on a mean step: what it is made of, what lies between
 * steps, and what would be gained without its idle time, or with communication and copies hidden. */

#include "summary-lines.h"
#include "summary-words.h"

#include <math.h>
#include <nprof/sdk.h>
#include <nprof/units.h>

#define LITTLE 1.1     /* times faster: another digit says more */
#define MANY_TIMES 100 /* faster: how much more nobody believes */

static char *
time_text (Table *to, double ps)
{
  return summary_scaled (to, "ps", ps);
}

/* Returns "idle 170 ms, compute 38.7 ms": the largest first.  Transfer full.  missing: idle time is
 * not known to be idle. */
static char *
parts_text (Table *to, const DeviceSteps *d, gboolean missing)
{
  Part parts[] = { PART_IDLE, PART_COMPUTE, PART_COMMUNICATION, PART_COPY };
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    for (guint k = i; k > 0 && answers_mean (d, parts[k]) > answers_mean (d, parts[k - 1]); k--) {
      Part part = parts[k];
      parts[k] = parts[k - 1];
      parts[k - 1] = part;
    }
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    if (answers_mean (d, parts[i]) <= 0)
      continue;
    g_autofree char *time = time_text (to, answers_mean (d, parts[i]));
    const char *word = missing && parts[i] == PART_IDLE ? "unknown" : words_part (parts[i]);
    g_string_append_printf (text, "%s%s %s", text->len ? ", " : "", word, time);
  }
  return g_string_free (text, FALSE);
}

static void
add_step (Table *to, const SummaryOf *of, const DeviceSteps *d, gboolean missing)
{
  g_autofree char *mean = time_text (to, answers_mean (d, PART_WINDOW));
  g_autofree char *parts
      = answers_steps (d)->unsure
            ? g_strdup ("parts unknown: which instructions are work is not known")
            : parts_text (to, d, missing);
  summary_add (to, d->named ? "step" : "span", mean, parts);
  const StepSums *s = answers_steps (d);
  if (!d->named && of->devices->rows->len > 1)
    summary_add (to, "", "", "from the first work of any device to the last");
  if (s->n < 2)
    return;
  g_autofree char *least = time_text (to, (double) s->least);
  g_autofree char *most = time_text (to, (double) s->most);
  g_autofree char *where
      = g_strdup_printf ("%s to %s, %" G_GINT64_FORMAT " steps", least, most, s->n);
  summary_add (to, "", "", where);
}

/* Adds the device whose steps are shortest, where it differs from the one that is told. */
static void
add_fastest (Table *to, const Answers *a, const DeviceSteps *worst)
{
  const DeviceSteps *best = worst;
  for (guint i = 0; i < a->devices->len; i++) {
    const DeviceSteps *d = g_ptr_array_index (a->devices, i);
    if (d->named && answers_steps (d)->n
        && answers_mean (d, PART_WINDOW) < answers_mean (best, PART_WINDOW))
      best = d;
  }
  double least = answers_mean (best, PART_WINDOW), most = answers_mean (worst, PART_WINDOW);
  if (!worst->named || least > (1 - SUMMARY_SHOWN) * most)
    return;
  g_autofree char *mean = time_text (to, least);
  const char *label
      = nprof_text (a->host, best->input != worst->input ? best->input : best->device);
  g_autofree char *cut = summary_name (a, label, SUMMARY_INPUT);
  g_autofree char *where = g_strdup_printf ("fastest: %s, %s", mean, cut);
  summary_add (to, "", "", where);
}

/* Adds what lies between steps and so in no line that is of a step. */
static void
add_between (Table *to, const DeviceSteps *d)
{
  gint64 all, between = answers_between (d, &all);
  double share = all > 0 ? (double) between / (double) all : 0;
  if (!d->named || share < SUMMARY_SHOWN)
    return;
  g_autofree char *answer = time_text (to, (double) between),
                  *percent = summary_scaled (to, "1", share), *of = time_text (to, (double) all);
  g_autofree char *where = g_strdup_printf ("%s of %s, first step to last, is in none%s", percent,
                                            of, words_lie_between (d) ? "  --only gaps" : "");
  summary_add (to, "between steps", answer, where);
}

void
summary_add_steps (Table *to, const SummaryOf *of, const DeviceSteps *d, gboolean missing)
{
  add_step (to, of, d, missing);
  add_fastest (to, of->answers, d);
  add_between (to, d);
}

void
summary_add_host_steps (Table *to, const HostSteps *steps)
{
  if (!steps->n)
    return;
  g_autofree char *mean = time_text (to, (double) steps->mean);
  g_autofree char *least = time_text (to, (double) steps->least);
  g_autofree char *most = time_text (to, (double) steps->most);
  g_autofree char *where
      = steps->n == 1 ? g_strdup ("1 step of the host")
                      : g_strdup_printf ("of the host; %s to %s, %" G_GINT64_FORMAT " steps", least,
                                         most, steps->n);
  summary_add (to, "step", mean, where);
}

/* -- What would be gained --------------------------------------------------------------------------------- */

typedef struct {
  Part part;
  const char *question;
} Gain;

#define LONGEST_TYPE 16 /* columns */

/* Adds how fast the collectives are, or which of what that needs is missing. */
static void
add_rate (GString *text, const SummaryOf *of, const Collective *top)
{
  if (isfinite (top->busbw)) {
    g_string_append_printf (text, ": %s (bus)", nprof_byte_rate (top->busbw).text);
    return;
  }
  g_autofree char *type
      = top->dtype ? summary_name (of->answers, nprof_text (of->answers->host, top->dtype), LONGEST_TYPE)
                   : NULL;
  if (top->bytes < 0 && type)
    g_string_append_printf (text, ": GB/s unknown, as the size of %s", type);
  else if (top->bytes < 0)
    g_string_append (text, ": GB/s unknown, no sizes in the file");
  else if (top->ranks < 0)
    g_string_append (text, ": GB/s unknown, no ranks in the file");
}

/* Adds the collectives with most bytes. */
static void
add_bandwidth (GString *text, const SummaryOf *of, const Collective *top)
{
  g_string_append_printf (text, "; %s", nprof_text (of->answers->host, top->kind));
  if (top->bytes >= 0)
    g_string_append_printf (text, " %s", nprof_bytes ((double) top->bytes).text);
  add_rate (text, of, top);
}

/* Returns the text, transfer full. */
static char *
hidden_text (const SummaryOf *of)
{
  gint64 overlap = 0, exposed = 0;
  const Collective *top = NULL;
  for (guint i = 0; i < of->answers->collectives->len; i++) {
    const Collective *c = &g_array_index (of->answers->collectives, Collective, i);
    overlap += c->overlap;
    if (c->exposed < 0)
      return g_strdup ("what hides it is unknown");
    exposed += c->exposed;
    top = !top || c->bytes > top->bytes ? c : top;
  }
  if (!top || overlap + exposed <= 0)
    return g_strdup ("overlap it with computing");
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%s is hidden",
                          nprof_share ((double) overlap / (double) (overlap + exposed)).text);
  add_bandwidth (text, of, top);
  return g_string_free (text, FALSE);
}

/* Says why nothing is promised of steps that are nothing else. */
static const char *
nothing_left (Part part)
{
  return part == PART_IDLE ? "no work in a step: how long it takes is not known"
                           : "nothing else in a step that could hide it";
}

static char *
gain_text (const SummaryOf *of, const DeviceSteps *d, const Gain *gain, double left)
{
  if (gain->part == PART_COMMUNICATION)
    return hidden_text (of);
  if (gain->part == PART_COPY)
    return g_strdup (words_copy_remedy (of->answers, d));
  double window = answers_mean (d, PART_WINDOW);
  const char *remedy = words_remedy (of->answers, d);
  gboolean most = left * MANY_TIMES < window;
  g_autofree char *times
      = most ? g_strdup ("more than 100 x")
             : g_strdup_printf (window < LITTLE * left ? "%.2f x" : "%.1f x", window / left);
  return g_strdup_printf ("%s faster%s%s", times, *remedy ? ": " : "", remedy);
}

/* Adds what each change would leave of a step; most time at stake first. */
void
summary_add_gains (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  Gain gains[] = { { PART_IDLE, "if no idle" },
                   { PART_COMMUNICATION, "if comm hidden" },
                   { PART_COPY, "if copies hid" } };
  for (guint i = 0; i < G_N_ELEMENTS (gains); i++)
    for (guint k = i;
         k > 0 && summary_part (d, gains[k].part) > summary_part (d, gains[k - 1].part); k--) {
      Gain gain = gains[k];
      gains[k] = gains[k - 1];
      gains[k - 1] = gain;
    }
  for (guint i = 0; i < G_N_ELEMENTS (gains); i++) {
    double left = answers_mean (d, PART_WINDOW) - answers_mean (d, gains[i].part);
    if (summary_part (d, gains[i].part) < SUMMARY_SHOWN)
      continue;
    if (left <= 0) {
      summary_add (to, gains[i].question, NULL, nothing_left (gains[i].part));
      continue;
    }
    g_autofree char *answer = time_text (to, left);
    g_autofree char *text = gain_text (of, d, &gains[i], left);
    summary_add (to, gains[i].question, answer, text);
  }
}

/* Communication that steps do not wait for. */
void
summary_add_hidden (Table *to, const SummaryOf *of, const DeviceSteps *d)
{
  if (!of->answers->collectives->len
      || (d && summary_part (d, PART_COMMUNICATION) >= SUMMARY_SHOWN))
    return;
  g_autofree char *hidden = hidden_text (of);
  g_autofree char *where = g_strconcat (hidden, "  --only collectives", NULL);
  summary_add (to, "communication", "", where);
}
