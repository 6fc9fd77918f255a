/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h - finds which kernel of one profile is which of the other.  Pure. */
#pragma once

#include "diff/side.h"

/* This is a kernel of one or both sides: the names differ where it was renamed. */
typedef struct {
  const char *base, *new;              /* of the names of sides; NULL: it is not there */
  GPtrArray *base_series, *new_series; /* of NpDiffSeries                      */
} NpDiffKernel;

/* Returns all kernels: those of base in the order of its tables, then the others of new.  Transfer
 * full. */
GPtrArray *np_diff_pair_kernels (const NpDiffSide *base, const NpDiffSide *new);
