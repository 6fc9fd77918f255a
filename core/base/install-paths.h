/* SPDX-License-Identifier: Apache-2.0 */
/* install-paths.h - where this nprof's own plugins and data files lie, found from where its code
 * lies, so that an installed tree can be moved. */
#pragma once

#include <glib.h>

/* The folder of the plugins; transfer full. */
char *np_installed_plugins (void);
/* The folder of the data files, share/nprof (devices/ and more): in the build tree, share of
 * the sources.  NULL: there is none.  Transfer full. */
char *np_data_folder (void);

/* In a build tree: where it makes files of the viewer's page; those that are not made are in
 * the data folder.  NULL: not in one.  Transfer full. */
char *np_viewer_folder (void);

/* The same for code that lies in the folder `code`: what the tests ask. */
char *np_installed_plugins_from (const char *code);
char *np_data_folder_from (const char *code);
