/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h - the summary metrics of the Neuron tools: names, units, formulas, and the arithmetic
 * of those that follow from others.  Knows nothing of nprof.
 * source: profile-schema-reference, Summary, schema 7.4.0 */
#pragma once

#include <stdbool.h>

typedef enum {
#define METRIC(id, name, unit, group, formula, reason) NM_##id,
#include "metrics.def"
#undef METRIC
  NM_METRICS
} NmMetric;

typedef struct {
  const char *name, *unit, *group;
  const char *formula; /* NULL: never computed                            */
  const char *reason;  /* why it is unknown, when it is                   */
} NmInfo;

extern const NmInfo nm_info[NM_METRICS];

/* These are rates of the device; NAN: unknown. */
typedef struct {
  double flops;     /* max_ops_per_sec                                    */
  double bandwidth; /* max_hbm_bandwidth: byte/s                          */
  double clock;     /* Hz of the tensor engine                            */
  unsigned cores;   /* physical cores of the logical one; 0: not known    */
} NmRates;

/* `values` has NM_METRICS, NAN where unknown.  Fills those that are unknown and follow from
 * others. */
void nm_derive (double *values, const NmRates *rates);

/* Returns whether it follows from others, so that a value that a file states need not be
 * believed. */
bool nm_is_derived (NmMetric metric);

/* Returns -1 when there is none of that name. */
int nm_find (const char *name);
