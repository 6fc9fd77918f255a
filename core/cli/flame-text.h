/* SPDX-License-Identifier: Apache-2.0 */
/* flame-text.h - table stacks as the files that viewers of flame graphs read. */
#pragma once

#include "pipeline/table-store.h"

#include <glib.h>

/* Names of the formats, ends in NULL: "folded", "speedscope", "pprof". */
extern const char *const np_flame_formats[];

/* stacks: the table, or NULL: no stack.  Times are whole ns, rounded down for each stack.
 * folded: a line a stack, "a;b;c N".  speedscope: JSON, a profile for each outermost frame.  pprof:
 * profile.proto, gzipped, with counts and times.  Of several inputs each is a frame around its
 * roots.  Transfer full; NULL: no such format. */
GString *np_flame_text (const NpStoredTable *stacks, const char *format);
