/* SPDX-License-Identifier: Apache-2.0 */
/* within.c - finds spans that the producer lost, in export_chrome_trace JSON, which has no ids: an
 * operator lies within an execution of the same PE and execution_index. format: furiosa.md 1.4 */
#include "furiosa.h"

#define MANY 65536u /* operators kept before they are matched                         */

static int
by_start (const void *pa, const void *pb)
{
  const FuInterval *a = pa, *b = pb;
  if (a->pe != b->pe)
    return a->pe < b->pe ? -1 : 1;
  if (a->execution != b->execution)
    return a->execution < b->execution ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

/* Counts the executions that begin no later than the operator, of its PE or before it. */
static guint
behind (const FuInterval *executions, guint n, const FuInterval *operator_)
{
  guint low = 0, high = n;
  FuInterval wanted = *operator_;
  wanted.at = UINT64_MAX;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (by_start (&executions[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* `ends` has for each execution the latest end among it and those before it on its PE. */
static bool
find (FuInterval *executions, const int64_t *ends, guint n, const FuInterval *op)
{
  for (guint i = behind (executions, n, op); i > 0; i--) {
    FuInterval *e = &executions[i - 1];
    if (e->pe != op->pe || e->execution != op->execution || ends[i - 1] < op->end)
      return false;
    if (e->end >= op->end)
      return e->met = true;
  }
  return false;
}

static int64_t *
latest_ends (const FuInterval *e, guint n)
{
  int64_t *ends = g_new (int64_t, n);
  for (guint i = 0; i < n; i++) {
    bool same = i && e[i].pe == e[i - 1].pe && e[i].execution == e[i - 1].execution;
    ends[i] = same ? MAX (ends[i - 1], e[i].end) : e[i].end;
  }
  return ends;
}

void
fu_within (Furiosa *f, bool last)
{
  guint n = f->executions->len, kept = 0;
  if (f->operators->len < MANY && !last)
    return;
  if (n)
    qsort (f->executions->data, n, sizeof (FuInterval), by_start);
  FuInterval *executions = (void *) f->executions->data, *ops = (void *) f->operators->data;
  g_autofree int64_t *ends = latest_ends (executions, n);
  for (guint i = 0; i < f->operators->len; i++)
    if (!find (executions, ends, n, &ops[i]))
      ops[kept++] = ops[i];
  g_array_set_size (f->operators, kept);
}

void
fu_within_report (Furiosa *f)
{
  guint64 childless = 0;
  uint64_t first = UINT64_MAX, first_stray = UINT64_MAX;
  for (guint i = 0; i < f->executions->len; i++) {
    const FuInterval *e = &g_array_index (f->executions, FuInterval, i);
    childless += !e->met;
    first = e->met ? first : MIN (first, e->at);
  }
  for (guint i = 0; i < f->operators->len; i++)
    first_stray = MIN (first_stray, g_array_index (f->operators, FuInterval, i).at);
  fu_skip_many (f, childless, first, fu_childless, "kept as a row; no operator lies within it");
  fu_skip_many (f, f->operators->len, first_stray, fu_stray,
                "kept as a row; it lies within no execution");
  fu_say_lost (f, 0, childless, f->operators->len);
}
