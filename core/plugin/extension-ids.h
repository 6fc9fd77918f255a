/* SPDX-License-Identifier: Apache-2.0 */
/* extension-ids.h - which extensions this nprof has, for plugins that say which they need.  What
 * they do is run/extensions.c's. */
#pragma once

#include <glib.h>

extern const char *const np_extension_ids[]; /* ends in NULL */
gboolean np_extension_known (const char *id);
