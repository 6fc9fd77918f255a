/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - chooses the steps that are walked when there are many: the slowest, the median one,
 * then the first. */
#include "critical.h"

#include <string.h>

typedef struct {
  gint64 length;
  guint at;
} Ranked;

static int
by_length (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a, *y = b;
  if (x->length != y->length)
    return x->length < y->length ? -1 : 1;
  return x->at < y->at ? -1 : 1;
}

static bool
some_take_time (const gint64 *length, guint n)
{
  for (guint i = 0; i < n; i++)
    if (length[i] > 0)
      return true;
  return false;
}

static guint
rank (const gint64 *length, guint n, gint64 shortest, Ranked *ranked)
{
  guint n_ranked = 0;
  for (guint i = 0; i < n; i++)
    if (length[i] >= shortest)
      ranked[n_ranked++] = (Ranked){ length[i], i };
  qsort (ranked, n_ranked, sizeof *ranked, by_length);
  return n_ranked;
}

static Choice
choice_of (const Ranked *ranked, guint n)
{
  Choice choice = { .steps = n };
  for (guint i = 0; i < n; i++)
    choice.duration += ranked[i].length;
  return choice;
}

Choice
choose_steps (const gint64 *length, gboolean *chosen, guint n, gint64 most)
{
  /* Nothing is waited for in a step of no length, which counts only when all have none. */
  const gint64 shortest = some_take_time (length, n) ? 1 : 0;
  g_autofree Ranked *ranked = g_new (Ranked, n + 1);
  const guint n_ranked = rank (length, n, shortest, ranked);
  guint left = most > 0 && most < n_ranked ? (guint) most : n_ranked;
  memset (chosen, 0, n * sizeof *chosen);
  if (!n_ranked)
    return (Choice){ 0, 0 };
  const guint wanted[] = { ranked[n_ranked - 1].at, ranked[(n_ranked - 1) / 2].at };
  for (guint i = 0; i < G_N_ELEMENTS (wanted) && left; i++) {
    left -= !chosen[wanted[i]];
    chosen[wanted[i]] = TRUE;
  }
  for (guint i = 0; i < n && left; i++)
    if (length[i] >= shortest) {
      left -= !chosen[i];
      chosen[i] = TRUE;
    }
  return choice_of (ranked, n_ranked);
}

/* Chooses among the steps; those that were cut count when there are no others. */
static void
choose_of (const Critical *self, GArray *windows, guint from, guint to, GPtrArray *out)
{
  g_autoptr (GArray) at = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint cut = 0; cut < 2 && !at->len; cut++)
    for (guint i = from; i < to; i++) {
      const Window *w = &g_array_index (windows, Window, i);
      if (w->shown && (cut || !w->cut))
        g_array_append_val (at, i);
    }
  g_autofree gint64 *length = g_new (gint64, at->len + 1);
  g_autofree gboolean *chosen = g_new0 (gboolean, at->len + 1);
  for (guint i = 0; i < at->len; i++) {
    const Window *w = &g_array_index (windows, Window, g_array_index (at, guint, i));
    length[i] = w->end - w->start;
  }
  const Choice choice = choose_steps (length, chosen, at->len, self->n_steps);
  for (guint i = 0; i < at->len; i++) {
    Window *w = &g_array_index (windows, Window, g_array_index (at, guint, i));
    w->choice = choice;
    if (chosen[i])
      g_ptr_array_add (out, w);
  }
}

GPtrArray *
windows_choose (const Critical *self, GArray *windows)
{
  GPtrArray *out = g_ptr_array_new ();
  for (guint from = 0, to; from < windows->len; from = to) {
    const Window *w = &g_array_index (windows, Window, from);
    for (to = from + 1;
         to < windows->len && g_array_index (windows, Window, to).process == w->process
         && g_array_index (windows, Window, to).input == w->input;
         to++)
      ;
    choose_of (self, windows, from, to, out);
  }
  return out;
}
