/* SPDX-License-Identifier: Apache-2.0 */
/* parallel.h - one function for many numbers, on several threads. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

/* Calls fn for 0 .. n - 1, in this order on one thread and in turns on up to `jobs`, this one among
 * them, and returns when all have returned.  Returns the status of the lowest number that failed:
 * after a failure no further number is begun.  `stopped` is asked before each number;
 * NPROF_CANCELLED is returned once it is TRUE. */
nprof_status np_parallel (guint jobs, guint n, nprof_status (*fn) (void *user, uint32_t number),
                          void *user, gboolean (*stopped) (gpointer run), gpointer run);
