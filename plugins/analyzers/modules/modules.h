/* SPDX-License-Identifier: Apache-2.0 */
/* modules.h - what the files of the analyzer share: paths of modules, ranges and frames on hosts, and the
 * work that was launched within each. */
#ifndef MODULES_H
#define MODULES_H

#include "devicekit/class.h"
#include "devicekit/key-table.h"
#include "devicekit/launch-links.h"

#include <glib.h>
#include <stdbool.h>

/* These lie around a launch, each by itself. */
typedef enum { MODULES, RANGES, SOURCES, N_KINDS } Kind;

/* -- Paths (paths.c) ---------------------------------------------------------------------- */

typedef struct {
  guint32 outer; /* number of the node around it, 0: none */
  nprof_str name;
  uint32_t input;
  gint64 calls, host; /* the latter in ps: sum of durations */
} Node;

/* Nodes count from 1; those around a node have smaller numbers. */
typedef struct {
  AnKeyTable keys; /* outer, name, input */
  GArray *nodes;   /* of Node     */
} Paths;

void paths_init (Paths *paths);
void paths_clear (Paths *paths);
guint32 paths_node (Paths *paths, uint32_t input, guint32 outer, nprof_str name);
static inline Node *
node_at (const Paths *paths, guint32 node)
{
  return &g_array_index (paths->nodes, Node, node - 1);
}
/* Returns "A/B/C"; transfer full. */
char *path_text (const struct nprof_host *host, const Paths *paths, guint32 node);
/* Returns attention, mlp, norm, embedding, head, by the innermost module that says it; else
 * other. */
const char *class_of_path (const struct nprof_host *host, const Paths *paths, guint32 node);

/* -- Work ---------------------------------------------------------------------------------- */

typedef struct {
  gint64 time; /* ps */
  gint64 rows;
} Sum;

typedef struct {
  nprof_track track;
  nprof_str label;
  uint32_t input;
  Sum all, unlinked;     /* the latter: whose launch is not in the file */
  GArray *sums[N_KINDS]; /* of Sum, by node; 0: launched outside of all */
} Device;

/* This is a row whose launch has not come yet. */
typedef struct {
  Device *device; /* NULL: it has been taken */
  AnLaunchKey key;
  gint64 start, duration;
} Waiting;

typedef struct {
  const struct nprof_host *host;
  AnPlaces *places;
  AnClasses *classes;
  AnLinks *links;
  Paths paths[N_KINDS];
  GByteArray *categories; /* by handle: 0 nothing here, else Category            */
  GByteArray *names;      /* by handle of a frame: 0 not looked at, else Frame   */
  GPtrArray *threads;     /* of GArray of Open, by track; NULL: none yet         */
  AnLaunchTable sites;    /* node, call, step: what lay around, by kind          */
  GPtrArray *devices;     /* of Device */
  GArray *waiting;        /* of Waiting */
  guint waiting_from;
} Modules;

/* hosts.c */
void hosts_init (Modules *self);
void hosts_clear (Modules *self);
/* This is AnLinkCalls.span. */
void hosts_span (gpointer modules, const AnHostSpan *span);

/* work.c */
void work_row (Modules *self, const AnPlace *place, const struct nprof_batch *batch, uint32_t i);
void work_linked (gpointer modules, guint number, const AnLaunchSite *site);
void work_end (Modules *self);
/* Label 0 stands for the hosts of the input. */
Device *device_new (uint32_t input);
void device_free (gpointer device);

/* write.c */
extern const struct nprof_table modules_table, module_classes_table, ranges_table, source_table;
nprof_status write_all (Modules *self);

#endif
