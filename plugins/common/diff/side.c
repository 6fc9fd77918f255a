/* SPDX-License-Identifier: Apache-2.0 */
/* side.c - collects the samples of one device, and joins several runs to one side. */

#include "diff/side.h"

#include <math.h>

const char *
np_diff_class_name (NpDiffClass kind)
{
  static const char *const names[] = { "compute", "communication", "copy" };
  return names[kind];
}

/* -- Names ------------------------------------------------------------------------- */

GHashTable *
np_diff_names_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

const char *
np_diff_name (GHashTable *names, const char *text)
{
  gpointer name = text ? g_hash_table_lookup (names, text) : NULL;
  if (name || !text)
    return name;
  name = g_strdup (text);
  g_hash_table_add (names, name);
  return name;
}

/* -- Series ------------------------------------------------------------------------ */

static guint
series_hash (gconstpointer p)
{
  const NpDiffSeries *s = p;
  guint h = g_direct_hash (s->kernel);
  return (h * 31 + g_direct_hash (s->operator)) * 31 + g_direct_hash (s->module);
}

static gboolean
series_equal (gconstpointer a, gconstpointer b)
{
  const NpDiffSeries *x = a, *y = b;
  return x->kernel == y->kernel && x->operator== y->operator&& x->module == y->module;
}

static void
series_free (gpointer data)
{
  NpDiffSeries *s = data;
  g_array_unref (s->places);
  g_array_unref (s->sums);
  g_free (s);
}

NpDiffSide *
np_diff_side_new (const char *device, GHashTable *names)
{
  NpDiffSide *side = g_new0 (NpDiffSide, 1);
  side->names = g_hash_table_ref (names);
  side->device = g_strdup (device);
  side->series = g_ptr_array_new_with_free_func (series_free);
  side->find = g_hash_table_new (series_hash, series_equal);
  side->blocks = g_array_new (FALSE, TRUE, sizeof (guint));
  side->steps = g_array_new (FALSE, TRUE, sizeof (NpDiffStep));
  return side;
}

void
np_diff_side_free (NpDiffSide *side)
{
  if (!side)
    return;
  g_free (side->device);
  g_ptr_array_unref (side->series);
  g_hash_table_unref (side->find);
  g_array_unref (side->blocks);
  g_array_unref (side->steps);
  g_hash_table_unref (side->names);
  g_free (side);
}

NpDiffSeries *
np_diff_series (NpDiffSide *side, const char *kernel, const char *operator, const char * module,
                gboolean make)
{
  const NpDiffSeries wanted = { .kernel = np_diff_name (side->names, kernel),
                                .operator= np_diff_name (side->names, operator),
                                .module = np_diff_name (side->names, module) };
  NpDiffSeries *series = g_hash_table_lookup (side->find, &wanted);
  if (series || !make)
    return series;
  series = g_memdup2 (&wanted, sizeof wanted);
  series->places = g_array_new (FALSE, TRUE, sizeof (NpDiffPlace));
  series->sums = g_array_new (FALSE, TRUE, sizeof (double));
  g_ptr_array_add (side->series, series);
  g_hash_table_add (side->find, series);
  return series;
}

