/* SPDX-License-Identifier: Apache-2.0 */
/* parallel-decode.h - decodes the parts of one input, in any order on several threads, and
 * delivers their rows in order. */
#pragma once

#include "run/instance.h"

/* Calls decode_part for each of n parts on `jobs` threads and join for each in order.
 * All rows go to the instance's feed, in order, on the calling thread. */
nprof_status np_parallel_decode (NpInstance *instance, guint n_parts, guint jobs);
