/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - words of a profile as programs may be given them. */
#pragma once

#include <glib.h>

#define NP_NAME_CHARACTERS 200

/* Returns the text with controls, characters that turn its direction and invisible ones as \u{hex},
 * and of more than NP_NAME_CHARACTERS characters with … in place of its middle; transfer full.
 * len -1: to its NUL. */
char *np_name_clean (const char *text, gssize len);
