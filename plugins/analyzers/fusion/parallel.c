/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.c - finds the fusions of which an operator ran in another section of its device's
 * timeline while the fusion ran: those are operators in parallel, the others the compiler's. */
#include "fusion.h"

/* `most` is the last end of the parts of one operator up to this one. */
typedef struct {
  SectionSpan span;
  gint64 most;
} Part;

void
fusion_parallel_open (Fusion *self)
{
  self->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  self->ran = g_array_new (FALSE, FALSE, sizeof (SectionSpan));
}

void
fusion_parallel_clear (Fusion *self)
{
  g_clear_pointer (&self->parts, g_array_unref);
  g_clear_pointer (&self->ran, g_array_unref);
}

void
fusion_parallel_span (Fusion *self, const SectionSpan *span)
{
  const Part part = { *span, span->end };
  if (span->framework_op)
    g_array_append_val (self->parts, part);
  if (span->group == NO_GROUP)
    return;
  g_array_append_val (self->ran, *span);
  fusion_at (self, span->group)->in_section = TRUE;
}

/* Sorts by device, operator and start. */
static int
by_operator (gconstpointer a, gconstpointer b)
{
  const SectionSpan *x = a, *y = b;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->framework_op != y->framework_op)
    return x->framework_op < y->framework_op ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

static bool
is_of (const SectionSpan *part, const SectionSpan *of)
{
  return part->device == of->device && part->framework_op == of->framework_op;
}

static void
find_ends (GArray *parts)
{
  for (guint i = 1; i < parts->len; i++) {
    Part *part = &g_array_index (parts, Part, i);
    const Part *before = part - 1;
    if (is_of (&before->span, &part->span))
      part->most = MAX (part->most, before->most);
  }
}

/* Returns how many parts stand before those of an operator that begin at a time, or later. */
static guint
parts_before (const GArray *parts, const SectionSpan *at)
{
  guint low = 0, high = parts->len;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (by_operator (&g_array_index (parts, Part, middle), at) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Returns whether the operator ran in another section while the fusion did. */
static bool
ran_beside (const GArray *parts, const SectionSpan *fusion, nprof_str operator)
{
  const SectionSpan at
      = { .device = fusion->device, .framework_op = operator, .start = fusion->end };
  for (guint i = parts_before (parts, &at); i > 0; i--) {
    const Part *part = &g_array_index (parts, Part, i - 1);
    if (!is_of (&part->span, &at) || part->most <= fusion->start)
      return false;
    if (part->span.section != fusion->section && part->span.end > fusion->start)
      return true;
  }
  return false;
}

void
fusion_parallel_end (Fusion *self)
{
  g_array_sort (self->parts, by_operator);
  find_ends (self->parts);
  for (guint i = 0; i < self->ran->len; i++) {
    const SectionSpan *ran = &g_array_index (self->ran, SectionSpan, i);
    Group *group = fusion_at (self, ran->group);
    for (char **member = group->members; member && *member && !group->parallel; member++)
      group->parallel = ran_beside (self->parts, ran, nprof_intern (self->host, *member));
  }
}
