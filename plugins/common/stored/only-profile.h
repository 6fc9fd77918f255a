/* SPDX-License-Identifier: Apache-2.0 */
/* only-profile.h - the profile in a store that was made for one. */
#pragma once

#include <glib.h>

/* Returns the name of its folder, n_...; transfer full.  NULL: none was stored yet. */
char *np_only_profile (const char *store);
