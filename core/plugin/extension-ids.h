/* SPDX-License-Identifier: Apache-2.0 */
/* extension-ids.h - which extensions this nprof has, for plugins that say which they need.  What
 * they do is run/extensions.c's. */
#pragma once

#include <glib.h>

gboolean np_extension_known (const char *id);
