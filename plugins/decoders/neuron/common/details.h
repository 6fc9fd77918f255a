/* SPDX-License-Identifier: Apache-2.0 */
/* details.h - the table of what an NTFF and the JSON of the tools say beside rows. */
#pragma once

#include <nprof/sdk.h>

extern const struct nprof_table neuron_details_table;
