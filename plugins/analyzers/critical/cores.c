/* SPDX-License-Identifier: Apache-2.0 */
/* cores.c - notes which rows of a NeuronCore are in the file, and takes out of a step what would
 * rest on those that are not: without instructions it is unknown what the engines did, and without
 * packets of DMA a moment in which no engine works may be a copy. */
#include "critical.h"
#include "devicekit/bytes.h"

static Core *
core_at (const Critical *self, guint i)
{
  return &g_array_index (self->cores, Core, i);
}

static Core *
core_of (Critical *self, const AnPlace *place)
{
  for (guint i = self->cores->len; i-- > 0;)
    if (core_at (self, i)->device == place->device)
      return core_at (self, i);
  const Core none = { .device = place->device, .input = place->input, .label = place->label };
  g_array_append_val (self->cores, none);
  return core_at (self, self->cores->len - 1);
}

void
cores_note (Critical *self, const AnPlace *place, AnTraits traits, nprof_str category)
{
  gboolean packet = category == self->dma, unsure = traits.role == AN_UNSURE;
  if (!packet && !unsure && category != self->semaphore_wait
      && !an_is_pipelined (self->places, category)) {
    *an_byte_of (self->others, category) = TRUE;
    return;
  }
  Core *core = core_of (self, place);
  core->packets |= packet;
  core->doubt = MAX (core->doubt, unsure ? an_doubt ((Meaning) traits.says) : AN_SURE);
  core->instructions |= !packet;
}

static void
forget (Judged *j, Group group)
{
  j->groups.of[G_UNKNOWN] += j->groups.of[group];
  j->groups.of[group] = 0;
}

static const char *
what_is_missing (const Core *core)
{
  if (core->doubt)
    return an_doubt_text (core->doubt);
  if (!core->instructions)
    return "no instructions in the file";
  return core->packets ? NULL : "no packets of DMA in the file";
}

static void
judge_core (const Core *core, Judged *j)
{
  gboolean engines = core->instructions && !core->doubt;
  j->missing = what_is_missing (core);
  j->unsure = core->doubt != AN_SURE;
  for (guint i = 0; j->missing && i < G_UNKNOWN; i++)
    if (!engines || (i != G_COMPUTE && i != G_COMMUNICATION))
      forget (j, (Group) i);
}

void
cores_judge (const Critical *self, nprof_str label, Judged *j)
{
  for (guint i = 0; i < self->cores->len; i++)
    if (core_at (self, i)->label == label && core_at (self, i)->input == j->input)
      judge_core (core_at (self, i), j);
}
