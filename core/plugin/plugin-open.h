/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-open.h - opens one plugin file, for good: plugins are never unloaded. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

/* Returns NULL and `plugin`, or why the file cannot be used and what to do: transfer full. */
char *np_plugin_open (const char *path, const struct nprof_plugin **plugin);
