/* SPDX-License-Identifier: Apache-2.0 */
/* strings.h - the strings of a run: equal text, equal handle.  Reading takes no lock.
 * [any-thread] but for new and free. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct NpStrings NpStrings;

NpStrings *np_strings_new (void);
void np_strings_free (NpStrings *strings);

/* Returns 0 for empty text, and when out of memory.  Text that is no valid UTF-8 gets U+FFFD for
 * each bad byte; NUL bytes are kept (len counts).  Handles count up from 1. */
nprof_str np_strings_intern (NpStrings *strings, const char *text, size_t len);
/* Returns the text, NUL-terminated, valid for the run; an unknown handle gives "". */
const char *np_strings_get (NpStrings *strings, nprof_str str, size_t *len);
/* Tells whether a text has found no memory.  Its handle is 0 then, and the run must end. */
gboolean np_strings_lost (NpStrings *strings);
guint np_strings_count (NpStrings *strings); /* handles are 1 .. count */
