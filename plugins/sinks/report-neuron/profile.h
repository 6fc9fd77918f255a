/* SPDX-License-Identifier: Apache-2.0 */
/* profile.h - the sink that writes what `neuron-profile view --output-format json` writes. */
#pragma once

#include <nprof/plugin.h>

extern const struct nprof_component neuron_json;
