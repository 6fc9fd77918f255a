/* SPDX-License-Identifier: Apache-2.0 */
/* text-limit.h - the limit on one text of a profile, and what stands in place of a longer one. */
#pragma once

#include <glib.h>

#define NP_TEXT_MOST (16u << 20)   /* bytes, where the user says nothing */
#define NP_TEXT_LEAST 1024         /* what may be asked for              */
#define NP_TEXT_MAX (1u << 30)

/* Returns the first characters of a text, and how many bytes it had, in at most `most` bytes;
 * transfer full, its length in *kept. */
char *np_text_cut (const char *text, gsize len, gsize most, gsize *kept);
/* Returns what a warning says of a text that is cut; transfer full. */
char *np_text_cut_words (const char *text, gsize len, gsize most);
