/* SPDX-License-Identifier: Apache-2.0 */
/* diff-rates.c - how often the rule of nprof diff is wrong, and what it finds: pairs of profiles
 * are drawn from the noise of a real one, and compared.
 *
 *   diff-rates MODEL KIND STEPS PAIRS SEED [FACTOR]
 *
 * MODEL holds `window PS`, then a line a place: kernel, class, operator, ordinal and its ps in each
 * step that has it, between tabs.  KIND of noise: gauss3, 3 % on each call; own, residuals of the
 * same kernel in MODEL; class, residuals of all kernels of such a length.  0.5 % on top are common
 * to a step, 1.2 % are on its window.  Without FACTOR nothing differs, and each pair with a verdict
 * is wrong.  With it one kernel after the other takes FACTOR times as long in the new profile.
 * Prints wrong pairs, pairs that end with status 6, and pairs; or told and tried by calls a
 * step. */

#include "diff/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_SD 0.005
#define WINDOW_SD 0.012
#define GAUSS_SD 0.03
#define LEAST_SHARE 0.006 /* of kernels that are slowed down */
#define LEAST_PS 1000

typedef struct {
  const char *kernel, *operator;
  NpDiffClass kind;
  guint32 ordinal;
  double mean;
  GArray *own, *alike; /* pools of residuals, of double */
} Place;

typedef struct {
  double window;
  GHashTable *names;  /* of sides                                  */
  GArray *places;     /* of Place                                  */
  GHashTable *pools;  /* name of a kernel or a class -> GArray     */
  GPtrArray *kernels; /* names of those that may be slowed down    */
} Model;

typedef enum { GAUSS3, OWN, CLASS, KINDS } Kind;
static const char *const kind_names[KINDS] = { "gauss3", "own", "class" };

/* -- The model --------------------------------------------------------------------------- */

static GArray *
pool (Model *m, const char *name)
{
  GArray *found = g_hash_table_lookup (m->pools, name);
  if (found)
    return found;
  found = g_array_new (FALSE, FALSE, sizeof (double));
  g_hash_table_insert (m->pools, g_strdup (name), found);
  return found;
}

static NpDiffClass
class_named (const char *name)
{
  for (guint k = 0; k < NP_DIFF_CLASSES; k++)
    if (g_str_equal (name, np_diff_class_name ((NpDiffClass) k)))
      return (NpDiffClass) k;
  return NP_DIFF_COMPUTE;
}

static char *
class_of (NpDiffClass kind, double ps)
{
  if (kind != NP_DIFF_COMPUTE)
    return g_strdup_printf ("\001%s", np_diff_class_name (kind));
  return g_strdup (ps < 3e6    ? "\001<3"
                   : ps < 10e6 ? "\001<10"
                   : ps < 50e6 ? "\001<50"
                               : "\001more");
}

/* Residuals of few steps are smaller than what they are drawn from. */
static void
add_residuals (Place *place, char *const *values, guint n)
{
  for (guint i = 0; i < n; i++)
    place->mean += g_ascii_strtod (values[i], NULL) / n;
  for (guint i = 0; i < n && n > 1 && place->mean > 0; i++) {
    double residual = (g_ascii_strtod (values[i], NULL) / place->mean - 1) * sqrt (n / (n - 1.0));
    g_array_append_val (place->own, residual);
    g_array_append_val (place->alike, residual);
  }
}

static void
add_place (Model *m, char *const *words)
{
  guint n = g_strv_length ((char **) words);
  double mean = 0;
  for (guint i = 4; i < n; i++)
    mean += g_ascii_strtod (words[i], NULL) / (n - 4);
  g_autofree char *class = class_of (class_named (words[1]), mean);
  Place place = { .kernel = g_intern_string (words[0]),
                  .operator= g_intern_string (words[2]),
                  .kind = class_named (words[1]),
                  .ordinal = (guint32) strtoul (words[3], NULL, 10),
                  .own = pool (m, words[0]),
                  .alike = pool (m, class) };
  add_residuals (&place, words + 4, n - 4);
  g_array_append_val (m->places, place);
}

