/* SPDX-License-Identifier: Apache-2.0 */
/* launch-table.h - keeps where launches were made, by correlation id; the oldest are forgotten, so
 * that memory does not grow with the launches of a file. Of several calls of one id it finds the
 * one that launches.h finds. */
#ifndef AN_LAUNCH_TABLE_H
#define AN_LAUNCH_TABLE_H

#include <glib.h>
#include <nprof/plugin.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  gint64 start;        /* ps: begin of the call                                       */
  nprof_track thread;  /* that made it                                                */
  nprof_track process; /* of that thread                                              */
  nprof_str operator;  /* 0: the call lies in no operator                             */
  nprof_str module;    /* path of the modules around the call, "nn.Module: A_0/nn.Module: B_1"; 0:
                           it lies in none, or nobody asked for modules                */
  guint32 node;        /* path of operators around the call, an_links_node; 0: none           */
  guint32 call;        /* innermost one that the analyzer numbered; 0: none                   */
  guint32 step;        /* 1 + index among the steps of its process; 0: it is in none  */
  guint32 before;      /* for launch-table.c: the call of that id before it                   */
} AnLaunchSite;

typedef struct {
  guint64 correlation; /* not 0 */
  uint32_t input;
} AnLaunchKey;

/* Hashes a key, for hash tables of GLib. */
guint an_launch_key_hash (gconstpointer key);
gboolean an_launch_key_equal (gconstpointer a, gconstpointer b);

/* This is one generation of launches, with open addressing; at most five eighths of the slots are
 * used. */
typedef struct {
  struct AnKeptLaunch *slot;
  guint n, mask;
} AnLaunchSlots;

/* It starts as zeros. */
typedef struct {
  AnLaunchSlots young, old; /* the last call of each id                                    */
  GArray *earlier;          /* of AnLaunchSite: the others that work to come may lie before */
  guint32 first;            /* number of the first of them                                 */
} AnLaunchTable;

void an_launch_table_clear (AnLaunchTable *table);
/* Returns the last call of that id that begins no later than `work`, else the first of those that
 * begin later; NULL: none has come, or it was forgotten. Valid until the next is added. */
const AnLaunchSite *an_launch_table_find (const AnLaunchTable *table, const AnLaunchKey *key,
                                          gint64 work);
/* Adds a call, in the order of their starts; its `before` is not read. Returns whether it is the
 * first of its id. */
bool an_launch_table_add (AnLaunchTable *table, const AnLaunchKey *key, const AnLaunchSite *launch);
/* Notes that work came: calls of before that lie behind all work to come. Where there are many
 * launches the older half is forgotten. */
void an_launch_table_follow (AnLaunchTable *table);

#endif