/* Ordinals of a series are dense except where its rows changed their module. */
NpDiffPlace *
np_diff_place (const NpDiffSeries *series, guint32 ordinal)
{
  guint low = 0, high = series->places->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    NpDiffPlace *place = &g_array_index (series->places, NpDiffPlace, middle);
    if (place->ordinal == ordinal)
      return place;
    if (place->ordinal < ordinal)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

double
np_diff_series_mean (const NpDiffSeries *series)
{
  double sum = 0;
  for (guint i = 0; i < series->places->len; i++)
    sum += g_array_index (series->places, NpDiffPlace, i).mean;
  return sum;
}

/* -- Runs --------------------------------------------------------------------------- */

static NpDiffPlace *
place_for (NpDiffSeries *series, const NpDiffPlace *like)
{
  NpDiffPlace *found = np_diff_place (series, like->ordinal);
  if (found)
    return found;
  guint at = 0;
  while (at < series->places->len
         && g_array_index (series->places, NpDiffPlace, at).ordinal < like->ordinal)
    at++;
  const NpDiffPlace new = { .ordinal = like->ordinal, .among = like->among };
  g_array_insert_val (series->places, at, new);
  return &g_array_index (series->places, NpDiffPlace, at);
}

static void
add_run (NpDiffSide *side, const NpDiffSide *run, guint number)
{
  for (guint i = 0; i < run->series->len; i++) {
    const NpDiffSeries *from = g_ptr_array_index (run->series, i);
    NpDiffSeries *to = np_diff_series (side, from->kernel, from->operator, from->module, TRUE);
    to->kind = from->kind;
    g_array_set_size (to->sums, side->samples);
    g_array_index (to->sums, double, number) += np_diff_series_mean (from);
    for (guint p = 0; p < from->places->len; p++) {
      const NpDiffPlace *place = &g_array_index (from->places, NpDiffPlace, p);
      NpDiffPlace *sum = place_for (to, place);
      sum->mean += place->mean;
      sum->calls += place->calls;
    }
  }
}

/* Adds the squares once the means of all runs are known. */
static void
add_squares (NpDiffSide *side, const NpDiffSide *run)
{
  for (guint i = 0; i < side->series->len; i++) {
    const NpDiffSeries *to = g_ptr_array_index (side->series, i);
    const NpDiffSeries *from = g_hash_table_lookup (run->find, to);
    for (guint p = 0; p < to->places->len; p++) {
      NpDiffPlace *place = &g_array_index (to->places, NpDiffPlace, p);
      const NpDiffPlace *of_run = from ? np_diff_place (from, place->ordinal) : NULL;
      double away = (of_run ? of_run->mean : 0) - place->mean;
      place->variance += away * away / (side->samples - 1.0);
    }
  }
}

static void
make_means (NpDiffSide *side)
{
  for (guint i = 0; i < side->series->len; i++) {
    const NpDiffSeries *series = g_ptr_array_index (side->series, i);
    for (guint p = 0; p < series->places->len; p++) {
      NpDiffPlace *place = &g_array_index (series->places, NpDiffPlace, p);
      place->mean /= side->samples;
      place->calls /= side->samples;
      place->variance = side->samples > 1 ? 0 : NAN;
    }
  }
}

static NpDiffStep
mean_step (const NpDiffSide *run)
{
  NpDiffStep mean = { 0 };
  for (guint i = 0; i < run->steps->len; i++) {
    const NpDiffStep *step = &g_array_index (run->steps, NpDiffStep, i);
    mean.window += step->window / run->steps->len;
    for (guint p = 0; p < NP_PARTS; p++)
      mean.parts[p] += step->parts[p] / run->steps->len;
  }
  return mean;
}

static void
add_totals (NpDiffSide *side, const NpDiffSide *run)
{
  const guint one = 1;
  g_array_append_val (side->blocks, one);
  side->cut += run->cut;
  side->closed |= run->closed;
  side->rows += run->rows;
  side->linked += run->linked;
  side->work += run->work;
  side->unlinked += run->unlinked;
  side->outside += run->outside;
  if (!run->steps->len)
    return;
  const NpDiffStep step = mean_step (run);
  g_array_append_val (side->steps, step);
}

NpDiffSide *
np_diff_side_of_runs (NpDiffSide *const *runs, guint n)
{
  NpDiffSide *side = np_diff_side_new (runs[0]->device, runs[0]->names);
  side->by = runs[0]->by;
  side->samples = n;
  side->runs = TRUE;
  for (guint r = 0; r < n; r++) {
    add_run (side, runs[r], r);
    add_totals (side, runs[r]);
  }
  make_means (side);
  for (guint r = 0; r < n && n > 1; r++)
    add_squares (side, runs[r]);
  return side;
}
