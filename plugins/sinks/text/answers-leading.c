/* SPDX-License-Identifier: Apache-2.0 */
/* answers-leading.c - keeps a few names of each device while rows of tables come: which device the summary
 * is of is known when all have come. */

#include "answers-leading.h"
#include "system/operator-levels.h"

#include <string.h>

#define KEPT 8 /* of a device: more than a line has room for */

static void
leading_clear (gpointer leading)
{
  g_array_unref (((Leading *) leading)->shares);
}

GArray *
answers_leading_new (void)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Leading));
  g_array_set_clear_func (all, leading_clear);
  return all;
}

static Leading *
leading_of (const GArray *all, nprof_str input, nprof_str device)
{
  for (guint i = all->len; i-- > 0;) { /* rows of one device come together */
    Leading *l = &g_array_index (all, Leading, i);
    if (l->input == input && l->device == device)
      return l;
  }
  return NULL;
}

GArray *
answers_leading_of (const GArray *all, nprof_str input, nprof_str device)
{
  const Leading *found = leading_of (all, input, device);
  return found ? found->shares : NULL;
}

static Leading *
leading_at (GArray *all, const Reader *r)
{
  const Leading none = { .input = word (r, "input"), .device = word (r, "device") };
  Leading *found = leading_of (all, none.input, none.device);
  if (found)
    return found;
  g_array_append_val (all, none);
  found = &g_array_index (all, Leading, all->len - 1);
  found->shares = answers_shares_new ();
  return found;
}

static gboolean
is_less (const Share *a, const Share *b)
{
  return a->value != b->value ? a->value < b->value : strcmp (a->name, b->name) > 0;
}

/* Takes the share; rows that are no operators have their names in brackets. */
static void
take_share (GArray *shares, const Reader *r, const char *column)
{
  const double value = ratio (r, "share");
  const Share share = { value > 0 ? text (r, column) : NULL, value };
  guint least = 0;
  if (!share.name || *share.name == '(' || strcmp (share.name, "-") == 0) {
    g_free (share.name);
    return;
  }
  g_array_append_val (shares, share);
  for (guint i = 1; i < shares->len; i++)
    if (is_less (&g_array_index (shares, Share, i), &g_array_index (shares, Share, least)))
      least = i;
  if (shares->len > KEPT)
    g_array_remove_index_fast (shares, least);
}

/* The same time is there at several levels: the one that tells most counts. */
void
answers_take_operator (Answers *a, const Reader *r)
{
  Leading *l = leading_at (a->operators, r);
  nprof_str level = word (r, "level");
  guint rank = operator_level_rank (level ? nprof_text (a->host, level) : NULL);
  if (rank > l->level) {
    l->level = rank;
    g_array_set_size (l->shares, 0);
  }
  if (rank && rank == l->level)
    take_share (l->shares, r, "operator");
}

void
answers_take_kernel (Answers *a, const Reader *r)
{
  take_share (leading_at (a->kernels, r)->shares, r, "kernel");
}
