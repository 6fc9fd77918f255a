/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - the plugin that a test names, opened as a program does that trusts it. */

#include "testhost.h"

#include <dlfcn.h>
#include <string.h>

const struct nprof_plugin *
nprof_test_load (const char *path)
{
  void *module = path ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!module)
    g_error ("%s: %s", path ? path : "no path of a plugin was given", path ? dlerror () : "");
  const struct nprof_plugin *(*entry) (void);
  *(void **) &entry = dlsym (module, "nprof_plugin_v1");
  if (!entry)
    g_error ("%s: no symbol nprof_plugin_v1", path);
  const struct nprof_plugin *plugin = entry ();
  if (plugin->contract != NPROF_CONTRACT)
    g_error ("%s: contract %u, this is %u", path, plugin->contract, NPROF_CONTRACT);
  return plugin;
}

const struct nprof_component *
nprof_test_component (const char *path, guint kind, const char *name)
{
  const struct nprof_plugin *plugin = nprof_test_load (path);
  for (const struct nprof_component *const *c = plugin->components; *c; c++)
    if ((*c)->kind == kind && strcmp ((*c)->name, name) == 0)
      return *c;
  g_error ("%s: no component \"%s\"", path, name);
}
