/* SPDX-License-Identifier: Apache-2.0 */
/* shard.h - which part of the inputs one task of a launcher takes. */
#pragma once

#include "base/error.h"

/* A shard of the inputs, numbered from 0: task `number` of `count` takes those with input mod count
 * = number. */
typedef struct {
  guint number, count;
} NpShard;

/* "3/64", from 0, or "auto": by what Slurm, PMI, Open MPI or an array of Slurm say in the
 * environment. NP_EXIT_USAGE. */
gboolean np_shard_parse (NpShard *shard, const char *text, GError **error);
