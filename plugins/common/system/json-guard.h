/* SPDX-License-Identifier: Apache-2.0 */
/* json-guard.h - looks at a document that a profile or a server brings before json-glib sees it.
 * That calls itself for each level, ends at a NUL byte, takes comments, which could hide all this,
 * and leaks the first of two documents. */
#pragma once

#include <glib.h>

/* Returns why json-glib must not be given the text of len bytes, static; NULL: it may.  deepest:
 * levels of objects and arrays. *at: the byte that tells; at may be NULL. What is no JSON for other
 * reasons is left to the parser. [any-thread] */
const char *json_guard (const char *text, gsize len, guint deepest, gsize *at);