static void
choose_kernels (Model *m)
{
  g_autoptr (GHashTable) sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  double all = 0;
  for (guint i = 0; i < m->places->len; i++) {
    const Place *place = &g_array_index (m->places, Place, i);
    double *sum = g_hash_table_lookup (sums, place->kernel);
    if (!sum)
      g_hash_table_insert (sums, (gpointer) place->kernel, sum = g_new0 (double, 1));
    *sum += place->mean;
    all += place->mean;
  }
  for (guint i = 0; i < m->places->len; i++) {
    const Place *place = &g_array_index (m->places, Place, i);
    const double *sum = g_hash_table_lookup (sums, place->kernel);
    if (place->kind == NP_DIFF_COMPUTE && *sum >= LEAST_SHARE * all
        && !g_ptr_array_find (m->kernels, place->kernel, NULL))
      g_ptr_array_add (m->kernels, (gpointer) place->kernel);
  }
}

static void
read_model (Model *m, const char *path)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  if (!g_file_get_contents (path, &text, NULL, &error)) {
    fprintf (stderr, "diff-rates: %s\n", error->message);
    exit (1);
  }
  m->places = g_array_new (FALSE, TRUE, sizeof (Place));
  m->pools = g_hash_table_new (g_str_hash, g_str_equal);
  m->kernels = g_ptr_array_new ();
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) words = g_strsplit (*line, "\t", -1);
    if (g_str_has_prefix (*line, "window\t"))
      m->window = g_ascii_strtod (words[1], NULL);
    else if (g_strv_length (words) > 4)
      add_place (m, words);
  }
  choose_kernels (m);
}

/* -- Profiles ----------------------------------------------------------------------------- */

static double
normal (GRand *rand)
{
  double u = 1 - g_rand_double (rand), v = g_rand_double (rand);
  return sqrt (-2 * log (u)) * cos (2 * G_PI * v);
}

static double
residual (const Place *place, Kind kind, GRand *rand)
{
  if (kind == GAUSS3)
    return GAUSS_SD * normal (rand);
  const GArray *pool = kind == OWN ? place->own : place->alike;
  return pool->len ? g_array_index (pool, double, g_rand_int_range (rand, 0, (gint32) pool->len))
                   : 0;
}

static void
add_series (NpDiffSide *side, const Place *place, const double *ps)
{
  NpDiffSeries *series = np_diff_series (side, place->kernel, place->operator, NULL, TRUE);
  NpDiffPlace new = { .ordinal = place->ordinal, .among = place->ordinal, .calls = 1 };
  series->kind = place->kind;
  g_array_set_size (series->sums, side->samples);
  for (guint s = 0; s < side->samples; s++) {
    g_array_index (series->sums, double, s) += ps[s];
    new.mean += ps[s] / side->samples;
  }
  for (guint s = 0; s < side->samples; s++)
    new.variance += (ps[s] - new.mean) * (ps[s] - new.mean) / (side->samples - 1.0);
  new.variance = side->samples > 1 ? new.variance : NAN;
  g_array_append_val (series->places, new);
}

static NpDiffSide *
draw (const Model *m, Kind kind, guint steps, GRand *rand, const char *slowed, double factor)
{
  NpDiffSide *side = np_diff_side_new ("drawn", m->names);
  g_autofree double *common = g_new (double, steps), *ps = g_new (double, steps);
  const guint one = 1;
  side->by = g_intern_string ("launch");
  side->samples = steps;
  side->rows = side->linked = m->places->len;
  for (guint s = 0; s < steps; s++) {
    const NpDiffStep step = { .window = m->window * (1 + WINDOW_SD * normal (rand)) };
    common[s] = 1 + STEP_SD * normal (rand);
    g_array_append_val (side->blocks, one);
    g_array_append_val (side->steps, step);
  }
  for (guint i = 0; i < m->places->len; i++) {
    const Place *place = &g_array_index (m->places, Place, i);
    double mean = place->mean * (place->kernel == slowed ? factor : 1);
    for (guint s = 0; s < steps; s++)
      ps[s] = fmax (LEAST_PS, mean * common[s] * (1 + residual (place, kind, rand)));
    add_series (side, place, ps);
  }
  return side;
}

