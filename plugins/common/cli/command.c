/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - opens the module of a command, which lies beside the plugins. */

#include "cli/command.h"
#include "base/install-paths.h"
#include "cli/cli.h"

#include <dlfcn.h>

/* Returns the path of the module; transfer full. */
static char *
path_of (const char *name)
{
  g_autofree char *plugins = np_installed_plugins ();
  g_autofree char *file = g_strconcat (name, ".so", NULL);
  return g_build_filename (plugins, "commands", file, NULL);
}

gboolean
np_command_is_here (const char *name)
{
  g_autofree char *path = path_of (name);
  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static int
fail (const char *name, const char *why, const char *mend)
{
  g_printerr ("nprof: error: command %s: %s: %s\n", name, why, mend);
  return NP_EXIT_USAGE;
}

int
np_command_run (const char *name, const char *package, int argc, char **argv)
{
  g_autofree char *path = path_of (name);
  g_autofree char *install = g_strconcat ("install package ", package, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_autofree char *why = g_strdup_printf ("there is no %s", path);
    return fail (name, why, install);
  }
  void *module = dlopen (path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!module)
    return fail (name, dlerror (), install);
  const NpCommand *command = dlsym (module, NP_COMMAND);
  if (!command || !g_str_equal (command->version, NPROF_VERSION)) {
    g_autofree char *why = g_strdup_printf ("%s is not of nprof %s", path, NPROF_VERSION);
    return fail (name, why, install);
  }
  return command->run (argc, argv);
}
