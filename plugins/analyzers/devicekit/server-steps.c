/* SPDX-License-Identifier: Apache-2.0 */
/* server-steps.c - goes from an annotation to those before it that had not ended when it began: all
 * that are under way at a later moment are on that way, however many have ended meanwhile. */
#include "devicekit/server-steps.h"

#include "devicekit/bytes.h"

#include <nprof/sdk.h>

guint8
an_look_at_step_name (GByteArray *known, const struct nprof_host *host, nprof_str name)
{
  const bool none = inference_said (nprof_text (host, name)).phase == PHASE_NONE;
  return *an_byte_of (known, name) = none ? AN_NO_SERVER_STEP : AN_A_SERVER_STEP;
}

/* -- Steps of a thread or a device ------------------------------------------------------------- */

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
  fill (&said->context_tokens, other->context_tokens);
  fill (&said->generation_tokens, other->generation_tokens);
  fill (&said->context_keys, other->context_keys);
  fill (&said->generation_keys, other->generation_keys);
}

static void
extend (AnServerStep *step, const AnServerStep *part)
{
  step->end = MAX (step->end, part->end);
  step->shown |= part->shown;
  learn (&step->said, &part->said);
}

/* Returns 1 + the last one under way at a moment, from number `from` - 1 on the way up, which
 * begins by then; 0: none is. */
static guint
under_way (const GArray *steps, guint from, gint64 at)
{
  while (from && step_of (steps, from - 1)->end <= at)
    from = step_of (steps, from - 1)->up;
  return from;
}

static guint
next_under_way (const GArray *steps, guint i, gint64 at)
{
  return under_way (steps, step_of (steps, i - 1)->up, at);
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
  const gint64 at = added.start;
  added.up = under_way (steps, steps->len, at);
  for (guint i = added.up; i; i = next_under_way (steps, i, at))
    if (step_of (steps, i - 1)->name == added.name) {
      extend (step_of (steps, i - 1), &added);
      return;
    }
  for (guint i = added.up; i; i = next_under_way (steps, i, at)) {
    AnServerStep *other = step_of (steps, i - 1);
    if (lies_in (&added, other)) {
      other->around = true;
      learn (&added.said, &other->said);
    } else if (!other->around && lies_in (other, &added)) {
      added.around = true;
      learn (&other->said, &added.said);
    }
  }
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
  for (guint i = under_way (steps, low, at); i; i = next_under_way (steps, i, at))
    if (!step_of (steps, i - 1)->around)
      return (gint) i - 1;
  return -1;
}

/* -- Of several inputs ------------------------------------------------------------------------- */

static void
steps_free (gpointer steps)
{
  if (steps)
    g_array_unref (steps);
}

GPtrArray *
an_server_steps_by_input (void)
{
  return g_ptr_array_new_with_free_func (steps_free);
}

GArray *
an_server_steps_of (GPtrArray *all, guint32 input)
{
  if (input >= all->len)
    g_ptr_array_set_size (all, (int) input + 1);
  if (!all->pdata[input])
    all->pdata[input] = g_array_new (FALSE, FALSE, sizeof (AnServerStep));
  return all->pdata[input];
}

const GArray *
an_server_steps_find (const GPtrArray *all, guint32 input)
{
  return input < all->len ? all->pdata[input] : NULL;
}
