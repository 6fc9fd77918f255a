/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - nprof plugins install, list, enable, disable and remove: the user's own
 * plugins. */
#pragma once

#include "cli/cli.h"

/* What `nprof plugins` takes before a name; it ends with NULL. */
extern const char *const np_plugins_words[];

/* Runs `nprof plugins WORD [NAME]` and puts what it prints into `out`; FALSE with NP_ERROR. *known:
 * the word is one of these. */
gboolean np_plugins_keep (const char *word, const char *name, gboolean *known, GString *out,
                          GError **error);
