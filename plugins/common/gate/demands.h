/* SPDX-License-Identifier: Apache-2.0 */
/* demands.h - what is demanded of a profile: from texts to expressions, and the analyzers whose
 * tables they are of. */
#pragma once

#include "gate/expr.h"
#include "plugin/registry.h"
#include "run/config.h"

/* Reads n demands, and finds the tables of their short names; `baseline`: what those with that word
 * are held against, or NULL. Returns NpGateExpr, transfer full; NULL: NP_EXIT_USAGE. */
GPtrArray *np_gate_demands (NpRegistry *registry, const char *const *texts, guint n,
                            const char *baseline, GError **error);
/* Returns those whose limit is a value of the baseline; transfer container. */
GPtrArray *np_gate_of_baseline (const GPtrArray *exprs);
/* Adds the analyzers of their tables, in the order of a report. Returns the names of the tables,
 * which live as long as the demands, ending in NULL; transfer container. */
GPtrArray *np_gate_want (NpConfig *config, NpRegistry *registry, const GPtrArray *exprs);
