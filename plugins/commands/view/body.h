/* SPDX-License-Identifier: Apache-2.0 */
/* body.h - the JSON that a request brings. */
#pragma once

#include "ask.h"

#include <json-glib/json-glib.h>

/* Returns its root, which is an object; transfer full. `members` are the names that it may have,
 * apart by blanks; those that end in ? are true or false. NULL: the reply says what is wrong. */
JsonNode *np_ask_body (NpAsk *ask, const char *members);
/* Read members: what is absent, or of another type, is NULL, and a flag FALSE. */
const char *np_body_text (JsonObject *body, const char *name);
gboolean np_body_flag (JsonObject *body, const char *name);
/* FALSE: it is there and no whole number from 0; absent leaves *value. */
gboolean np_body_number (JsonObject *body, const char *name, guint64 *value);
/* Returns all texts of a list; transfer full, empty when it is absent; NULL: it holds something
 * else. */
GStrv np_body_texts (JsonObject *body, const char *name);
