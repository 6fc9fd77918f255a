/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - table stacks as the files that viewers of flame graphs read. */
#pragma once

#include "table/table-store.h"

#include <glib.h>

/* These are the names of the formats: "folded", "speedscope", "pprof"; ends in NULL. */
extern const char *const np_flame_formats[];

/* Makes the text of `stacks`, the table, or NULL: no stack.  Weights are bytes, or times: whole ns,
 * rounded down for each stack. folded: a line a stack, "a;b;c N". speedscope: JSON, a profile for
 * each outermost frame. pprof: profile.proto, gzipped, with counts and times. With several inputs
 * each is a frame around its roots. Transfer full; NULL: no such format, or no memory. */
GString *np_flame_text (const NpTable *stacks, const char *format, gboolean bytes);
