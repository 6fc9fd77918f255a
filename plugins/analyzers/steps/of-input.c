/* SPDX-License-Identifier: Apache-2.0 */
/* of-input.c - finds what the devices of one input share, once for all of them: processes that have
 * steps, and the time of all work. */
#include "steps.h"

void
st_of_input_clear (gpointer of_input)
{
  g_ptr_array_unref (((OfInput *) of_input)->processes);
}

static OfInput *
of_input (Steps *self, guint32 input)
{
  while (self->of_inputs->len <= input) {
    const OfInput none = { g_ptr_array_new (), G_MAXINT64, G_MININT64 };
    g_array_append_val (self->of_inputs, none);
  }
  return &g_array_index (self->of_inputs, OfInput, input);
}

void
st_find_of_inputs (Steps *self)
{
  for (guint i = 0; i < self->devices->len; i++) {
    const Device *d = g_ptr_array_index (self->devices, i);
    OfInput *input = of_input (self, d->input);
    if (!d->n_work)
      continue;
    input->first = MIN (input->first, d->first);
    input->end = MAX (input->end, d->end);
  }
  for (guint i = 0; i < self->processes->len; i++) {
    Process *p = g_ptr_array_index (self->processes, i);
    if (!p->steps->len)
      continue;
    guint32 input = host_step_at (self, g_array_index (p->steps, guint, 0))->input;
    g_ptr_array_add (of_input (self, input)->processes, p);
  }
}
