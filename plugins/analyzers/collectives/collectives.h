/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.h - what the files of the analyzer collectives share: devices, groups of equal
 * collectives, and what each file does for the others. Times are ps where nothing else is said. */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "columns.h"
#include "devicekit/class.h"
#include "devicekit/collective-kind.h"
#include "devicekit/device-sweep.h"
#include "devicekit/distribution.h"
#include "devicekit/key-table.h"
#include "devicekit/peaks.h"
#include "devicekit/row-keys.h"
#include "devicekit/row-launch.h"
#include "devicekit/row-role.h"
#include "devicekit/traits.h"
#include "producers/collective-name.h"

#include <math.h>
#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>

/* These are known of one collective.  0 and "" are unknown, but for elements, which may be 0. */
typedef struct {
  AnKindOf kind;
  bool has_bytes;
  gint64 bytes; /* S of nccl-tests */
  gint64 ranks;
  nprof_str dtype, group; /* group: its ranks where they are listed, else its name */
} Call;

/* This is one device; a merged one has no track. */
typedef struct {
  struct _Collectives *run;
  guint number; /* among the devices                                      */
  nprof_str input, label;
  nprof_track track;        /* 0: only merged                                         */
  guint64 order;            /* its place among the devices of its run                 */
  guint64 link, link_group; /* byte/s one way, 0: unknown; how many it joins, 0: any  */
  nprof_str link_source;
  guint64 busy, overlap; /* unions, ps: some collective; and something computes    */
  AnSweep *line;
  guint n_lanes;
  gint64 computed;        /* ps until now in which something computed               */
  bool has_async;         /* its collectives have spans from start to done          */
  bool unsure;            /* of some rows it is unknown whether they compute         */
  GArray *starts, *pairs; /* of Start and Pair: instructions that start, and end    */
  guint64 lone;           /* of which the other one is missing                      */
} Device;

/* This is what work on a track belongs to. */
typedef struct {
  Device *device; /* NULL: no work of it was taken yet */
  guint32 lane;   /* of the device's sweep             */
} Lane;

/* The words of a group tell which calls of one device are alike. */
enum {
  G_DEVICE,
  G_KIND,
  G_HAS_BYTES,
  G_BYTES_LOW,
  G_BYTES_HIGH,
  G_RANKS_LOW,
  G_RANKS_HIGH,
  G_DTYPE,
  G_GROUP,
  G_WORDS
};

typedef struct {
  Dist durations;
  gint64 shortest; /* ps, above 0; 0: there is none */
  guint64 overlap; /* ps, of all calls              */
  guint64 outside; /* ps of the durations, beyond the window */
} Group;

typedef struct _Collectives {
  /* options */
  const char *folder;
  double link;

  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  AnPeaks *peaks;
  struct nprof_reader pick;
  AnKeyTable kind_keys;                 /* stated, name, category of rows to `kinds` */
  GByteArray *kinds;                    /* of AnKindOf                               */
  nprof_str key_collective, memsets[3]; /* memsets: their categories */
  GPtrArray *devices;                   /* of Device                            */
  GPtrArray *by_track;                  /* nprof_track to Device               */
  GArray *lanes;                        /* of Lane, by handle of a track       */
  AnKeyTable keys;                      /* of groups                            */
  GArray *groups;                       /* of Group, by key                     */
  GHashTable *stated;   /* external id and input to Call: of operators of the host     */
  GHashTable *around;   /* thread to what the calls that are open on it say            */
  GHashTable *launched; /* id of a launch and input to Call: of what it was made in     */
  AnLaunchKeys launch_keys;
  nprof_str key_elements, key_size;
  guint64 unended;
  struct nprof_window window;
} Collectives;

#define co_device(c, i) ((Device *) g_ptr_array_index ((c)->devices, (i)))

/* fields.c reads what a row says of a collective. */
extern const char *const co_keys[];
Call co_call (Collectives *c, const struct nprof_batch *batch, uint32_t i);
/* Notes a row of a host that says it for the kernels with its external id. */
void co_note_for_kernels (Collectives *c, const struct nprof_batch *batch, uint32_t i);
/* Returns whether rows may say it for the kernels that are launched in them. */
bool co_any_says (const Collectives *c, const struct nprof_batch *batch);
/* Notes a row of a host that may say so, or launch one. */
void co_host_row (Collectives *c, const struct nprof_batch *batch, uint32_t i);

/* groups.c */
Device *co_device_new (Collectives *c, nprof_str input, nprof_str label);
void co_device_free (gpointer device);
/* Returns the device of that name of a merged state, or a new one. */
guint co_device_named (Collectives *c, nprof_str input, nprof_str label);
guint co_group (Collectives *c, guint device, const Call *call);
guint co_group_of_key (Collectives *c, const guint32 *key);
/* inside: how much of the duration lies in the window. */
void co_add (Collectives *c, guint group, gint64 duration, gint64 inside, gint64 overlap);
/* Durations of a group are exact up to so many, which depends on nothing but the group. */
#define CO_EXACT 4096u
void co_group_clear (gpointer group);

/* rows.c */
void co_choose (Collectives *c, const struct nprof_batch *batch, uint8_t *rows);
void co_rows (Collectives *c, const struct nprof_batch *batch);
/* Ends the rows. */
void co_end (Collectives *c);

/* tables.c */
/* Finds places of devices and what links they have, once all facts are known. */
void co_settle (Collectives *c);
nprof_status co_write (Collectives *c);
int co_compare_texts (const Collectives *c, nprof_str a, nprof_str b);
/* Returns numbers of devices and groups in the order of their keys; transfer full. */
guint *co_sorted_devices (Collectives *c);
guint *co_sorted_groups (Collectives *c);

/* state.c */
nprof_status co_save (void *self, struct nprof_output *out);
nprof_status co_merge (void *self, const void *data, size_t len);

#endif
