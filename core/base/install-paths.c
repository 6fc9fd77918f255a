/* SPDX-License-Identifier: Apache-2.0 */
/* install-paths.c - where this nprof's own plugins and data files lie. The folder of the code, of a
 * program or of the shared library, tells: it is bindir or libdir of an installed tree, wherever
 * that tree was moved to, or a folder of a build tree, which says where its sources are. */

#include "base/install-paths.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel knows the real path of the program; realpath would look at each folder of it. */
char *
np_program_path (void)
{
  char path[PATH_MAX];
  gssize len = readlink ("/proc/self/exe", path, sizeof path);
  return len > 0 && len < (gssize) sizeof path ? g_strndup (path, (gsize) len) : NULL;
}

/* Returns the folder of the object that holds this code; NULL when it cannot be told. */
static char *
code_folder (void)
{
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1 ((void *) (guintptr) code_folder, &info, (void **) &map, RTLD_DL_LINKMAP) || !map)
    return NULL;
  /* The link map has no name for the program itself, and argv[0] is not to be trusted. */
  char *real = *map->l_name ? realpath (map->l_name, NULL) : np_program_path ();
  char *folder = real ? g_path_get_dirname (real) : NULL;
  free (real);
  return folder;
}

/* Returns `code` without `below` at its end: for bin, /opt/x/bin gives /opt/x. */
static char *
strip_tail (const char *code, const char *below)
{
  g_autofree char *tail = g_strconcat ("/", below, NULL);
  return g_str_has_suffix (code, tail) ? g_strndup (code, strlen (code) - strlen (tail)) : NULL;
}

/* Folders that meson was told to put outside of the prefix are absolute, and stay where they
 * are. */
static char *
below_prefix (const char *prefix, const char *folder)
{
  return g_path_is_absolute (folder) ? g_build_filename (folder, "nprof", NULL)
                                     : g_build_filename (prefix, folder, "nprof", NULL);
}

/* Returns the build tree that this code lies in, and where its sources are; NULL: it lies in
 * none. */
static char *
build_tree (const char *code, char **source)
{
  static const char *const ups[] = { "..", "../.." }; /* core; core/cli, tests/unit ... */
  for (guint i = 0; i < G_N_ELEMENTS (ups); i++) {
    g_autofree char *top = g_build_filename (code, ups[i], NULL);
    g_autofree char *mark = g_build_filename (top, "core", "source-folder", NULL);
    if (!g_file_get_contents (mark, source, NULL, NULL))
      continue;
    g_strchomp (*source);
    return g_steal_pointer (&top);
  }
  return NULL;
}

/* Returns the prefix of an installed tree.  Code that lies in neither place (a test of somebody
 * else's plugin, with the test host in it) takes the prefix that meson was told. */
static char *
prefix_of (const char *code)
{
  char *prefix = code ? strip_tail (code, NP_BINDIR) : NULL;
  if (!prefix && code)
    prefix = strip_tail (code, NP_LIBDIR);
  return prefix ? prefix : g_strdup (NP_PREFIX);
}

char *
np_installed_plugins_from (const char *code)
{
  g_autofree char *source = NULL;
  g_autofree char *build = code ? build_tree (code, &source) : NULL;
  if (build)
    return g_build_filename (build, "plugins", NULL);
  g_autofree char *prefix = prefix_of (code);
  g_autofree char *folder = below_prefix (prefix, NP_LIBDIR);
  return g_build_filename (folder, "plugins", NULL);
}

char *
np_data_folder_from (const char *code)
{
  g_autofree char *source = NULL;
  g_autofree char *build = code ? build_tree (code, &source) : NULL;
  g_autofree char *prefix = build ? NULL : prefix_of (code);
  g_autofree char *folder
      = build ? g_build_filename (source, "share", NULL) : below_prefix (prefix, NP_DATADIR);
  return g_file_test (folder, G_FILE_TEST_IS_DIR) ? g_steal_pointer (&folder) : NULL;
}

char *
np_installed_plugins (void)
{
  g_autofree char *code = code_folder ();
  return np_installed_plugins_from (code);
}

char *
np_data_folder (void)
{
  g_autofree char *code = code_folder ();
  return np_data_folder_from (code);
}

char *
np_viewer_folder (void)
{
  g_autofree char *source = NULL, *code = code_folder ();
  g_autofree char *build = code ? build_tree (code, &source) : NULL;
  return build ? g_build_filename (build, "share", "viewer", NULL) : NULL;
}
