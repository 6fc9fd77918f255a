/* SPDX-License-Identifier: Apache-2.0 */
/* noise.c - how much a call varies, where both sides have one step: the residuals of all
 * kernels with enough calls, each around the median of its own kernel, by length of the call. */

#include "diff/rule.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_CALLS 8u      /* of a kernel whose residuals count               */
#define LEAST_RESIDUALS 20u /* of a class; fewer say nothing                   */
#define UNKNOWN 0.05        /* what is taken then                              */
#define LEAST 0.01

/* The class of a computing call changes at these lengths, in us. */
static const double lengths[] = { 3, 10, 50 };
enum {
  BY_LENGTH = G_N_ELEMENTS (lengths) + 1,
  ALL_COMPUTE = BY_LENGTH,
  COMMUNICATION,
  COPY,
  CLASSES
};

struct NpDiffNoise {
  double sd[CLASSES]; /* NAN: too few residuals */
};

static guint
class_of (NpDiffClass kind, double ps)
{
  if (kind != NP_DIFF_COMPUTE)
    return kind == NP_DIFF_COPY ? COPY : COMMUNICATION;
  guint class = 0;
  while (class < G_N_ELEMENTS (lengths) && ps >= lengths[class] * 1e6)
    class ++;
  return class;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* The numbers are sorted, and n > 0. */
static double
median (const GArray *x)
{
  const double *at = (const double *) (void *) x->data;
  return x->len % 2 ? at[x->len / 2] : (at[x->len / 2 - 1] + at[x->len / 2]) / 2;
}

static double
deviation (GArray *residuals)
{
  if (residuals->len < LEAST_RESIDUALS)
    return NAN;
  g_array_sort (residuals, compare);
  guint high = MIN (residuals->len - 1, residuals->len * 95 / 100);
  return fmax (1.4826 * median (residuals), g_array_index (residuals, double, high) / 1.96);
}

/* -- Residuals of one kernel --------------------------------------------------------------- */

typedef struct {
  double log_ratio, base; /* ln (new / base); ps */
  NpDiffClass kind;
} Matched;

/* Returns FALSE when one side has places that the other does not have. */
static gboolean
match (const NpDiffPair *pair, GArray *matched)
{
  if (!pair->base || !pair->new || pair->base->places->len != pair->new->places->len)
    return FALSE;
  for (guint p = 0; p < pair->base->places->len; p++) {
    const NpDiffPlace *a = &g_array_index (pair->base->places, NpDiffPlace, p),
                      *b = &g_array_index (pair->new->places, NpDiffPlace, p);
    if (a->ordinal != b->ordinal)
      return FALSE;
    const Matched m
        = { a->mean > 0 && b->mean > 0 ? log (b->mean / a->mean) : NAN, a->mean, pair->base->kind };
    g_array_append_val (matched, m);
  }
  return TRUE;
}

static void
add_residuals (GArray *const *pools, const GArray *matched)
{
  g_autoptr (GArray) logs = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < matched->len; i++)
    if (!isnan (g_array_index (matched, Matched, i).log_ratio))
      g_array_append_val (logs, g_array_index (matched, Matched, i).log_ratio);
  if (!logs->len)
    return;
  g_array_sort (logs, compare);
  double middle = median (logs);
  for (guint i = 0; i < matched->len; i++) {
    const Matched *m = &g_array_index (matched, Matched, i);
    double away = fabs (m->log_ratio - middle);
    if (isnan (away))
      continue;
    g_array_append_val (pools[class_of (m->kind, m->base)], away);
    /* A copy or a collective is compared by its class alone: half as many say as much. */
    g_array_append_val (
        pools[m->kind == NP_DIFF_COMPUTE ? ALL_COMPUTE : class_of (m->kind, m->base)], away);
  }
}

/* Pairs of one kernel follow each other. */
NpDiffNoise *
np_diff_noise_new (const GArray *pairs)
{
  NpDiffNoise *noise = g_new0 (NpDiffNoise, 1);
  GArray *pools[CLASSES];
  g_autoptr (GArray) matched = g_array_new (FALSE, FALSE, sizeof (Matched));
  for (guint c = 0; c < CLASSES; c++)
    pools[c] = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < pairs->len;) {
    const NpDiffPair *pair = &g_array_index (pairs, NpDiffPair, i);
    const char *kernel = pair->base ? pair->base->kernel : NULL;
    gboolean whole = kernel != NULL;
    g_array_set_size (matched, 0);
    do
      whole &= match (&g_array_index (pairs, NpDiffPair, i), matched);
    while (++i < pairs->len && kernel && g_array_index (pairs, NpDiffPair, i).base
           && g_array_index (pairs, NpDiffPair, i).base->kernel == kernel);
    if (whole && matched->len >= LEAST_CALLS)
      add_residuals (pools, matched);
  }
  for (guint c = 0; c < CLASSES; c++) {
    noise->sd[c] = deviation (pools[c]);
    g_array_unref (pools[c]);
  }
  return noise;
}

void
np_diff_noise_free (NpDiffNoise *noise)
{
  g_free (noise);
}

double
np_diff_noise_of (const NpDiffNoise *noise, NpDiffClass kind, double ps)
{
  double sd = noise->sd[class_of (kind, ps)];
  if (isnan (sd) && kind == NP_DIFF_COMPUTE)
    sd = noise->sd[ALL_COMPUTE];
  return fmax (LEAST, isnan (sd) ? UNKNOWN : sd);
}
