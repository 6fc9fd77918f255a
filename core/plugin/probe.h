/* SPDX-License-Identifier: Apache-2.0 */
/* probe.h - which decoder reads an input, when the user does not say. */
#pragma once

#include "plugin/registry.h"

enum { NP_SCORE_ANY = 1, NP_SCORE_BY_NAME = 20 };

/* This is the domain of the error that no decoder knows the format. */
#define NP_UNKNOWN_FORMAT (np_unknown_format_quark ())
GQuark np_unknown_format_quark (void);

/* The decoders look at the first bytes and bid, but for those whose NAME.plugin rules the file out,
 * which bid 0 unopened; the highest wins, of equal ones that which comes first in the search path.
 * NULL and NP_EXIT_INPUT when none bids. Bids below `least` count as none. `bids`, the list of all
 * that do not bid 0, is the caller's to log and to free; it may be NULL. *tie: others bid as
 * much. */
const struct nprof_component *np_probe_decoders (NpRegistry *registry, const char *path,
                                                 const void *head, gsize len, guint64 size,
                                                 int least, char **bids, gboolean *tie,
                                                 GError **error);
