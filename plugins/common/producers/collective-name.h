/* SPDX-License-Identifier: Apache-2.0 */
/* collective-name.h - finds by its name whether a piece of work is communication between devices,
 * and which. The field of its own in which a producer says so (NPROF_KEY_COLLECTIVE) goes before,
 * and is left to the callers. The one list of names; rule: nprof-analyzer-device(7),
 * COLLECTIVES. */
#ifndef PRODUCERS_COLLECTIVE_NAME_H
#define PRODUCERS_COLLECTIVE_NAME_H

#include <glib.h>

/* Returns "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "permute",
 * "send_recv", "dispatch", "combine", "barrier"; "collective": the name says no more.  NULL: no
 * communication.  `name` is that of a kernel with or without its template arguments and parameters,
 * also mangled; of an HLO instruction, or its opcode.  Takes time in proportion to the name: ask
 * once for each. */
const char *collective_of_name (const char *name);

/* Returns all-reduce.3 for its start, "all-reduce-start.3" and word "-start", and its end,
 * "all-reduce-done.3" and "-done"; NULL: it is neither.  Transfer full. */
char *collective_without (const char *name, const char *word);

#endif
