/* SPDX-License-Identifier: Apache-2.0 */
/* bids.h - which decoder reads an input, when the user does not say. */
#pragma once

#include "module.h"

/* All decoders look at the first bytes and bid; the highest wins.  NULL and NP_EXIT_INPUT
 * when none bids, NP_EXIT_USAGE when two bid the same, both with the list of bids. */
const struct nprof_component *np_bids_choose (NpModules *modules, const char *path, const void *head,
                                              gsize len, guint64 size, GError **error);
