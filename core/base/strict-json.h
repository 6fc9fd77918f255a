/* SPDX-License-Identifier: Apache-2.0 */
/* strict-json.h - JSON that people write by hand: read whole and without loss, or refused. */
#pragma once

#include <json-glib/json-glib.h>

#define NP_STRICT_JSON_BYTES (1u << 20)

/* Returns the root; transfer full.  NULL, with NP_EXIT_USAGE: there is no such file, it is no JSON,
 * or it has something that json-glib would change in silence or not survive: numbers beyond int64
 * or with a 0 before them, \u0000, members given twice, a second document, deep nesting, large
 * files. */
JsonNode *np_strict_json_read (const char *path, GError **error);
/* Tells what a text holds that json-glib must not see, and in which line: static, or NULL.  It is
 * for callers that parse on their own. */
const char *np_strict_json_problem (const char *text, gsize len, guint *line);
