/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - the short names of demands, as analyzers say them by value.NAME in NAME.plugin. */
#pragma once

#include "console/demand-value.h"

/* Returns no values yet, of NpDemandValue, in order of their names. */
GPtrArray *np_gate_values_new (void);
/* Adds one. FALSE: there is one of that name, or it has another shape, which `why` says (transfer
 * full; NULL where there is one). */
gboolean np_gate_values_add (GPtrArray *values, const char *name, const char *const *parts,
                             char **why);
const NpDemandValue *np_gate_values_find (const GPtrArray *values, const char *name);
/* Returns what stands behind "BEFORE." in their names, "a, b or c"; NULL: none begins so. Transfer
 * full. */
char *np_gate_values_behind (const GPtrArray *values, const char *before);
