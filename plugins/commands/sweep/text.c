/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - a sweep for people: a line a run, maps of two keys, knees, and why numbers are
 * unknown. */

#include "base/log.h"
#include "console/grid.h"
#include "console/markdown.h"
#include "sweep.h"

#include <math.h>
#include <nprof/units.h>
#include <string.h>

static const char *const measure_names[NP_SWEEP_MEASURES] = { "step", "MFU", "memory" };

static char *
key_text (const NpSweepNumber *key)
{
  return isnan (key->value) ? g_strdup ("unknown") : g_strdup_printf ("%.10g", key->value);
}

static char *
measure_text (NpSweepMeasure m, double value)
{
  if (isnan (value))
    return g_strdup ("unknown");
  return g_strdup (m == NP_SWEEP_STEP     ? nprof_time (value).text
                   : m == NP_SWEEP_MEMORY ? nprof_bytes (value).text
                                          : nprof_share (value).text);
}

/* -- Runs -------------------------------------------------------------------------------------- */

static void
print_runs (GString *out, const NpSweep *s, gboolean markdown)
{
  const char *heads[NP_GRID_MOST];
  guint n = 0;
  for (; n < s->n_by; n++)
    heads[n] = s->by[n];
  for (guint m = 0; m < NP_SWEEP_MEASURES; m++)
    heads[n++] = measure_names[m];
  const guint verdict = n++, name = n++;
  heads[verdict] = "verdict";
  heads[name] = "run";
  NpGrid g = np_grid_new (n, 1u << verdict | 1u << name, heads);
  for (guint i = 0; i < s->runs->len; i++) {
    const NpSweepRun *run = s->runs->pdata[i];
    char **row = np_grid_row (&g);
    for (guint k = 0; k < s->n_by; k++)
      row[k] = key_text (&run->keys[k]);
    for (guint m = 0; m < NP_SWEEP_MEASURES; m++)
      row[s->n_by + m] = measure_text ((NpSweepMeasure) m, run->measures[m].value);
    row[verdict] = g_strdup (run->verdict ? run->verdict : "unknown");
    row[name] = np_printable (run->label, -1);
  }
  np_grid_print (out, &g, markdown);
}

/* -- Maps -------------------------------------------------------------------------------------- */

static gboolean
same (double a, double b)
{
  return a == b || (isnan (a) && isnan (b));
}

static gboolean
has (const GArray *values, double value)
{
  for (guint i = 0; i < values->len; i++)
    if (same (g_array_index (values, double, i), value))
      return TRUE;
  return FALSE;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;
  return isnan (x) - isnan (y) + (x > y) - (x < y);
}

/* Returns the values of a key, each once, in order; the unknown one last. */
static GArray *
values_of (const NpSweep *s, guint key)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < s->runs->len; i++) {
    const double value = ((const NpSweepRun *) s->runs->pdata[i])->keys[key].value;
    if (!has (values, value))
      g_array_append_val (values, value);
  }
  g_array_sort (values, by_number);
  return values;
}

/* A measure of all runs that have these values of two keys; several have their mean.  NAN: none
 * knows it. */
static double
cell_value (const NpSweep *s, NpSweepMeasure m, double first, double second)
{
  double sum = 0;
  guint n = 0;
  for (guint i = 0; i < s->runs->len; i++) {
    const NpSweepRun *run = s->runs->pdata[i];
    if (!same (run->keys[0].value, first) || !same (run->keys[1].value, second)
        || isnan (run->measures[m].value))
      continue;
    sum += run->measures[m].value;
    n++;
  }
  return n ? sum / n : (double) NAN;
}

/* Returns the verdict of these runs, all where they differ. */
static char *
cell_verdict (const NpSweep *s, double first, double second)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  for (guint i = 0; i < s->runs->len; i++) {
    const NpSweepRun *run = s->runs->pdata[i];
    const char *word = run->verdict ? run->verdict : "unknown";
    if (same (run->keys[0].value, first) && same (run->keys[1].value, second)
        && !g_ptr_array_find_with_equal_func (words, word, g_str_equal, NULL))
      g_ptr_array_add (words, (gpointer) word);
  }
  g_ptr_array_add (words, NULL);
  return g_strjoinv ("/", (char **) words->pdata);
}

/* Times and bytes are shaded by their logarithm, as they grow by factors. */
static double
depth_of (NpSweepMeasure m, double value)
{
  return m == NP_SWEEP_MFU ? value : log (fmax (value, 1));
}

/* Returns a measure with its shade, from the least to the most of the map. */
static char *
shaded (NpSweepMeasure m, double value, double least, double most)
{
  static const char *const shades[] = { " ", "░", "▒", "▓", "█" };
  if (isnan (value))
    return g_strdup ("unknown");
  g_autofree char *text = measure_text (m, value);
  const double from = depth_of (m, least), to = depth_of (m, most);
  const guint level = to > from ? (guint) (4.999 * (depth_of (m, value) - from) / (to - from)) : 0;
  return g_strdup_printf ("%s %s", text, shades[level]);
}

static gboolean
has_run (const NpSweep *s, double first, double second)
{
  for (guint i = 0; i < s->runs->len; i++) {
    const NpSweepRun *run = s->runs->pdata[i];
    if (same (run->keys[0].value, first) && same (run->keys[1].value, second))
      return TRUE;
  }
  return FALSE;
}

/* Prints a map of the first key to the right and the second one down; m of NP_SWEEP_MEASURES is the
 * verdict. */
