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

/* Returns whether both are one logical core. */
bool an_same_logical_core (const struct nprof_host *host, nprof_track a, nprof_track b);

/* Returns what of the flops that rows state is the model's: all of them but transposes.  NAN: no
 * row of an execution of Neuron says what is a transpose. */
double an_model_flops (guint cores, double flops, double model_flops);

#endif