/* -- What comes of them -------------------------------------------------------------------- */

static gboolean
is_told (const NpDiffResult *r)
{
  return r->verdict == NP_DIFF_SLOWER || r->verdict == NP_DIFF_FASTER;
}

static gboolean
any_told (const NpDiffComparison *c)
{
  for (guint i = 0; i < c->lines->len; i++)
    if (is_told (&g_array_index (c->lines, NpDiffLine, i).result))
      return TRUE;
  return (c->has_rest && is_told (&c->rest.result)) || (c->has_work && is_told (&c->work.result))
         || (c->has_communication && is_told (&c->communication.result))
         || (c->has_step && is_told (&c->step));
}

static const NpDiffLine *
line_named (const NpDiffComparison *c, const char *name)
{
  for (guint i = 0; i < c->lines->len; i++)
    if (!g_strcmp0 (g_array_index (c->lines, NpDiffLine, i).name, name))
      return &g_array_index (c->lines, NpDiffLine, i);
  return NULL;
}

static guint
calls_of (const Model *m, const char *kernel)
{
  guint calls = 0;
  for (guint i = 0; i < m->places->len; i++)
    calls += g_array_index (m->places, Place, i).kernel == kernel;
  return calls;
}

typedef struct {
  guint wrong, over;
  guint told[4], tried[4]; /* 1-2, 3-7, 8-15 and more calls a step */
} Tally;

static void
compare (const Model *m, Kind kind, guint steps, GRand *rand, const char *slowed, double factor,
         Tally *tally)
{
  const NpDiffLimits limits = { NP_DIFF_THRESHOLD, NP_DIFF_FLOOR, 1 };
  g_autoptr (NpDiffSide) base = draw (m, kind, steps, rand, NULL, 1);
  g_autoptr (NpDiffSide) new = draw (m, kind, steps, rand, slowed, factor);
  g_autoptr (NpDiffComparison) c = np_diff_compare (base, new, &limits);
  tally->wrong += any_told (c);
  tally->over += np_diff_count_over (c, &limits) > 0;
  if (!slowed)
    return;
  guint calls = calls_of (m, slowed), class = calls < 3 ? 0 : calls < 8 ? 1 : calls < 16 ? 2 : 3;
  const NpDiffLine *line = line_named (c, slowed);
  tally->tried[class]++;
  tally->told[class] += line && line->result.verdict == NP_DIFF_SLOWER;
}

int
main (int argc, char **argv)
{
  Model m = { .names = np_diff_names_new () };
  Tally tally = { 0 };
  Kind kind = GAUSS3;
  if (argc < 6) {
    fprintf (stderr, "usage: diff-rates MODEL KIND STEPS PAIRS SEED [FACTOR]\n");
    return 1;
  }
  while (kind < KINDS && strcmp (argv[2], kind_names[kind]))
    kind++;
  guint steps = (guint) strtoul (argv[3], NULL, 10), pairs = (guint) strtoul (argv[4], NULL, 10);
  double factor = argc > 6 ? g_ascii_strtod (argv[6], NULL) : 1;
  GRand *rand = g_rand_new_with_seed ((guint32) strtoul (argv[5], NULL, 10));
  read_model (&m, argv[1]);
  for (guint i = 0; i < pairs; i++) {
    const char *slowed = argc > 6 ? g_ptr_array_index (m.kernels, i % m.kernels->len) : NULL;
    compare (&m, kind, steps, rand, slowed, factor, &tally);
  }
  if (argc > 6)
    for (guint k = 0; k < 4; k++)
      printf ("%u %u%s", tally.told[k], tally.tried[k], k < 3 ? " " : "\n");
  else
    printf ("%u %u %u\n", tally.wrong, tally.over, pairs);
  g_rand_free (rand);
  return 0;
}
