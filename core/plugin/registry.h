/* SPDX-License-Identifier: Apache-2.0 */
/* registry.h - plugins: where they are looked for, whom they may belong to, which names
 * they hold, and opening them.  Never closed again.  One thread. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#include "plugin/report-part.h"
#include "plugin/table-view.h"

typedef struct NpRegistry NpRegistry;

/* This is the kind of a folder or file that was refused or is broken, and so holds no component
 * that this nprof could use.  Its name is "" for a folder, else that of the file without .so. */
#define NP_KIND_UNKNOWN G_MAXUINT
/* This is the kind of a group of NAME.plugin that is no component: what a page shows of a table. */
#define NP_KIND_VIEW (G_MAXUINT - 1)

typedef struct {            /* one component name in one file */
  guint kind;               /* NPROF_DECODER ..., NP_KIND_UNKNOWN */
  char *name;
  char *file;               /* the .so, or the folder */
  char *problem;            /* why it is not used: refused, hidden, broken; or NULL */
  gboolean off;             /* nobody misses it: hidden by another, or disabled */
  gboolean said;            /* that it is left out */
  gboolean bundled;         /* its folder is that of the installation */
  const struct nprof_component *component; /* once opened; all members present */
  const struct nprof_plugin *plugin;       /* once opened */
  NpReportPart *report; /* of an analyzer that takes part in reports unasked; else NULL */
} NpRegistryEntry;

/* Finds the plugins of all folders: NPROF_PLUGIN_PATH (':'), then $XDG_DATA_HOME/nprof/plugins,
 * then `installed` (':'-separated, or NULL).  Never the current folder.  Reads a NAME.plugin when
 * it is needed; opens a .so only where that file is missing.  The first folder that has a (kind,
 * name) wins, in it the file of this name, else the first file; also when it cannot be used: nobody
 * runs another plugin than the one that this order names. */
NpRegistry *np_registry_new (const char *installed);
void np_registry_free (NpRegistry *registry);

/* Opens the plugin that holds this component; the entry is owned by the registry.  Unknown name:
 * NP_EXIT_USAGE, with the near name; refused or broken file: NP_EXIT_PLUGIN, with the chmod or the
 * mend. */
const NpRegistryEntry *np_registry_get (NpRegistry *registry, guint kind, const char *name,
                                        GError **error);
/* Returns what np_registry_get would open, opened or not, whatever its problem; NULL: nobody has
 * the name. */
const NpRegistryEntry *np_registry_find (NpRegistry *registry, guint kind, const char *name);
/* Returns all of a kind that can be used, opened, in order of name; transfer container.  One that
 * cannot be opened stays in the list of np_registry_all with its problem. */
GPtrArray *np_registry_of_kind (NpRegistry *registry, guint kind);
/* Returns the decoders that can be used, in the same way; those whose NAME.plugin says that files
 * which begin or are called like this are none of theirs are not opened: their component may be
 * NULL. */
GPtrArray *np_registry_decoders (NpRegistry *registry, const char *path, const void *head,
                                 gsize len);
/* Returns everything found, usable or not, of NpRegistryEntry, in the order of the folders; owned
 * by the registry.  Opens nothing; the list grows when a .so turns out to hold more than its
 * NAME.plugin says. */
GPtrArray *np_registry_all (NpRegistry *registry);
/* Returns what a page shows of tables, of NpTableView, in the order of the page; the registry owns
 * it. */
const GPtrArray *np_registry_views (NpRegistry *registry);
