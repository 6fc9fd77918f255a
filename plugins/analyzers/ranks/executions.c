/* SPDX-License-Identifier: Apache-2.0 */
/* executions.c - what is known of collectives beyond their rows: in which run of a program of XLA
 * they are, and which of the groups that their text lists is that of the device's rank. */
#include "devicekit/rank-groups.h"
#include "ranks.h"

#include <string.h>

/* -- Runs -------------------------------------------------------------------------------------- */

/* Some lines have a row without length and number for each. */
void
rk_execution (Ranks *r, Device *d, const struct nprof_batch *batch, uint32_t i)
{
  const Execution e = { batch->name[i], rk_run (r, batch, i), batch->start[i],
                        batch->start[i] + MAX (batch->duration[i], 0) };
  if (e.end > e.start)
    g_array_append_val (d->executions, e);
}

static int
by_run (gconstpointer pa, gconstpointer pb)
{
  const Execution *a = pa, *b = pb;
  if (a->program != b->program)
    return a->program < b->program ? -1 : 1;
  if (a->run != b->run)
    return a->run < b->run ? -1 : 1;
  return a->start < b->start ? -1 : a->start > b->start;
}

/* Do executions of one number run at one time? Some devices count their own, each from its
 * first. */
static bool
share_numbers (const Device *a, const Device *b)
{
  g_autoptr (GArray) of_a = g_array_copy (a->executions), of_b = g_array_copy (b->executions);
  DistSum together = 0, all = 0;
  g_array_sort (of_a, by_run);
  g_array_sort (of_b, by_run);
  for (guint i = 0, k = 0; i < of_a->len && k < of_b->len;) {
    const Execution *x = &g_array_index (of_a, Execution, i),
                    *y = &g_array_index (of_b, Execution, k);
    if (x->program == y->program && x->run == y->run) {
      together += MAX (0, MIN (x->end, y->end) - MAX (x->start, y->start));
      all += MIN (x->end - x->start, y->end - y->start);
      i++;
      k++;
    } else if (by_run (x, y) < 0) {
      i++;
    } else {
      k++;
    }
  }
  return 2 * together >= all;
}

/* Does a number of an execution mean the same on all devices? One that is alone in its profile is
 * believed. */
static bool
has_runs (const Ranks *r, const Device *d)
{
  for (guint i = 0; i < r->devices->len; i++) {
    const Device *other = g_ptr_array_index (r->devices, i);
    if (other != d && other->input == d->input && !share_numbers (d, other))
      return false;
  }
  return true;
}

static void
put_steps (const Ranks *r, Device *d)
{
  if (!d->executions->len || !has_runs (r, d))
    return;
  for (guint i = 0; i < d->seen->len; i++) {
    Seen *seen = &g_array_index (d->seen, Seen, i);
    if (seen->step != NO_STEP || !seen->execution)
      continue;
    gint64 run = g_array_index (d->executions, Execution, seen->execution - 1).run;
    seen->step = run >= 0 ? run : NO_STEP;
  }
}

/* -- Groups ------------------------------------------------------------------------------------ */

/* Returns the rank that the device is among those that a text lists: the one that somebody
 * says; or its place, if the text lists as many ranks as there are devices. */
static gint64
rank_in (const Ranks *r, const Device *d, guint listed)
{
  if (d->number != NO_RANK)
    return d->number;
  if (listed == d->of_input || listed == r->devices->len)
    return rk_device_place (r, d, listed == d->of_input);
  return NO_RANK;
}

/* Puts the words of the group of this rank, where the text lists those of all; FALSE: nobody says
 * which it is. */
static bool
put_members (const Ranks *r, const Device *d, guint32 group[G_WORDS])
{
  g_auto (AnRankGroups) all = an_rank_groups_of (nprof_text (r->host, group[G_MEMBERS]));
  gint64 size = all.ranks->len;
  if (!all.ends->len)
    return true;
  g_autofree char *own = an_rank_groups_with (&all, rank_in (r, d, all.ranks->len), &size);
  if (all.ends->len > 1 && own)
    group[G_MEMBERS] = nprof_intern (r->host, own);
  if (!group[G_SIZE])
    group[G_SIZE] = (guint32) size;
  return all.ends->len == 1 || own;
}

typedef struct {
  guint32 group;
  bool told;
} Own;

/* Pairs of a permutation are one group. */
static Own
own_group (Ranks *r, const Device *d, guint32 named, nprof_str program, bool pairs)
{
  Own own = { .told = true };
  guint32 group[G_WORDS];
  memcpy (group, group_key (&r->job, named), sizeof group);
  if (!group[G_LABEL])
    group[G_LABEL] = program;
  if (group[G_MEMBERS] && !pairs)
    own.told = put_members (r, d, group);
  own.group = an_key_table_get (&r->job.group_keys, group);
  return own;
}

static void
put_groups (Ranks *r, Device *d)
{
  AnKeyTable known;
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Own));
  an_key_table_init (&known, 3);
  for (guint i = 0; i < d->seen->len; i++) {
    Seen *seen = &g_array_index (d->seen, Seen, i);
    if (seen->bare)
      continue;
    guint32 program = seen->execution
                          ? g_array_index (d->executions, Execution, seen->execution - 1).program
                          : 0;
    bool pairs = signature_kind (seen->signature) == AN_KIND_PERMUTE;
    guint number = an_key_table_get (&known, (const guint32[]){ seen->group, program, pairs });
    if (number == groups->len) {
      const Own own = own_group (r, d, seen->group, program, pairs);
      g_array_append_val (groups, own);
    }
    seen->group = g_array_index (groups, Own, number).group;
    seen->unplaced = !g_array_index (groups, Own, number).told;
  }
  an_key_table_clear (&known);
}

void
rk_place (Ranks *r, Device *d)
{
  put_steps (r, d);
  put_groups (r, d);
}
