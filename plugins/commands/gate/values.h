/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - the short names of demands, as analyzers say them by value.NAME in NAME.plugin:
 *
 *   value.idle.host=step_breakdown;idle_host_ns/window_ns;mean;or_span;doubt=idle_unlinked_ns
 *
 * A table; COLUMN, A-B or A+B, each also / OVER or / OVER+PLUS; then words and KEY=GLOB, which are
 * members of NpGateExpr. */
#pragma once

#include "expr.h"

/* Returns no values yet, of NpGateExpr, in order of their names. */
GPtrArray *np_gate_values_new (void);
/* Adds one. FALSE: there is one of that name, or it has another shape, which `why` says (transfer
 * full; NULL where there is one). */
gboolean np_gate_values_add (GPtrArray *values, const char *name, const char *const *parts,
                             char **why);
const NpGateExpr *np_gate_values_find (const GPtrArray *values, const char *name);
/* Returns what stands behind "BEFORE." in their names, "a, b or c"; NULL: none begins so. Transfer
 * full. */
char *np_gate_values_behind (const GPtrArray *values, const char *before);
