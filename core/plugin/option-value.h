/* SPDX-License-Identifier: Apache-2.0 */
/* option-value.h - the value of one option; the options of a component are option.h's. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

/* Returns the bytes of a value in the instance, which are also its alignment; 0 for an unknown
 * type. */
guint np_option_size (guint type);
/* Parses and checks the text, and stores the value at `at`; strings are kept in `strings`
 * (NULL: the text is only checked).  FALSE: it is not what the option takes. */
gboolean np_option_store (const struct nprof_option *option, const char *text, void *at,
                          GStringChunk *strings);
/* Says what the option takes, to stand behind "is not"; transfer full. */
char *np_option_expected (const struct nprof_option *option);
/* Says what is wrong with the declared range, for its type: transfer full, or NULL. */
char *np_option_range_problem (const struct nprof_option *option);
