/* SPDX-License-Identifier: Apache-2.0 */
/* knee.c - where the step begins to grow with a key.  Between two neighbouring values the step
 * grows by a power of the key: ln (step2 / step1) / ln (key2 / key1).  Below 1/2 growth of the key
 * is cheap, twice of it costs less than 1.41 times the step; above it is dear. */

#include "sweep.h"

#include <math.h>
#include <stdlib.h>

#define HALF 0.5

NpKnee
np_sweep_knee (const double *key, const double *step, guint n)
{
  guint turns = 0, turn = 0;
  gboolean first_dear = FALSE, dear = FALSE;
  if (n < 3)
    return (NpKnee){ .code = NP_KNEE_FEW };
  for (guint i = 0; i + 1 < n; i++) {
    const double power = log (step[i + 1] / step[i]) / log (key[i + 1] / key[i]);
    const gboolean now = power >= HALF;
    if (!i)
      first_dear = now;
    else if (now != dear) {
      turns++;
      turn = i;
    }
    dear = now;
  }
  if (!turns)
    return (NpKnee){ .code = dear ? NP_KNEE_DEAR : NP_KNEE_CHEAP };
  if (turns > 1 || first_dear)
    return (NpKnee){ .code = NP_KNEE_UNCLEAR };
  return (NpKnee){ NP_KNEE_FOUND, key[turn], key[turn - 1], key[turn + 1] };
}

const char *
np_sweep_knee_name (NpKneeCode code)
{
  static const char *const names[] = { "knee", "cheap", "dear", "unclear", "few_values" };
  return names[code];
}

/* -- Lines ------------------------------------------------------------------------------------- */

static gboolean
same_but_first (const NpSweep *s, const NpSweepRun *a, const NpSweepRun *b)
{
  for (guint k = 1; k < s->n_by; k++)
    if (a->keys[k].value != b->keys[k].value
        && !(isnan (a->keys[k].value) && isnan (b->keys[k].value)))
      return FALSE;
  return TRUE;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* Adds the median of the steps of one value, and empties them. */
static void
close_value (NpSweepLine *line, double key, GArray *same)
{
  if (!same->len)
    return;
  g_array_sort (same, by_number);
  const double median = (g_array_index (same, double, (same->len - 1) / 2)
                         + g_array_index (same, double, same->len / 2))
                        / 2;
  g_array_append_val (line->keys, key);
  g_array_append_val (line->steps, median);
  g_array_set_size (same, 0);
}

static NpSweepLine *
line_new (const NpSweep *s, const NpSweepRun *first)
{
  NpSweepLine *line = g_new0 (NpSweepLine, 1);
  g_autoptr (GArray) same = g_array_new (FALSE, FALSE, sizeof (double));
  double key = (double) NAN;
  line->first = first;
  line->keys = g_array_new (FALSE, FALSE, sizeof (double));
  line->steps = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < s->runs->len; i++) {
    const NpSweepRun *run = s->runs->pdata[i];
    const double now = run->keys[0].value, step = run->measures[NP_SWEEP_STEP].value;
    if (!same_but_first (s, first, run) || !(now > 0) || !(step > 0))
      continue;
    if (now != key)
      close_value (line, key, same);
    key = now;
    g_array_append_val (same, step);
  }
  close_value (line, key, same);
  line->knee = np_sweep_knee ((const double *) (void *) line->keys->data,
                              (const double *) (void *) line->steps->data, line->keys->len);
  return line;
}

static void
line_free (gpointer data)
{
  NpSweepLine *line = data;
  g_array_unref (line->keys);
  g_array_unref (line->steps);
  g_free (line);
}

GPtrArray *
np_sweep_lines (const NpSweep *s)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (line_free);
  for (guint i = 0; i < s->runs->len; i++) {
    gboolean known = FALSE;
    for (guint k = 0; k < lines->len && !known; k++)
      known = same_but_first (s, ((NpSweepLine *) lines->pdata[k])->first, s->runs->pdata[i]);
    if (!known)
      g_ptr_array_add (lines, line_new (s, s->runs->pdata[i]));
  }
  return lines;
}

char *
np_sweep_knee_text (const NpSweep *s, const NpSweepLine *line)
{
  const NpKnee *k = &line->knee;
  const char *by = s->by[0];
  const guint n = line->keys->len;
  const double least = n ? g_array_index (line->keys, double, 0) : 0,
               most = n ? g_array_index (line->keys, double, n - 1) : 0;
  switch (k->code) {
  case NP_KNEE_FOUND:
    return g_strdup_printf ("%.10g, between %.10g and %.10g: up to it twice the %s costs less than "
                            "1.41 times the step, beyond it more",
                            k->value, k->before, k->after, by);
  case NP_KNEE_CHEAP:
    return g_strdup_printf ("none up to %.10g: twice the %s costs less than 1.41 times the step",
                            most, by);
  case NP_KNEE_DEAR:
    return g_strdup_printf ("none from %.10g on: twice the %s costs more than 1.41 times the step",
                            least, by);
  case NP_KNEE_UNCLEAR:
    return g_strdup_printf ("unknown: what more %s costs does not turn once, from less than 1.41 "
                            "times the step for twice of it to more",
                            by);
  default:
    return g_strdup_printf ("unknown: %u value%s of %s above 0 with a step, three are needed", n,
                            n == 1 ? "" : "s", by);
  }
}
