/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c - pairs kernels by name; those with a name on one side only by their places, or by
 * what launches them. */

#include "diff/pair.h"

#include <math.h>
#include <string.h>

static void
kernel_free (gpointer data)
{
  NpDiffKernel *k = data;
  g_ptr_array_unref (k->base_series);
  g_ptr_array_unref (k->new_series);
  g_free (k);
}

static NpDiffKernel *
kernel_new (void)
{
  NpDiffKernel *k = g_new0 (NpDiffKernel, 1);
  k->base_series = g_ptr_array_new ();
  k->new_series = g_ptr_array_new ();
  return k;
}

static NpDiffKernel *
kernel_named (GPtrArray *kernels, GHashTable *by_name, const char *name)
{
  NpDiffKernel *k = g_hash_table_lookup (by_name, name);
  if (k)
    return k;
  k = kernel_new ();
  g_ptr_array_add (kernels, k);
  g_hash_table_insert (by_name, (gpointer) name, k);
  return k;
}

static GPtrArray *
by_name (const NpDiffSide *base, const NpDiffSide *new)
{
  GPtrArray *kernels = g_ptr_array_new_with_free_func (kernel_free);
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < base->series->len; i++) {
    NpDiffSeries *s = g_ptr_array_index (base->series, i);
    NpDiffKernel *k = kernel_named (kernels, names, s->kernel);
    k->base = s->kernel;
    g_ptr_array_add (k->base_series, s);
  }
  for (guint i = 0; i < new->series->len; i++) {
    NpDiffSeries *s = g_ptr_array_index (new->series, i);
    NpDiffKernel *k = kernel_named (kernels, names, s->kernel);
    k->new = s->kernel;
    g_ptr_array_add (k->new_series, s);
  }
  return kernels;
}

/* -- Renamed kernels ------------------------------------------------------------------- */

/* Kernels of two names that share all of this are taken for one. */
typedef struct {
  const char *operator;
  guint64 what; /* an ordinal among the operator's rows, or a number of calls */
} Trait;

static int
compare_traits (gconstpointer a, gconstpointer b)
{
  const Trait *x = a, *y = b;
  int order = x->operator== y->operator? 0 : g_strcmp0 (x->operator, y->operator);
  return order ? order : (x->what > y->what) - (x->what < y->what);
}

/* Returns every place: an operator, and which of its rows. */
static GArray *
places_of (const GPtrArray *series)
{
  GArray *traits = g_array_new (FALSE, TRUE, sizeof (Trait));
  for (guint i = 0; i < series->len; i++) {
    const NpDiffSeries *s = g_ptr_array_index (series, i);
    for (guint p = 0; p < s->places->len; p++) {
      const Trait trait = { s->operator, g_array_index (s->places, NpDiffPlace, p).among };
      g_array_append_val (traits, trait);
    }
  }
  g_array_sort (traits, compare_traits);
  return traits;
}

/* Returns every operator that launches it, with its calls a step.  NULL: none launches some of
 * them. */
static GArray *
launchers_of (const GPtrArray *series)
{
  GArray *traits = g_array_new (FALSE, TRUE, sizeof (Trait));
  for (guint i = 0; i < series->len; i++) {
    const NpDiffSeries *s = g_ptr_array_index (series, i);
    double calls = 0;
    for (guint p = 0; p < s->places->len; p++)
      calls += g_array_index (s->places, NpDiffPlace, p).calls;
    const Trait trait = { s->operator, (guint64) llround (calls * 1000) };
    g_array_append_val (traits, trait);
    if (s->operator)
      continue;
    g_array_unref (traits);
    return NULL;
  }
  g_array_sort (traits, compare_traits);
  return traits;
}

static guint64
calls_of (const GArray *traits, const char *operator)
{
  for (guint i = 0; traits && i < traits->len; i++)
    if (!g_strcmp0 (g_array_index (traits, Trait, i).operator, operator))
      return g_array_index (traits, Trait, i).what;
  return 0;
}

/* Returns the calls that a kernel of both sides has on one of them alone, by operator: they may
 * have become another kernel, as those that were fused with it. NULL: there are none. */
static GArray *
more_launches (const GPtrArray *series, const GPtrArray *than)
{
  GArray *all = launchers_of (series), *others = launchers_of (than);
  for (guint i = all ? all->len : 0; i-- > 0;) {
    Trait *trait = &g_array_index (all, Trait, i);
    guint64 there = calls_of (others, trait->operator);
    if (trait->what <= there)
      g_array_remove_index (all, i);
    else
      trait->what -= there;
  }
  if (others)
    g_array_unref (others);
  if (!all || all->len)
    return all;
  g_array_unref (all);
  return NULL;
}

