/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - the turns of all devices; their tracks remember them. */
#include "turns.h"

AnTurns *
an_turns_new (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

void
an_turns_free (AnTurns *turns)
{
  if (turns)
    g_ptr_array_unref (turns);
}

AnTurn *
an_turn_of (AnTurns *turns, nprof_track device)
{
  for (guint i = 0; i < turns->len; i++) {
    AnTurn *t = g_ptr_array_index (turns, i);
    if (t->device == device)
      return t;
  }
  AnTurn *t = g_new0 (AnTurn, 1);
  t->device = device;
  g_ptr_array_add (turns, t);
  return t;
}
