/* SPDX-License-Identifier: Apache-2.0 */
/* debug.h - one debug_info_LEVEL.ENGINE.dbg: instructions of one stage of the compiler, the
 * instructions of the stage above that they came from, and those of their own stage that they
 * depend on.  Knows no nprof. */
#pragma once

#include <glib.h>

typedef struct {
  const char *p;
  gsize len;
} DebugText;

typedef struct {
  guint64 id;
  guint type;                    /* 1 ordered, 2 anti, 3 output, 4 flow; 0: not said */
} DebugPredecessor;

typedef struct {
  guint64 id;
  DebugText name;
  guint type;                    /* 1 regular, 2 spill, 3 transpose; 0: not said */
  guint32 first_parent, n_parents; /* in `parents` */
  guint32 first_before, n_before;  /* in `before` */
} DebugInstruction;

typedef struct {
  char *path, *level, *engine_word; /* "asm", "pe"; NULL: not in the name */
  DebugText parent_name;            /* file of the stage above */
  guint engine;                     /* 1 PE ... 6 SP; 0: not said */
  GArray *instructions;             /* of DebugInstruction, as in the file */
  GArray *parents;                  /* of guint64: ids */
  GArray *before;                   /* of DebugPredecessor; one may be there twice */
  guint32 *by_id;                   /* positions, by id */
} DebugFile;

/* Returns NULL when it is not such a message, or has more than `most` instructions.  `data` must
 * outlive it. */
DebugFile *debug_file_new (const char *path, const char *data, gsize len, gsize most);
void debug_file_free (gpointer file);
/* Returns the first of that id, or NULL. */
const DebugInstruction *debug_file_find (const DebugFile *file, guint64 id);
