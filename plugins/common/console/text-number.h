/* SPDX-License-Identifier: Apache-2.0 */
/* text-number.h - numbers texts, each once. */
#pragma once

#include <glib.h>

/* Returns the place of the text in `texts`, which owns them; a new one is added. `numbers` knows by
 * text 1 + the place, and owns nothing. */
guint32 np_text_number (GHashTable *numbers, GPtrArray *texts, const char *text);
