/* SPDX-License-Identifier: Apache-2.0 */
/* operators.h - what the files of the analyzer share: each distinct thing that ran, and what its
 * occurrences come to. Times are ps where nothing else is said. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "columns.h"
#include "devicekit/above-peak.h"
#include "devicekit/class.h"
#include "devicekit/clock.h"
#include "devicekit/flops.h"
#include "devicekit/graph-row.h"
#include "devicekit/key-table.h"
#include "devicekit/launch-links.h"
#include "devicekit/peaks.h"
#include "devicekit/products.h"
#include "devicekit/reorder-window.h"
#include "devicekit/row-launch.h"
#include "devicekit/row-role.h"
#include "devicekit/table-rows.h"
#include "devicekit/traits.h"
#include "devicekit/work.h"
#include "system/large.h"

#include <glib.h>
#include <nprof/draft/clip.h>
#include <nprof/sweep.h>

typedef __int128 Wide; /* sums of picoseconds, flop, bytes: no number of rows overflows them */

/* Rows say this of an operator: words of a tuple.  0: not said. */
enum {
  OP_DEVICE, /* track: a device or core; of a host its process */
  OP_HOST,   /* 1: an operator of the framework, on the host   */
  OP_NAME,
  OP_CATEGORY,
  OP_FRAMEWORK,
  OP_HLO,
  OP_HLO_TEXT,
  OP_OPCODE,
  OP_LAYER,
  OP_DEDUPLICATED,
  OP_PROGRAM_LOW,
  OP_PROGRAM_HIGH,
  OP_SHAPE, /* of what has no text of HLO */
  OP_WORDS
};

typedef struct {
  guint64 occurrences;
  Wide total, self;               /* ps: of what lies in the window                          */
  Wide outside;                   /* ps: of their durations, beyond it; not 0: flops and bytes
                                   * are of parts of occurrences                             */
  /* Of occurrences that no other lay in, and how many of them state it. */
  Wide flops, model_flops, bytes, on_chip;
  guint64 with_flops, with_model, with_bytes, with_on_chip;
  gint64 first, last; /* ps: where it begins and ends, in the time of the run    */
} Op;

/* The attributes that operator-cache.c reads behind AN_FLOPS_KEYS, in the order of its numbers. */
#define OPERATOR_KEYS                                                                              \
  NPROF_KEY_FRAMEWORK_OP, NPROF_KEY_HLO_OP, NPROF_KEY_HLO_TEXT, NPROF_KEY_OPCODE, NPROF_KEY_LAYER, \
      NPROF_KEY_DEDUPLICATED, NPROF_KEY_PROGRAM_ID, NPROF_KEY_BYTES_ACCESSED,                      \
      NPROF_KEY_BYTES_READ, NPROF_KEY_BYTES_WRITTEN, NPROF_KEY_BYTES, NPROF_KEY_SHAPE,             \
      NPROF_KEY_DEVICE_OFFSET, NPROF_KEY_DEVICE_DURATION, NPROF_KEY_OPERATOR, AN_KEY_HBM_READ,     \
      AN_KEY_HBM_WRITTEN, ON_CHIP_KEYS

/* What a row moved in the memory of its core, as Neuron's tools state it. */
#define ON_CHIP_KEYS "sbuf_read_bytes", "sbuf_write_bytes", "psum_read_bytes", "psum_write_bytes"

/* A row says this: which operator, and the work that it states; 0 where it states none. */
typedef struct {
  AnFlops flops;
  gint64 bytes, on_chip;
  guint32 op;
  bool has_bytes, has_on_chip, is_kernel; /* the latter: of Kineto, which is launched */
} OpFacts;
typedef struct _OperatorCache OperatorCache;

/* This is one that is open, beside the sweep's own stack. */
typedef struct {
  OpFacts facts;
  gint64 nested;  /* ps in the window in which those directly within it run */
  gint64 covered; /* up to where they were taken */
} Running;

/* What of a span lies in the window of the user, by the clock that places it. */
typedef struct {
  gint64 start, duration;
} Inside;

/* This is one that waits to be in order, by the device's clock. */
typedef struct {
  AnWindowSpan span;
  OpFacts facts;
  Inside inside;
} Waiting;

/* This is a track with what is open there. */
typedef struct {
  struct _Operators *operators;
  const AnPlace *place;
  nprof_track process; /* on a host */
  struct nprof_sweep sweep;
  Running *running; /* by depth */
  guint n_running;
  AnWindow *order; /* NULL: its rows have no times by the device's clock */
} Track;

