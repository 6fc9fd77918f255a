/* SPDX-License-Identifier: Apache-2.0 */
/* server-steps.c - looks back from the last annotation for as long as one that began earlier may
 * still be under way, which `reach` tells. */
#include "devicekit/server-steps.h"

static AnServerStep *
step_of (const GArray *steps, guint i)
{
  return &g_array_index (steps, AnServerStep, i);
}

static void
fill (gint64 *unknown, gint64 known)
{
  if (*unknown < 0)
    *unknown = known;
}

static void
learn (Said *said, const Said *other)
{
  if (said->phase != other->phase)
    return;
  fill (&said->requests, other->requests);
  fill (&said->context, other->context);
  fill (&said->generated, other->generated);
  fill (&said->context_keys, other->context_keys);
  fill (&said->generation_keys, other->generation_keys);
}

/* The reaches of those after it never fall: the ones lower than its end come first. */
static void
extend (GArray *steps, guint i, const AnServerStep *part)
{
  AnServerStep *step = step_of (steps, i);
  step->end = MAX (step->end, part->end);
  step->shown |= part->shown;
  learn (&step->said, &part->said);
  for (; i < steps->len && step_of (steps, i)->reach < step->end; i++)
    step_of (steps, i)->reach = step->end;
}

static bool
lies_in (const AnServerStep *a, const AnServerStep *b)
{
  return b->start <= a->start && a->end <= b->end;
}

void
an_server_steps_add (GArray *steps, const AnServerStep *step)
{
  AnServerStep added = *step;
  for (guint i = steps->len; i-- > 0 && step_of (steps, i)->reach > added.start;)
    if (step_of (steps, i)->name == added.name && added.start < step_of (steps, i)->end) {
      extend (steps, i, &added);
      return;
    }
  for (guint i = steps->len; i-- > 0 && step_of (steps, i)->reach > added.start;) {
    AnServerStep *other = step_of (steps, i);
    if (lies_in (&added, other)) {
      other->around = true;
      learn (&added.said, &other->said);
    } else if (!other->around && lies_in (other, &added)) {
      added.around = true;
      learn (&other->said, &added.said);
    }
  }
  added.reach = steps->len ? MAX (step_of (steps, steps->len - 1)->reach, added.end) : added.end;
  g_array_append_val (steps, added);
}

gint
an_server_steps_at (const GArray *steps, gint64 at)
{
  guint low = 0, high = steps->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (step_of (steps, middle)->start <= at)
      low = middle + 1;
    else
      high = middle;
  }
  for (guint i = low; i-- > 0 && step_of (steps, i)->reach > at;)
    if (at < step_of (steps, i)->end && !step_of (steps, i)->around)
      return (gint) i;
  return -1;
}
