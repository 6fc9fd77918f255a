/* SPDX-License-Identifier: Apache-2.0 */
/* fusion.h - what the files of the analyzer fusion share. Times are ps where nothing else is said.
 *
 * row-operator.c finds the operator of each row, once for each distinct one; rows.c gives its time
 * to a group; hlo.c keeps the instructions of programs; groups.c the fusions; parallel.c finds
 * those of which an operator ran elsewhere meanwhile; tables.c writes. */
#pragma once

#include "columns.h"
#include "devicekit/clock.h"
#include "devicekit/key-table.h"
#include "devicekit/reorder-window.h"
#include "devicekit/row-role.h"
#include "devicekit/series.h"
#include "devicekit/traits.h"
#include "system/large.h"

#include <nprof/draft/clip.h>
#include <nprof/sweep.h>

/* These words say what of a program a name stands for; 64 bits are two words. */
enum { ID_INPUT, ID_LOW, ID_HIGH, ID_NAME, ID_WORDS };

/* This is an instruction of a program, of table hlo_instructions. */
typedef struct {
  nprof_str program, opcode, fusion, kind, framework_op;
} Instruction;

/* This is a fusion with its clones. */
typedef struct {
  nprof_str category, program;
  guint64 occurrences;
  gint64 total, self;  /* ps                                                            */
  gboolean has_events; /* its time is known                                             */
  gboolean overflow;   /* of a sum                                                      */
  nprof_str source;    /* instruction of the program whose members are those of all     */
  char **members;      /* of args or of debug info; NULL: those of `source`             */
  char *framework_ops; /* of debug info                                                 */
  gboolean in_section, parallel; /* it ran in a section; an operator of it in another   */
} Group;

#define NO_GROUP G_MAXUINT32

/* These words are a distinct operator of rows. */
enum {
  OP_INPUT,
  OP_LOW,
  OP_HIGH,
  OP_NAME,
  OP_CATEGORY,
  OP_DEDUPLICATED,
  OP_MODULE,
  OP_GPU,
  OP_WORDS
};
typedef struct {
  guint32 group;
} Op;

/* It says to which fusion a row belongs. */
typedef struct {
  guint32 group; /* NO_GROUP: none                            */
  bool gpu;      /* a kernel, several of which are one fusion */
} Which;

/* This is a row that waits to be in order, by the device's clock. */
typedef struct {
  AnWindowSpan span;
  gint64 inside; /* ps of it in the window of --clip */
  guint32 group;
} Waiting;
typedef struct _Known Known;

/* These are consecutive rows of a track that are of one group. */
typedef struct {
  guint32 group; /* NO_GROUP: none runs */
  nprof_str first;
  gint64 start, end;
} Run;

/* A span of a track, and whose it is. */
typedef struct {
  gint64 start, duration;
  AnClock clock;
  nprof_str name;
  Which which;
} Row;

typedef struct {
  const struct nprof_host *host;
  uint64_t window; /* option */
  struct nprof_window clip; /* sums are of what lies in it */
  struct nprof_reader pick;
  Known *known;
  AnPlaces *places;
  AnTraitsReader traits;

  AnKeyTable instruction_ids; /* to instructions                        */
  NpLargeArray *instructions; /* of Instruction                         */
  GHashTable *programs;     /* with instructions: input, id           */
  AnKeyTable group_ids;     /* to groups                              */
  GArray *groups;           /* of Group                               */
  AnKeyTable op_ids;        /* to ops                                 */
  NpLargeArray *ops;        /* of Op                                  */
  AnKeyTable seen;          /* operators that have an event           */
  guint n_seen;             /* so many of them, when all rows are there */
  GArray *parts, *ran;      /* parallel.c                             */
  GByteArray *seen_names;   /* by handle: 1 when it is in `seen`, of rows of hosts of this input */

  nprof_str input;   /* label, of the batch that is read           */
  GPtrArray *tracks; /* of FusionTrack or NULL, by handle           */
  AnStore store;     /* of their runs                               */
  guint64 late, unended;
  nprof_str opcode_fusion, opcode_parameter;
} Fusion;


/* hlo.c */
void fusion_hlo_table (Fusion *self, const struct nprof_table *table,
                       const struct nprof_cell *cells, uint32_t n_rows);
void fusion_neff_table (Fusion *self, const struct nprof_table *table,
                        const struct nprof_cell *cells, uint32_t n_rows);
/* Returns its number among the instructions; all is 0 of one that no table has. */
guint32 fusion_instruction_number (Fusion *self, const guint32 id[ID_WORDS]);
/* Returns NULL when it is in no table. */
const Instruction *fusion_instruction (Fusion *self, const guint32 id[ID_WORDS]);
bool fusion_has_program (const Fusion *self, nprof_str input, guint64 program);
/* Adds groups of the fusions of programs that ran, also of those without an event. */
void fusion_add_unseen (Fusion *self);

/* groups.c */
guint32 fusion_group (Fusion *self, const guint32 id[ID_WORDS]); /* made if it is new */
Group *fusion_at (Fusion *self, guint32 group);
void fusion_group_clear (gpointer group);

/* row-operator.c */
nprof_status fusion_row_operator_open (Fusion *self);
void fusion_row_operator_clear (Fusion *self);
/* Finds the fusion of a row of work, or of a host's, whose args may list what was fused; `clock` is
 * its time by the device's. */
Which fusion_of_work (Fusion *self, guint8 own, const struct nprof_batch *batch, uint32_t i,
                      AnClock *clock);
Which fusion_of_args (Fusion *self, const struct nprof_batch *batch, uint32_t i, AnClock *clock);

/* Returns the operator of the framework that a row states; 0: none. */
nprof_str fusion_framework_op (Fusion *self, const struct nprof_batch *batch, uint32_t i);

/* parallel.c */
/* A span of a section of a device's timeline, which is a process there. */
typedef struct {
  nprof_track device, section;
  nprof_str framework_op; /* 0: none                */
  guint32 group;          /* NO_GROUP: no fusion    */
  gint64 start, end;
} SectionSpan;

void fusion_parallel_open (Fusion *self);
void fusion_parallel_span (Fusion *self, const SectionSpan *span);
/* All spans came: marks the groups. */
void fusion_parallel_end (Fusion *self);
void fusion_parallel_clear (Fusion *self);

/* rows.c */
nprof_status fusion_rows_open (Fusion *self);
nprof_status fusion_rows (Fusion *self, const struct nprof_batch *batch);
/* No more rows come: times of those that wait, then the spans of all runs. */
nprof_status fusion_rows_end (Fusion *self);
void fusion_rows_clear (Fusion *self);

/* tables.c */
nprof_status fusion_write (Fusion *self);
