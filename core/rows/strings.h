/* SPDX-License-Identifier: Apache-2.0 */
/* strings.h - the strings of a run: equal text, equal handle.  Reading takes no lock.
 * [any-thread] but for new and free. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct NpStrings NpStrings;

NpStrings *np_strings_new (void);
void np_strings_free (NpStrings *strings);
/* Sets how long a text may be, before the first; NP_TEXT_MOST is so without it. */
void np_strings_limit (NpStrings *strings, gsize most);

/* Returns 0 for empty text, and when out of memory.  Text that is no valid UTF-8 gets U+FFFD for
 * each bad byte; NUL bytes are kept (len counts).  Handles count up from 1.
 * A text beyond the limit is cut by text-limit.h. */
nprof_str np_strings_intern (NpStrings *strings, const char *text, size_t len);
/* Returns whether this call is the first that asks of a text that was cut. */
gboolean np_strings_tell_cut (NpStrings *strings, nprof_str str);
/* Returns the text, NUL-terminated, valid for the run; an unknown handle gives "". */
const char *np_strings_get (NpStrings *strings, nprof_str str, size_t *len);
/* Returns whether a text has found no memory.  Its handle is 0 then, and the run must end. */
gboolean np_strings_lost (NpStrings *strings);
guint np_strings_count (NpStrings *strings); /* handles are 1 .. count */
