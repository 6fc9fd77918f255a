/* SPDX-License-Identifier: Apache-2.0 */
/* modules.h - what the files of the analyzer share: paths of modules, ranges and frames on hosts,
 * and the work that was launched within each. Times are ps where nothing else is said. */
#ifndef MODULES_H
#define MODULES_H

#include "columns.h"
#include "devicekit/traits.h"
#include "devicekit/key-table.h"
#include "devicekit/launch-links.h"
#include "devicekit/row-launch.h"
#include "producers/own-frames.h"

#include <glib.h>
#include <nprof/draft/clip.h>
#include <nprof/reader.h>
#include <nprof/sweep.h>
#include <stdbool.h>

/* These lie around a launch, each by itself. */
typedef enum { MODULES, RANGES, SOURCES, N_KINDS } Kind;

/* This is a kind of module. */
typedef enum {
  NO_CLASS, /* nothing is known */
  ATTENTION,
  MLP,
  NORM,
  EMBEDDING,
  HEAD,
  OTHER_MODULE,
  NO_MODULE,
  N_CLASSES
} Class;

/* -- Paths (paths.c) ---------------------------------------------------------------------- */

typedef struct {
  guint32 outer; /* number of the node around it, 0: none */
  nprof_str name;
  uint32_t input;
  gint64 calls, host; /* the latter in ps: sum of durations */
  bool stated;        /* rows of devices state it: nobody calls it on a host */
  guint8 class;       /* Class; 0: not looked at yet */
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
/* Returns the class of the innermost module that says one, else OTHER_MODULE; of node 0
 * NO_MODULE. */
Class class_of_node (const struct nprof_host *host, const Paths *paths, guint32 node);
/* Returns the class that one name says, or NO_CLASS. */
Class class_of_name (const char *name);

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
  Sum classes[N_CLASSES];
  /* The same of backward passes: work launched in no module, for operators of one. */
  GArray *backward;
  Sum backward_classes[N_CLASSES];
} Device;

/* This is what rows say themselves of the module and the line that they are of. */
typedef struct {
  guint32 node[N_KINDS]; /* 0: none                  */
  Class class;           /* NO_CLASS: no part says one */
} Stated;

/* This is a row whose launch has not come yet. */
typedef struct {
  Device *device; /* NULL: it has been taken */
  AnLaunchKey key;
  gint64 start, duration;
  guint stated; /* number of a Stated; 0: it says nothing */
} Waiting;

/* This is a track of a device whose rows lie in each other. */
typedef struct {
  struct _Modules *self;
  Device *device;
  struct nprof_sweep sweep;
  GArray *within; /* of gint64, by depth: ps in the window of the rows that closed there, since the
                     one that they lie in began */
} Nest;

typedef struct _Modules {
  const struct nprof_host *host;
  struct nprof_window clip; /* sums are of what lies in it */
  AnPlaces *places;
  AnTraitsReader traits;
  AnLinks *links;
  Paths paths[N_KINDS];
  GByteArray *categories; /* by handle: 0 nothing here, else Category            */
  OwnFramesList *own_frames;
  GByteArray *names;      /* by handle of a frame: 0 not looked at, else Frame   */
  GPtrArray *threads;     /* of GArray of Open, by track; NULL: none yet         */
  AnLaunchTable sites;    /* node, call, step: what lay around, by kind; module: the node of the
                             module whose backward pass it is                    */
  nprof_str key_args;
  GHashTable *forward;    /* Forward by input and sequence number; filled where the file has some */
  GPtrArray *devices;     /* of Device */
  GPtrArray *by_track;    /* these, by track */
  GArray *waiting;        /* of Waiting */
  guint waiting_from;
  struct nprof_reader reader; /* of what rows state          */
  AnKeyTable statements;      /* input, and texts as handles */
  GArray *stated;             /* of Stated, by number        */
  GPtrArray *nests;           /* of Nest, by track; NULL: none yet */
} Modules;

/* hosts.c */
void hosts_init (Modules *self);
void hosts_clear (Modules *self);
/* These are AnLinkCalls.span and note. */
void hosts_span (gpointer modules, const AnHostSpan *span);
gint64 hosts_note (gpointer modules, const struct nprof_batch *batch, uint32_t i);

/* work.c */
nprof_status work_row (Modules *self, const AnPlace *place, AnTraits traits,
                       const struct nprof_batch *batch, uint32_t i);
void work_linked (gpointer modules, guint number, const AnLaunchSite *site);
void work_end (Modules *self);
/* Adds work of that place; `site` is NULL where it has no launch. */
void work_add (const Modules *self, Device *device, const Stated *stated, const AnLaunchSite *site,
               gint64 duration);
Device *work_device (Modules *self, const AnPlace *place);
/* Label 0 stands for the hosts of the input. */
Device *device_new (uint32_t input);
void device_free (gpointer device);

/* stated.c */
nprof_status stated_init (Modules *self);
void stated_clear (Modules *self);
/* Returns the number of what the row says; 0: nothing. */
guint stated_of (Modules *self, const struct nprof_batch *batch, uint32_t i);
static inline const Stated *
stated_at (const Modules *self, guint number)
{
  return &g_array_index (self->stated, Stated, number);
}
/* Takes work that nobody launches row by row: operators of a compiled program. */
nprof_status stated_row (Modules *self, const AnPlace *place, const struct nprof_batch *batch,
                         uint32_t i);
nprof_status stated_end (Modules *self);

/* write.c */
nprof_status write_all (Modules *self);

#endif
