/* SPDX-License-Identifier: Apache-2.0 */
/* where.c - where this nprof's own plugins lie, found from where nprof itself lies, so
 * that an installed tree can be moved. */

#include "cli.h"

char *
np_cli_installed_plugins (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  if (!self)
    return g_strdup (NP_PLUGINDIR);
  g_autofree char *folder = g_path_get_dirname (self);
  g_autofree char *build = g_build_filename (folder, "..", "..", NULL); /* core/cli of a build */
  g_autofree char *mark = g_build_filename (build, "meson-info", NULL);
  if (g_file_test (mark, G_FILE_TEST_IS_DIR))
    return g_build_filename (build, "plugins", NULL);
  return g_build_filename (folder, NP_PLUGINDIR_FROM_BINDIR, NULL);
}
