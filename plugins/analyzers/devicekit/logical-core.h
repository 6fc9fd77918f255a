/* SPDX-License-Identifier: Apache-2.0 */
/* logical-core.h - says of a core of Neuron which others are one logical core with it: these run
 * one execution together, so that its flops and its peak are theirs. */
#ifndef AN_LOGICAL_CORE_H
#define AN_LOGICAL_CORE_H

#include <glib.h>
#include <nprof/plugin.h>
#include <stdbool.h>

/* Returns how many physical cores the logical core of this one has, when the first row of the
 * input was delivered; 0: the track is no core of a recorded execution of Neuron. */
guint an_logical_cores (const struct nprof_host *host, nprof_track core);

/* Returns what holds this core and the others of its logical core, which is the device that people
 * mean; the track itself where it shares its work with no other. */
nprof_track an_logical_core_of (const struct nprof_host *host, nprof_track core);

/* Returns by the place of each of these devices, of GArray of guint, in order: the places of those
 * that are one logical core with it, itself included (transfer full). */
GPtrArray *an_logical_core_places (const struct nprof_host *host, const nprof_track *devices,
                                   guint n);

/* Returns whether the flops that rows state, of which they say `known`, show the model's: of an
 * execution of Neuron only where a row says which of its flops are transposes, or that none are. */
bool an_knows_model (guint cores, guint known);

#endif
