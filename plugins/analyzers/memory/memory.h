/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h - what the files of the analyzer memory share: allocators, blocks, and who holds
 * them. */
#ifndef MEMORY_H
#define MEMORY_H

#include "columns.h"
#include "devicekit/key-table.h"
#include "devicekit/row-role.h"

#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>

/* These words say who allocated a block; 0: not known. */
enum { H_OPERATOR, H_MODULE, H_PATH, H_SHAPE, H_REGION, H_SOURCE, H_WORDS };

typedef struct {
  gint64 address;
  gint64 bytes, asked; /* asked: -1: not told */
  gint64 at;           /* ps                  */
  guint64 number;      /* of the row          */
  guint holder;        /* number of H_WORDS   */
} Block;

/* A row states this after it. */
typedef struct {
  gint64 at, bytes; /* ps; allocated, below 0 freed */
  gint64 address;   /* has_address                 */
  bool allocates, has_address, has_total, hidden;
  gint64 total;                               /* bytes in use                */
  gint64 reserved, capacity, lifetime, asked; /* -1: not told */
  gint64 rounded;                             /* bytes in use in whole blocks */
  double fragmentation;                       /* NAN: not told */
  guint holder;
} Change;

/* This is one memory as the rows of a file state it. */
typedef struct {
  guint32 input;
  nprof_track process;
  nprof_str name;       /* what people call it                              */
  guint number, naming; /* among all; its input and name among these        */
  GArray *modules;      /* of guint: numbers of the modules that allocated  */
  bool last_peak;       /* of equal peaks the last counts, as with xprof    */
  guint64 events;       /* that the selection shows                         */
  guint64 rows;         /* all                                              */
  guint64 gaps;         /* totals that do not follow from the row before    */
  bool no_totals, no_addresses; /* some row has none                        */
  bool by_use;          /* a block is all that one use holds                */
  gint64 used;          /* bytes, after the last row                        */
  gint64 start;         /* before the first row                             */
  gint64 base;          /* the same, or where the window of --clip begins   */
  gint64 rise, most_rise; /* above the base, by the rows alone              */
  bool entered;           /* the window of --clip has begun                   */
  Change last;            /* the last row                                     */
  gint64 lifetime;      /* peak that the allocator states; -1: it does not  */
  bool has_peak;
  gint64 peak, peak_at, peak_reserved, peak_capacity; /* -1: not told       */
  gint64 most_rounded, most_reserved; /* -1: not told                       */
  double peak_fragmentation; /* NAN: not told                               */
  guint64 peak_number;  /* row of the peak                                  */
  GHashTable *live;     /* Block by address                                 */
  GArray *freed;        /* of Block: live at the peak, and freed since      */
} Allocator;

/* An allocation failed; below 0 is unknown. */
typedef struct {
  gint64 at, asked, free, held, reserved;
  nprof_str place; /* 0: unknown */
  nprof_track track;
  guint32 input;
  bool known;
} Failure;

typedef struct _Memory {
  const struct nprof_host *host;
  AnPlaces *places;
  struct nprof_window clip;
  struct nprof_reader reader;
  nprof_str name_failure, name_memory, name_allocation, name_deallocation, key_args, key_source,
      key_memory_size;
  nprof_str operators[2]; /* categories of operators         */
  GByteArray *names;      /* by handle: 0 not looked at, 1 no module, 2 a module */
  GPtrArray *allocators;  /* of Allocator                    */
  AnKeyTable keys;        /* its input, process and name     */
  AnKeyTable naming;      /* input and name                  */
  GArray *named;          /* of guint: allocators of these   */
  AnKeyTable holders;       /* H_WORDS                         */
  AnKeyTable modules;       /* allocator and path              */
  GArray *allocated;      /* of gint64, bytes: by module     */
  GArray *held;           /* the same at the peak, once the allocator's is written */
  GPtrArray *stacks;      /* of GArray or NULL: spans that are open, by handle of a track */
  GArray *failures;       /* of Failure, as they came        */
  GArray *waiting;        /* of Waiting: instants at `now`   */
  gint64 now;
} Memory;

/* allocators.c */
Allocator *me_allocator (Memory *m, guint32 input, nprof_track process, nprof_str name);
void me_allocator_free (gpointer allocator);
void me_change (Memory *m, Allocator *a, const Change *change);
/* Ends the rows: what is in use in a window in which nothing changes is that of its beginning. */
void me_end (Memory *m);
/* Returns blocks that were live at the peak, in no order; transfer full, of Block. */
GArray *me_held (const Allocator *a);

/* places.c knows which operator and module are under way. */
bool me_is_operator (const Memory *m, nprof_str category);
bool me_is_module (Memory *m, nprof_str name);
void me_open (Memory *m, const struct nprof_batch *batch, uint32_t i);
void me_stack_free (gpointer stack);
/* Returns the holder at that time on that track; `source` is the row's, 0 when it has none. */
guint me_holder_at (Memory *m, nprof_track track, gint64 at, nprof_str source);
guint me_holder (Memory *m, const guint32 *words);

/* pytorch.c reads instants of PyTorch's allocators.  They wait until all spans that begin with them
 * are known. */
typedef struct {
  nprof_track track;
  guint32 input;
  gint64 number; /* "Ev Idx"; of equal times the order */
  gint64 type, device;
  nprof_str source;
  Change change;
} Waiting;
void me_pytorch (Memory *m, const struct nprof_batch *batch, uint32_t i);
/* Goes on in time to `at`. */
void me_pass (Memory *m, gint64 at);

/* xla.c reads rows of XLA's allocators. */
extern const char *const me_xla_keys[];
void me_xla (Memory *m, const struct nprof_batch *batch, uint32_t i);

/* uses.c reads counters of what the uses of a memory hold. */
bool me_is_use (Memory *m, const struct nprof_batch *batch, uint32_t i);
void me_use (Memory *m, const struct nprof_batch *batch, uint32_t i);

/* failures.c keeps instants `oom`. */
extern const struct nprof_table memory_failures_table;
void me_failure (Memory *m, const struct nprof_batch *batch, uint32_t i);
nprof_status me_write_failures (Memory *m);

/* rows.c */
void me_choose (Memory *m, const struct nprof_batch *batch, uint8_t *rows);
void me_rows (Memory *m, const struct nprof_batch *batch);

/* tables.c */
nprof_status me_write (Memory *m);

#endif