/* -- What operators launched (launched.c) -------------------------------------------------- */

/* How surely work is its operator's that no graph runs: its own launch is in the file. */
#define GRAPH_CALLED N_GRAPH_MATCHES

/* These are rows of work by kernel, queue, and the path of operators around their launch. */
typedef struct {
  AnKeyTable kernels;    /* words: KERNEL_...  */
  AnKeyTable keys;       /* words: LAUNCHED_... */
  NpLargeArray *sums;    /* of LaunchedSum, by key */
  AnKeyTable processes;  /* device, process: which launched there */
  AnKeyTable replaying;  /* devices that replayed graphs whose kernels are not in the file */
  NpLargeArray *replays; /* of Wide, by replaying: ps in the window */
  GArray *waiting;       /* of WaitingKernel: their launch has not come yet */
  guint waiting_from;    /* number of the first of them */
} Launched;

enum { KERNEL_QUEUE, KERNEL_NAME, KERNEL_CATEGORY, KERNEL_DEVICE, KERNEL_WORDS };
enum { LAUNCHED_KERNEL, LAUNCHED_NODE, LAUNCHED_SHAPE, LAUNCHED_REASON, LAUNCHED_WORDS };
typedef enum { LINKED, NO_LAUNCH, NO_CORRELATION } Reason;

typedef struct {
  guint64 calls;
  Wide total, outside; /* ps in the window, and beyond it */
  gint64 min, max;
  GraphMatch certainty; /* the least sure; GRAPH_CALLED: none is of a replay */
} LaunchedSum;

/* Adds up. */
void launched_fold (LaunchedSum *to, const LaunchedSum *sum);

/* -- Calls of operators in replays of graphs (graph-calls.c) ---------------------------------- */

typedef struct {
  AnGraphKeys keys;
  GHashTable *young, *old; /* the last calls, each with its product */
  AnKeyTable operators;    /* device, operator */
  NpLargeArray *counts;    /* of guint64, by operators: its calls in replays */
  GByteArray *devices;     /* by handle: 1, it replays graphs */
} GraphCalls;

/* -- Products (products.c) ------------------------------------------------------------------ */

/* These are calls of operators whose flops follow from shapes. */
typedef struct {
  NpLargeArray *calls; /* of Call: those that work may still come of          */
  guint32 first;       /* number of the first of them                         */
  bool followed;       /* a row of a device has come behind the last call     */
  guint64 late;        /* rows of work whose call was forgotten               */
  GByteArray *kinds;   /* by handle of a name: 1 + AnProductKind              */
  GByteArray *tf32;    /* by handle of a kernel's name: 1 no, 2 yes           */
  AnKeyTable whats;    /* words: WHAT_...                                     */
  NpLargeArray *works; /* of AnProductWork, by what                           */
  AnKeyTable keys;     /* words: PRODUCT_...                                  */
  NpLargeArray *sums;  /* of ProductSum, by key                               */
  /* Device 0 means that no work came of them.  Precision 0: the flops are unknown; "other": no type
   * of tensor cores. */
  AnKeyTable step_keys;
  NpLargeArray *step_sums; /* of StepSum, by key                                  */
} Products;

enum { WHAT_NAME, WHAT_SHAPE, WHAT_INPUTS, WHAT_WEIGHTS, WHAT_WORDS };
enum { PRODUCT_DEVICE, PRODUCT_PROCESS, PRODUCT_WHAT, PRODUCT_PRECISION, PRODUCT_WORDS };
enum { STEP_DEVICE, STEP_PROCESS, STEP_NUMBER, STEP_PRECISION, STEP_WORDS };

/* Device 0: no work came of them. Precision 0: the flops are unknown; "other": no type of tensor
 * cores. */
typedef struct {
  guint64 calls;
  Wide time;                         /* ps: of the work that was launched within them */
  Wide flops_outside, bytes_outside; /* shares of the work beyond the window */
} ProductSum;

typedef struct {
  guint64 calls, unknown; /* of which the flops are known; and not */
  Wide flops;
} StepSum;

/* -- Shapes (shapes.c) ----------------------------------------------------------------------- */

/* These are instructions of compiled programs, of table hlo_instructions: those that run by
 * themselves. */
typedef struct {
  AnKeyTable ids;       /* words: INSTRUCTION_...     */
  NpLargeArray *shapes; /* of InstructionShape, by id */
  AnKeyTable kernels;   /* words: INSTRUCTION_..., the name is that of its kernel: those of command
                           buffers */
  NpLargeArray *nodes;  /* by kernels */
} Instructions;

