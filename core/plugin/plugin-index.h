/* SPDX-License-Identifier: Apache-2.0 */
/* plugin-index.h - which plugin files there are and which components they say they hold,
 * without opening one. */
#pragma once

#include "plugin/report-part.h"
#include "plugin/table-view.h"

typedef struct { /* a folder to look in, in the order in which names win */
  char *path;    /* its real path, or as it was written where that is the problem */
  char *problem; /* why nothing in it is used, or NULL */
  gboolean listed; /* its files are to be looked at, if only to say that they are refused */
  gboolean bundled; /* it is of the installation */
} NpPluginFolder;

typedef struct { /* NAME.so, NAME.plugin or both */
  char *so;
  char *index;        /* NULL: there is no NAME.plugin */
  gboolean so_exists;
} NpPluginFile;

typedef struct { /* a component that a NAME.plugin lists, or what it says of a table */
  guint kind;    /* NP_KIND_UNKNOWN where `kind_name` says nothing to this nprof */
  char *kind_name, *name;
  char **magic;    /* of a decoder: hex of the first bytes, one of them; NULL: any */
  char **suffixes; /* or how the file's name ends; NULL: none */
  NpReportPart *report; /* of an analyzer; NULL: it takes part where it is asked for */
  NpTableView *view; /* [view TABLE], of kind NP_KIND_VIEW; else NULL */
  char *unknown;   /* a key that says nothing to this nprof; NULL: none */
} NpPluginEntry;

/* Returns the NpPluginFolders: NPROF_PLUGIN_PATH, $XDG_DATA_HOME/nprof/plugins, then `installed`
 * (':'-separated, or NULL).  The default folders are left out where they do not exist. */
GPtrArray *np_plugin_folders (const char *installed);
/* Returns the path of the user's own folder, which need not exist; transfer full. */
char *np_plugin_user_folder (void);
/* Returns the plugin files of a folder, of NpPluginFile, in byte order of their names. */
GPtrArray *np_plugin_files (const char *folder);
/* Returns what NAME.plugin lists, of NpPluginEntry; or NULL, and `problem` (transfer full). */
GPtrArray *np_plugin_index_read (const char *path, char **problem);
