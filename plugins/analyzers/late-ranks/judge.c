/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c - finds who came last to each collective: who comes early waits inside of it, so the
 * shortest time is that of the last to come. No clock is needed. */
#include "late.h"

#include <string.h>

#define CLEARLY_US 50 /* and twice the shortest: as analyzer ranks has it */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;
  const gint64 keys[][2] = { { x->communicator, y->communicator },
                             { x->collective, y->collective },
                             { x->sequence, y->sequence },
                             { x->rank, y->rank } };
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static bool
same_kind (const Part *a, const Part *b)
{
  return a->communicator == b->communicator && a->collective == b->collective;
}

/* Returns whether no rank can end before all have come. */
static bool
waits_for_all (const Late *l, const Part *parts, guint n)
{
  const char *name = nprof_text (l->host, parts->collective);
  if (strncmp (name, "AllReduce", 9) == 0 || strncmp (name, "AllGather", 9) == 0
      || strcmp (name, "ReduceScatter") == 0)
    return true;
  for (guint i = 1; i < n; i++)
    if (parts[i].bytes != parts->bytes)
      return false;
  return strcmp (name, "All2All") == 0;
}

/* Returns whether each rank is there once. */
static bool
is_whole (const Part *parts, guint n)
{
  for (guint i = 0; i < n; i++)
    if (parts[i].rank != i || parts[i].n_ranks != n || parts[i].us < 0)
      return false;
  return n > 1;
}

static Process *
process_of (Late *l, const Part *part)
{
  return &g_array_index (l->processes, Process, part->process);
}

static void
judge_one (Late *l, const Part *parts, guint n)
{
  if (!is_whole (parts, n) || !waits_for_all (l, parts, n))
    return;
  const Part *first = parts, *last = parts;
  for (guint i = 0; i < n; i++) {
    process_of (l, &parts[i])->collectives++;
    last = parts[i].us < last->us ? &parts[i] : last;
    first = parts[i].us > first->us ? &parts[i] : first;
  }
  if (first->us - last->us <= CLEARLY_US || first->us / 2 <= last->us)
    return;
  process_of (l, last)->last++;
  for (guint i = 0; i < n; i++) {
    process_of (l, last)->caused += parts[i].us - last->us;
    process_of (l, &parts[i])->waited += parts[i].us - last->us;
  }
}

static gint
by_rank (gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Counts the numbers of a kind on a communicator that a rank's lines leave out. */
static void
count_missing (Late *l, Part *parts, guint n)
{
  qsort (parts, n, sizeof *parts, by_rank);
  for (guint i = 0; i < n; i++)
    if (i + 1 == n || parts[i + 1].rank != parts[i].rank) {
      guint64 there = 0;
      for (guint k = i + 1; k-- > 0 && parts[k].rank == parts[i].rank;)
        there += k == i || parts[k].sequence != parts[k + 1].sequence;
      Process *p = process_of (l, &parts[i]);
      p->numbers += (guint64) parts[i].sequence + 1;
      p->missing += (guint64) parts[i].sequence + 1 - there;
    }
}

void
lr_judge (Late *l)
{
  Part *parts = (Part *) (void *) l->parts->data;
  const guint n = l->parts->len;
  g_array_sort (l->parts, compare);
  for (guint from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && same_kind (&parts[from], &parts[to])
                        && parts[from].sequence == parts[to].sequence;)
      to++;
    judge_one (l, parts + from, to - from);
  }
  for (guint from = 0, to; from < n; from = to) {
    for (to = from + 1; to < n && same_kind (&parts[from], &parts[to]);)
      to++;
    count_missing (l, parts + from, to - from);
  }
}