enum { INSTRUCTION_INPUT, INSTRUCTION_LOW, INSTRUCTION_HIGH, INSTRUCTION_NAME, INSTRUCTION_WORDS };

enum { KERNELS_BY_NAME, KERNELS_BY_SHAPE }; /* option kernels */

typedef struct OfText OfText;

typedef struct _Operators {
  AnRows rows;     /* first, for table-rows.h */
  uint64_t window; /* option */
  int32_t kernels; /* option */

  const struct nprof_host *host;
  AnPlaces *places;
  AnTraitsReader traits;
  AnPeaks *peaks;
  AnLinks *links;
  struct nprof_reader pick;
  OperatorCache *known;
  OpFacts facts; /* of a row that is not remembered */
  AnKeyTable tuples;
  NpLargeArray *ops; /* of Op, by tuple */

  nprof_str no_name;   /* what operators with an empty name are called */
  GArray *host_names;  /* by handle: nprof_str, as host_name returns it; 0: not asked for */
  GPtrArray *tracks;   /* of Track or NULL, by handle */
  nprof_status status; /* of what links told */

  guint64 unended, late;
  struct nprof_window clip;
  Launched launched;
  GraphCalls graph_calls;
  Products products;
  Instructions instructions;
  GByteArray *category; /* by handle: what Kineto's categories are to us */
  OfText *type, *layer;                 /* of a framework's path            */
  OfText *opcode, *arguments, *result;  /* of the text of an HLO instruction */
} Operators;

/* of-text.c */
/* find: what follows from a text, transfer full; NULL: nothing.  Free it with g_free. */
OfText *of_text_new (char *(*find) (const char *text));
/* Returns what follows from the text; 0: nothing. */
nprof_str of_text (const Operators *self, OfText *of, nprof_str text);

/* Returns the name of an operator of a host without the number of a wrapper (producers/pytorch.h),
 * "(no name)" where it is empty: 0 would say that there is none. */
nprof_str host_name (const Operators *self, nprof_str name);
/* Returns that of the operator at a node of a path to a launch. */
nprof_str name_of_node (const Operators *self, guint32 node);
/* rows.c */
nprof_status rows_init (Operators *self);
void rows_choose (Operators *self, const struct nprof_batch *batch, uint8_t *rows);
nprof_status rows_consume (Operators *self, const struct nprof_batch *batch);
nprof_status rows_end (Operators *self);
void rows_clear (Operators *self);
guint32 op_number (Operators *self, const guint32 *tuple);
bool is_kernel (const Operators *self, nprof_str category);

/* operator-cache.c */
nprof_status operator_cache_init (Operators *self);
void operator_cache_clear (Operators *self);
/* Returns the facts of a row on the track, until the next; `clock` is its time by the device's. */
const OpFacts *operator_cache_row (Operators *self, const AnPlace *place, guint8 own,
                                   const struct nprof_batch *batch, uint32_t i, AnClock *clock);

/* launched.c */
void launched_init (Operators *self);
void launched_clear (Operators *self);
void launched_row (Operators *self, const AnPlace *place, const struct nprof_batch *batch,
                   uint32_t i);
/* AnLinkCalls.linked: the launch of a row that waited has come. */
/* Adds the time of a graph that the device replayed, of whose kernels there are no rows. */
void launched_replay (Operators *self, const AnPlace *place, gint64 inside);
/* Returns the time of those. */
Wide launched_replays_of (const Operators *self, nprof_track device);
void launched_linked (gpointer operators, guint number, const AnLaunchSite *site);
/* Ends the rows. */
void launched_end (Operators *self);
nprof_status launched_write (Operators *self);

/* graph-calls.c */
void graph_calls_init (Operators *self);
void graph_calls_clear (Operators *self);
/* Returns the launch of a row of a replay as if its operator had made it. */
AnLaunchSite graph_calls_site (Operators *self, uint32_t input, nprof_track device,
                               const AnGraphRow *row, const AnLaunchSite *launch);
/* Returns how many calls of the operator replays ran on the device. */
guint64 graph_calls_of (Operators *self, nprof_track device, nprof_str operator);
/* Notes that the device replays graphs. */
void graph_calls_on (Operators *self, nprof_track device);
/* Returns the word; unknown: the device replays no graphs. */
struct nprof_maybe_str graph_calls_certainty (const Operators *self, nprof_track device,
                                              GraphMatch least);

