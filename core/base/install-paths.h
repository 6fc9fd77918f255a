/* SPDX-License-Identifier: Apache-2.0 */
/* install-paths.h - where this nprof's own plugins and data files lie, found from where its code
 * lies, so that an installed tree can be moved. */
#pragma once

#include <glib.h>

/* Returns the path of the program that runs; transfer full. */
char *np_program_path (void);
/* Returns the folder of the plugins; transfer full. */
char *np_installed_plugins (void);
/* Returns the folder of the data files, share/nprof (devices/ and more): in the build tree, share
 * of the sources.  NULL: there is none.  Transfer full. */
char *np_data_folder (void);

/* Returns the folder of a build tree that holds the made files of the viewer's page; its other
 * files are in the data folder.  NULL: the code lies in no build tree.  Transfer full. */
char *np_viewer_folder (void);

/* Returns the same for code that lies in the folder `code`; for tests. */
char *np_installed_plugins_from (const char *code);
char *np_data_folder_from (const char *code);
