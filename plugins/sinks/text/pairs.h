/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h - reads a flat JSON object of strings as keys and values.  Knows nothing of nprof. */
#pragma once

#include <glib.h>

/* Returns key, value, key, value ... of char *, unescaped; transfer full.  NULL: it is no such
 * object. */
GPtrArray *pairs_read (const char *json, gsize len);