static gboolean
same_traits (gconstpointer first, gconstpointer second)
{
  const GArray *a = first, *b = second;
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (compare_traits (&g_array_index (a, Trait, i), &g_array_index (b, Trait, i)))
      return FALSE;
  return TRUE;
}

static guint
hash_traits (gconstpointer traits)
{
  const GArray *all = traits;
  guint hash = all->len;
  for (guint i = 0; i < all->len; i++) {
    const Trait *t = &g_array_index (all, Trait, i);
    hash = (hash * 31 + (t->operator? g_str_hash (t->operator) : 0)) * 31 + g_int64_hash (&t->what);
  }
  return hash;
}

typedef GArray *(*TraitsOf) (const GPtrArray *series);

static gboolean
is_alone (const NpDiffKernel *k, gboolean new)
{
  return new ? k->new && !k->base : k->base && !k->new;
}

/* Returns the traits of kernels that this side alone has, and what of the others can be taken for
 * one; NULL: neither. */
static GPtrArray *
all_traits (const GPtrArray *kernels, TraitsOf of, gboolean new)
{
  GPtrArray *all = g_ptr_array_new_full (kernels->len, NULL);
  for (guint i = 0; i < kernels->len; i++) {
    const NpDiffKernel *k = g_ptr_array_index (kernels, i);
    const GPtrArray *here = new ? k->new_series : k->base_series,
                    *there = new ? k->base_series : k->new_series;
    GArray *traits = NULL;
    if (is_alone (k, new))
      traits = of (here);
    else if (of == launchers_of && k->base && k->new)
      traits = more_launches (here, there);
    g_ptr_array_add (all, traits);
  }
  return all;
}

/* Returns the number of the kernel, from 1, of all that have traits, by these; 0 where several have
 * them.  Transfer full. */
static GHashTable *
by_traits (const GPtrArray *all)
{
  GHashTable *found = g_hash_table_new (hash_traits, same_traits);
  for (guint i = 0; i < all->len; i++) {
    gpointer traits = g_ptr_array_index (all, i);
    if (traits)
      g_hash_table_insert (found, traits,
                           GUINT_TO_POINTER (g_hash_table_contains (found, traits) ? 0 : i + 1));
  }
  return found;
}

/* Returns the one that has these traits; -1: none has, or several have. */
static int
find_one (GHashTable *found, const GArray *traits)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (found, traits)) - 1;
}

static void
join (NpDiffKernel *base, NpDiffKernel *new)
{
  base->new = new->new;
  g_ptr_array_extend (base->new_series, new->new_series, NULL, NULL);
  new->new = NULL;
  g_ptr_array_set_size (new->new_series, 0);
}

static void
free_traits (GPtrArray *all)
{
  for (guint i = 0; i < all->len; i++)
    if (g_ptr_array_index (all, i))
      g_array_unref (g_ptr_array_index (all, i));
  g_ptr_array_unref (all);
}

static void
join_renamed (GPtrArray *kernels, TraitsOf of)
{
  GPtrArray *of_base = all_traits (kernels, of, FALSE), *of_new = all_traits (kernels, of, TRUE);
  g_autoptr (GHashTable) one_base = by_traits (of_base), one_new = by_traits (of_new);
  for (guint i = 0; i < kernels->len; i++) {
    NpDiffKernel *k = g_ptr_array_index (kernels, i);
    const GArray *traits = is_alone (k, FALSE) ? g_ptr_array_index (of_base, i) : NULL;
    int other = traits && find_one (one_base, traits) == (int) i ? find_one (one_new, traits) : -1;
    if (other >= 0 && is_alone (g_ptr_array_index (kernels, other), TRUE))
      join (k, g_ptr_array_index (kernels, other));
  }
  free_traits (of_base);
  free_traits (of_new);
}

GPtrArray *
np_diff_pair_kernels (const NpDiffSide *base, const NpDiffSide *new)
{
  GPtrArray *kernels = by_name (base, new);
  join_renamed (kernels, places_of);
  join_renamed (kernels, launchers_of);
  for (guint i = kernels->len; i-- > 0;) {
    const NpDiffKernel *k = g_ptr_array_index (kernels, i);
    if (!k->base && !k->new)
      g_ptr_array_remove_index (kernels, i);
  }
  return kernels;
}