/* kernels.c writes table kernels. */
nprof_status kernels_write (Operators *self);

/* products.c */
void products_init (Operators *self);
void products_clear (Operators *self);
/* AnLinkCalls.begin. */
guint32 products_begin (gpointer operators, const AnHostSpan *span, guint32 outer);
void products_end (gpointer operators, guint32 number);
/* Returns the shape of the arguments of that call; 0: none, or not told. */
nprof_str products_shape (const Operators *self, guint32 number);
/* Adds work of the call of that number, or of none; inside: how much of its duration lies in the
 * window. */
void products_work (Operators *self, guint32 number, nprof_track device, nprof_str kernel,
                    gint64 duration, gint64 inside);
void products_finish (Operators *self);
nprof_status products_write (Operators *self);
/* Returns the numbers below n in the order of compare(), which is given two of them; transfer
 * full. */
guint *in_order (guint n, GCompareDataFunc compare, gpointer user);
/* Compares the inputs of two tracks. */
int compare_inputs (const Operators *self, nprof_track a, nprof_track b);
/* A product on a device sums up to this. */
typedef struct {
  guint64 calls, unknown;
  Wide flops, bytes, time; /* of calls whose flops are known */
  bool knows_bytes;        /* of all of these                */
  bool cut;                /* the window cuts work of some   */
  double
      could; /* s: the least time for the flops, each by the peak of its precision; NAN: unknown */
} ProductTotal;
/* Sums a name on a device, or what the process of a host did, with work on a device or without.
 * FALSE: it is none. */
bool products_total (Operators *self, nprof_track track, bool is_host, nprof_str name,
                     ProductTotal *total);

/* device-ops.c sums operators of a host by the time of what they launched, device by device. */
typedef struct {
  nprof_str name;
  nprof_track device;
  Wide total, self;
  nprof_str top_kernel; /* 0: it launched none itself */
  GraphMatch certainty; /* of what it launched itself, as of LaunchedSum */
  guint64 calls;
  Wide host_self;
  bool has_calls, has_host; /* calls, and host_self, are known */
} DeviceOp;
/* Returns DeviceOp; transfer full. */
NpLargeArray *device_ops (Operators *self);

/* levels.c */
nprof_status levels_write (Operators *self);
/* Adds up. */
void op_fold (Op *to, const Op *op);
/* Returns the name of the HLO instruction, or of the one that it is a clone of; 0: it has none. */
nprof_str hlo_of (Operators *self, const guint32 *tuple);
/* Returns what a device is called, also one that holds the cores of a logical core. */
nprof_str label_of (Operators *self, nprof_track device);

/* shapes.c writes table operator_shapes. */
void shapes_init (Operators *self);
void shapes_clear (Operators *self);
/* Takes rows of table hlo_instructions. */
void shapes_take (Operators *self, const struct nprof_table *table, const struct nprof_cell *cells,
                  uint32_t n_rows);
nprof_status shapes_write (Operators *self);
/* Returns the arguments of the product around a launch as people read them; 0: none are stated. */
nprof_str shapes_of_launch (Operators *self, const guint32 *launched);

/* command-buffers.c */
void command_buffers_init (Operators *self);
void command_buffers_clear (Operators *self);
/* Takes an instruction, words INSTRUCTION_..., that may be of a command buffer. */
void command_buffers_take (Operators *self, const guint32 *instruction, nprof_str computation,
                           nprof_str framework, nprof_str opcode);
/* Gives a kernel of a command buffer, words OP_..., its instruction, where one alone is called like
 * it. */
void command_buffers_resolve (const Operators *self, guint32 *tuple);

/* layers.c */
nprof_status layers_write (Operators *self);
/* Returns the layer of an operator: stated, or by its path.  0: unknown. */
nprof_str layers_of (Operators *self, const guint32 *tuple);

/* Returns a sum as a cell; one that does not fit 64 bits is unknown. */
struct nprof_maybe_int wide_if (bool known, Wide sum);
/* Returns (a / b), rounded to the nearest. */
gint64 wide_mean (Wide a, guint64 b);

/* mfu.c returns flop/s that the device could do, NAN when unknown; the part that was done of what
 * could be; `with` 0: unknown. */
double peak_flops_of (Operators *self, nprof_track device);
/* Returns which part of `could` was used, by all flops or by the model's where those are more; NAN:
 * unknown. */
double used_part (const Op *sum, double could);
struct nprof_maybe_double used_of (Wide flops, guint64 with, double could);

#endif