static void
print_map (GString *out, const NpSweep *s, guint m, gboolean markdown)
{
  g_autoptr (GArray) across = values_of (s, 0), down = values_of (s, 1);
  double least = INFINITY, most = -INFINITY;
  const char *heads[NP_GRID_MOST] = { NULL };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const gboolean words = m == NP_SWEEP_MEASURES;
  for (guint x = 0; x < across->len; x++)
    for (guint y = 0; y < down->len && !words; y++) {
      const double v = cell_value (s, (NpSweepMeasure) m, g_array_index (across, double, x),
                                   g_array_index (down, double, y));
      least = fmin (least, v);
      most = fmax (most, v);
    }
  if (!words && most < least)
    return; /* no run knows it, which is said below */
  g_string_append_printf (out, "\n%s, %s to the right, %s down%s\n",
                          words ? "verdict" : measure_names[m], s->by[0], s->by[1],
                          words ? "" : "; the darker, the larger");
  g_ptr_array_add (names, g_strdup (s->by[1]));
  for (guint x = 0; x < across->len; x++)
    g_ptr_array_add (names, key_text (&(NpSweepNumber){ g_array_index (across, double, x), NULL }));
  for (guint c = 0; c < names->len; c++)
    heads[c] = names->pdata[c];
  NpGrid g = np_grid_new (names->len, words ? ~1u : 0, heads);
  for (guint y = 0; y < down->len; y++) {
    const double second = g_array_index (down, double, y);
    char **row = np_grid_row (&g);
    row[0] = key_text (&(NpSweepNumber){ second, NULL });
    for (guint x = 0; x < across->len; x++) {
      const double first = g_array_index (across, double, x);
      row[x + 1] = !has_run (s, first, second) ? g_strdup ("-")
                   : words
                       ? cell_verdict (s, first, second)
                       : shaded ((NpSweepMeasure) m,
                                 cell_value (s, (NpSweepMeasure) m, first, second), least, most);
    }
  }
  np_grid_print (out, &g, markdown);
}

static void
print_maps (GString *out, const NpSweep *s, gboolean markdown)
{
  g_autoptr (GArray) across = values_of (s, 0);
  if (across->len >= NP_GRID_MOST) {
    g_string_append_printf (out, "\nNo maps: %s has %u values, %d fit a map\n", s->by[0],
                            across->len, NP_GRID_MOST - 1);
    return;
  }
  for (guint m = 0; m <= NP_SWEEP_MEASURES; m++)
    print_map (out, s, m, markdown);
}

/* -- Knees, and what is unknown ---------------------------------------------------------------- */

/* Prints text that may hold names of files; an item of a list in Markdown. */
static void
print_item (GString *out, const char *text, gboolean markdown)
{
  g_autofree char *shown = np_printable (text, -1),
                  *item = markdown ? np_markdown_cell (shown) : g_strdup (shown);
  g_string_append_printf (out, "%s%s\n", markdown ? "- " : "", item);
}

static void
print_knees (GString *out, const NpSweep *s, gboolean markdown)
{
  g_autoptr (GPtrArray) lines = np_sweep_lines (s);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < lines->len; i++) {
    const NpSweepLine *line = lines->pdata[i];
    g_autofree char *text = np_sweep_knee_text (s, line);
    g_autoptr (GString) said = g_string_new ("knee along ");
    g_string_append (said, s->by[0]);
    for (guint k = 1; k < s->n_by; k++) {
      g_autofree char *value = key_text (&line->first->keys[k]);
      g_string_append_printf (said, "%s %s %s", k == 1 ? " at" : ",", s->by[k], value);
    }
    g_string_append_printf (said, ": %s", text);
    print_item (out, said->str, markdown);
  }
}

/* Adds the run to those of which this is unknown for that reason. */
static void
note (GHashTable *runs, GPtrArray *order, const char *what, const char *why, const char *label)
{
  if (!why)
    return;
  g_autofree char *reason = g_strdup_printf ("%s: %s", what, why);
  GPtrArray *of = g_hash_table_lookup (runs, reason);
  if (!of) {
    of = g_ptr_array_new ();
    char *key = g_steal_pointer (&reason);
    g_hash_table_insert (runs, key, of);
    g_ptr_array_add (order, key);
  }
  g_ptr_array_add (of, (gpointer) label);
}

static void
print_unknown (GString *out, const NpSweep *s, gboolean markdown)
{
  g_autoptr (GHashTable) runs
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  for (guint i = 0; i < s->runs->len; i++) {
    const NpSweepRun *run = s->runs->pdata[i];
    for (guint k = 0; k < s->n_by; k++)
      note (runs, order, s->by[k], run->keys[k].why, run->label);
    for (guint m = 0; m < NP_SWEEP_MEASURES; m++)
      note (runs, order, measure_names[m], run->measures[m].why, run->label);
    note (runs, order, "verdict", run->verdict_why, run->label);
  }
  if (order->len)
    g_string_append (out, markdown ? "\nUnknown\n\n" : "\nUnknown\n");
  for (guint i = 0; i < order->len; i++) {
    const GPtrArray *of = g_hash_table_lookup (runs, order->pdata[i]);
    const char *reason = order->pdata[i], *first = of->pdata[0];
    g_autofree char *said
        = of->len == s->runs->len ? g_strdup_printf ("%s (all runs)", reason)
          : of->len > 1 ? g_strdup_printf ("%s (%s and %u more)", reason, first, of->len - 1)
                        : g_strdup_printf ("%s (%s)", reason, first);
    g_string_append (out, markdown ? "" : "  ");
    print_item (out, said, markdown);
  }
}

GString *
np_sweep_text (const NpSweep *s, gboolean markdown)
{
  GString *out = g_string_new (NULL);
  print_runs (out, s, markdown);
  if (s->n_by == 2)
    print_maps (out, s, markdown);
  print_knees (out, s, markdown);
  print_unknown (out, s, markdown);
  g_string_erase (out, 0, 1); /* the empty line before the first table */
  return out;
}
