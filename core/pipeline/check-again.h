/* SPDX-License-Identifier: Apache-2.0 */
/* check-again.h - has a component of a checked run live again, by nprof check --again. */
#pragma once

#include "plugin/component-spec.h"
#include "plugin/registry.h"

/* Returns the command that tries it with the options of `spec`, but for secrets; input: the file
 * that its decoder has read, which is left out unless it is small, or NULL. Transfer full. */
char **np_check_again_words (const NpRegistryEntry *entry, const NpSpec *spec, const char *input);
/* Whether that command has been run to its end behind a run before, on whichever file. */
gboolean np_check_again_is_known (const NpRegistryEntry *entry, char **words);
/* Returns "RULE: what it breaks: the mend", or NULL where it breaks none, which is kept, or could
 * not be tried; transfer full. */
char *np_check_again_find (const NpRegistryEntry *entry, char **words);
