/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.h - what a component is told of the run and its inputs at one point of the stream of
 * rows.  A snapshot never changes and lives as long as the run, so any thread may read it. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>
#include <stdatomic.h>

typedef struct {
  struct nprof_run_info run; /* n_inputs: those that exist for a component that is here */
  guint known;               /* the inputs below this number have had their first row,
                                so their bytes and properties are known                 */
} NpSnapshot;

typedef struct {
  GPtrArray *all;                     /* of NpSnapshot; the thread that delivers adds    */
  _Atomic (const NpSnapshot *) newest; /* never NULL after np_snapshots_init             */
} NpSnapshots;

void np_snapshots_init (NpSnapshots *self, const struct nprof_run_info *run);
void np_snapshots_clear (NpSnapshots *self);
/* Makes the newest snapshot; `run` is copied.  Only the thread that delivers calls it. */
void np_snapshots_add (NpSnapshots *self, const struct nprof_run_info *run, guint n_inputs,
                       guint known);

/* Returns the newest snapshot.  [any-thread] */
static inline const NpSnapshot *
np_snapshots_newest (NpSnapshots *self)
{
  return atomic_load_explicit (&self->newest, memory_order_acquire);
}
