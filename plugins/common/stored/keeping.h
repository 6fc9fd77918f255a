/* SPDX-License-Identifier: Apache-2.0 */
/* keeping.h - one change at a time of what people keep of a store, by whichever nprof makes it:
 * servers and commands hold one lock around reading what is there, checking it and writing it. Who
 * only reads needs no lock. */
#pragma once

#include <glib.h>

/* Waits for the lock of the store, 10 s at most. Returns a descriptor for np_keeping_end; -1: the
 * error says why not. The lock goes with its process. */
int np_keeping_begin (const char *store, GError **error);
void np_keeping_end (int lock);
