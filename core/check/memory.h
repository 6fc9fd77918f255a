/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - allocations that the code of a plugin itself makes, and one of them that fails.  What
 * the libraries behind it allocate is theirs.  For the process of one rule. */
#pragma once

#include <glib.h>

/* Takes the plugin's calls of malloc and its kin over; path: of a module that is open.  How many of these
 * functions it uses. */
guint np_memory_take (const char *path);
/* Counts anew; the call `fail_at` finds no memory, 0: none does. */
void np_memory_begin (guint fail_at);
guint np_memory_calls (void);
