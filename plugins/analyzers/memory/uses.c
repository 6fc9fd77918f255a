/* SPDX-License-Identifier: Apache-2.0 */
/* uses.c - reads counters of what was allocated since the recording began, each of one use of a
 * memory, as the runtime of Neuron tells it of an HBM.  A use is held as a whole: how many
 * allocations it is of, and since when, is not told. */
#include "memory.h"
#include "profile/memory-names.h"

#include <math.h>
#include <string.h>

bool
me_is_use (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  return batch->kind[i] == NPROF_COUNTER
         && strncmp (nprof_text (m->host, batch->name[i]), MEMORY_USE, strlen (MEMORY_USE)) == 0;
}

/* Replaces what a use held before by what it holds now, as a block whose address comes again. */
void
me_use (Memory *m, const struct nprof_batch *batch, uint32_t i)
{
  const struct nprof_track_info *track = m->host->track_info (m->host, batch->track[i]);
  Allocator *a = me_allocator (m, batch->input, track->process, nprof_track_label (track));
  const char *use = nprof_text (m->host, batch->name[i]) + strlen (MEMORY_USE);
  const guint32 words[H_WORDS] = { [H_REGION] = nprof_intern (m->host, use) };
  const gint64 held = (gint64) batch->value[i], address = batch->name[i];
  Block *before = g_hash_table_lookup (a->live, &address);
  const Change c = { .at = batch->start[i],
                     .bytes = held - (before ? before->bytes : 0),
                     .address = address,
                     .has_address = true,
                     .allocates = true,
                     .hidden = nprof_hidden (batch, i),
                     .asked = -1,
                     .rounded = -1,
                     .reserved = -1,
                     .capacity = -1,
                     .lifetime = -1,
                     .fragmentation = NAN,
                     .holder = me_holder (m, words) };
  if (c.at > m->clip.to) /* tables tell how it was then */
    return;
  a->by_use = true;
  me_change (m, a, &c);
  ((Block *) g_hash_table_lookup (a->live, &address))->bytes = held;
}
