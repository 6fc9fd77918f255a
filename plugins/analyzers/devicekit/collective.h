/* SPDX-License-Identifier: Apache-2.0 */
/* collective.h - is a piece of work communication between devices, and which?  By its name; the
 * field of its own in which a producer says so (NPROF_KEY_COLLECTIVE) goes before, and is left to the
 * callers.  The one list of names; rule: nprof-analyzer-device(7), COLLECTIVES. */
#ifndef AN_COLLECTIVE_H
#define AN_COLLECTIVE_H

#include <glib.h>

/* "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "permute", "send_recv",
 * "dispatch", "combine", "barrier"; "collective": the name says no more.  NULL: no communication.
 * name: of a kernel with or without its template arguments and parameters, also mangled; of an HLO
 * instruction, or its opcode.  Takes time in proportion to the name: ask once for each. */
const char *an_collective_of_name (const char *name);

#endif
