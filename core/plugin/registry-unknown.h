/* SPDX-License-Identifier: Apache-2.0 */
/* registry-unknown.h - the error for a component that there is not. */
#pragma once

#include "plugin/registry.h"

/* Sets the error, NP_EXIT_USAGE, with what may help; always returns NULL. */
const NpRegistryEntry *np_registry_unknown (NpRegistry *registry, guint kind, const char *name,
                                            GError **error);
