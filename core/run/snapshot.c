/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c - keeps the snapshots of a run. */

#include "run/snapshot.h"

void
np_snapshots_init (NpSnapshots *self, const struct nprof_run_info *run)
{
  self->all = g_ptr_array_new_with_free_func (g_free);
  np_snapshots_add (self, run, run->n_inputs, 0);
}

void
np_snapshots_clear (NpSnapshots *self)
{
  g_clear_pointer (&self->all, g_ptr_array_unref);
}

void
np_snapshots_add (NpSnapshots *self, const struct nprof_run_info *run, guint n_inputs, guint known)
{
  NpSnapshot *snapshot = g_new (NpSnapshot, 1);
  *snapshot = (NpSnapshot){ .run = *run, .known = known };
  snapshot->run.n_inputs = n_inputs;
  g_ptr_array_add (self->all, snapshot);
  atomic_store_explicit (&self->newest, snapshot, memory_order_release);
}
