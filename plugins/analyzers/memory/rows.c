/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - takes the rows that tell of memory, and of what was under way. */
#include "memory.h"

static inline bool
tells_of_memory (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_str name = batch->name[i];
  if (G_LIKELY (batch->kind[i] == NPROF_SPAN))
    return name == m->name_allocation || name == m->name_deallocation;
  if (batch->kind[i] == NPROF_INSTANT)
    return name == m->name_memory || name == m->name_failure;
  return batch->kind[i] == NPROF_COUNTER && me_is_use (m, batch, i);
}

static bool
is_place (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  return batch->kind[i] == NPROF_SPAN
         && (me_is_operator (m, batch->category[i]) || me_is_module (m, batch->name[i]));
}

void
me_choose (Memory *m, const struct nprof_batch *batch, uint8_t *rows)
{
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (!an_is_chosen (rows, i) && (tells_of_memory (m, batch, i) || is_place (m, batch, i)))
      an_choose_row (rows, i);
}

static void
take_row (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  if (tells_of_memory (m, batch, i)) {
    me_pass (m, batch->start[i]);
    if (batch->kind[i] == NPROF_INSTANT && batch->name[i] == m->name_failure)
      me_failure (m, batch, i);
    else if (batch->kind[i] == NPROF_INSTANT)
      me_pytorch (m, batch, i);
    else if (batch->kind[i] == NPROF_COUNTER)
      me_use (m, batch, i);
    else
      me_xla (m, batch, i);
  } else if (!an_place (m->places, batch->track[i])->device && is_place (m, batch, i)) {
    me_pass (m, batch->start[i]);
    me_open (m, batch, i);
  }
}

void
me_rows (Memory *m, const struct nprof_batch *batch)
{
  for (uint32_t i = 0; i < batch->n_rows; i++)
    take_row (m, batch, i);
}
