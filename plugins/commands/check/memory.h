/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - allocations that the code of a plugin itself makes, and one of them that fails.
 * Allocations of the libraries behind it do not count.  For the process of one rule. */
#pragma once

#include <glib.h>

/* Replaces the plugin's calls of malloc and its kin; `path` is that of an open module.  Returns how
 * many of these functions it uses. */
guint np_memory_take (const char *path);
/* Counts anew; the call `fail_at` finds no memory (0: all do). */
void np_memory_begin (guint fail_at);
guint np_memory_calls (void);
