/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - the short names of demands, as analyzers say them by value.NAME in NAME.plugin. */
#pragma once

#include "gate/demand-value.h"

/* A name and what it is, or why it is none. */
typedef struct {
  char *name;
  NpDemandValue *is; /* NULL: it was refused      */
  char *why;         /* of a refused one; or NULL */
} NpGateValue;

/* Returns no values yet, of NpGateValue, in order of their names. */
GPtrArray *np_gate_values_new (void);
/* Adds what `who` says of a name; of several the first that can be read counts. */
void np_gate_values_add (GPtrArray *values, const char *who, const char *name,
                         const char *const *parts);
/* Returns NULL where there is none of that name, or it was refused. */
const NpDemandValue *np_gate_values_find (const GPtrArray *values, const char *name);
/* Returns why the name at the beginning of a text, with its dots, was refused; NULL: it was not. */
const char *np_gate_values_refused (const GPtrArray *values, const char *text);
/* Returns what stands behind "BEFORE." in their names, "a, b or c"; NULL: none begins so. Transfer
 * full. */
char *np_gate_values_behind (const GPtrArray *values, const char *before);
