/* SPDX-License-Identifier: Apache-2.0 */
/* json-text.h - a string of JSON.  Every run writes some; json-glib, which could write them too, takes longer
 * to load than a small run takes. */
#pragma once

#include <glib.h>

/* Appends the text, which is UTF-8, as a JSON string. */
void np_append_json_text (GString *out, const char *text);
