/* SPDX-License-Identifier: Apache-2.0 */
/* json-head.h - which keys the beginning of a JSON text has. */
#pragma once

#include <glib.h>

/* Returns the byte with which the text begins, behind a byte order mark and white space; 0:
 * none. */
char np_json_head_opens (const guint8 *head, gsize len);

/* Returns whether the first value of the text has that key, in at most `depth` objects and arrays
 * within each other.  What lies behind the end of `head`, or cannot be JSON, is not looked at. */
gboolean np_json_head_has (const guint8 *head, gsize len, const char *key, guint depth);
