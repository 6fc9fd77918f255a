/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - decoder ascend-json: what its files share.  Every layer of a run is a process in the
 * JSON: tasks of the hardware, collectives, counters of one device each, and of the host Python
 * and CANN.  format: ascend.md 2 */
#ifndef ASCEND_JSON_LAYERS_H
#define ASCEND_JSON_LAYERS_H

#include "producers/ascend-chip.h"
#include "producers/ascend-steps.h"
#include "producers/ascend.h"
#include "producers/ids.h"
#include "producers/step-times.h"
#include "trace-event/trace-event.h"

typedef enum {
  LAYER_HOST,
  LAYER_HARDWARE,
  LAYER_COLLECTIVES,
  LAYER_DERIVED, /* Overlap Analysis: what the vendor's tool makes of the others */
  LAYER_COUNTERS
} AjLayer;

/* Where a row of a device begins: arrows end there. */
typedef struct {
  int64_t pid, tid, start; /* ps */
} AjSpot;

/* What arrows tell of the row at a spot. */
typedef struct {
  AjSpot spot;
  AjSpot launch;               /* where the arrow of its launch begins; start INT64_MIN: none */
  nprof_str operation, shapes; /* the operator around it; of its inputs, or of one around that */
} AjLink;

/* What kernel_details.csv says of a kernel. */
typedef struct {
  nprof_str name;
  int64_t start; /* ps; of the file's grid, a ns */
  nprof_str unit, operation, shapes, results;
} AjKernel;

/* The call of CANN that launched the work of a connection. */
typedef struct {
  int64_t connection, start;
  bool acl; /* a call of AscendCL, after which one of a node goes */
} AjCall;

typedef struct {
  int64_t correlation;
  AjSpot at;
} AjLaunch;

enum {
  KEY_CORRELATION,
  KEY_STREAM,
  KEY_STEP,
  KEY_ENGINE,
  KEY_OPCODE,
  KEY_SHAPE,
  KEY_FLOPS,
  KEY_OPERATOR,
  KEY_COLLECTIVE,
  KEY_GROUP,
  KEY_SEQUENCE,
  KEY_ELEMENTS_IN,
  KEY_ELEMENTS_OUT,
  KEY_DTYPE,
  N_KEYS
};

typedef struct {
  Chrome chrome; /* first: functions of trace-event are given it */
  nprof_str key[N_KEYS];
  bool want[N_KEYS];
  nprof_set work[N_CLASSES], step_work;
  nprof_str category[N_CLASSES];
  nprof_str overlap, category_launch;
  int64_t named_device; /* the number in the name of the file; ASCEND_NONE: none */
  bool pids_tell;       /* of layers: their low five bits are the device      */
  bool has_wholes;      /* a thread of the collectives' layer is of whole ones */
  NpLargeArray *links;  /* of AjLink, by its spot   */
  GHashTable *planes;   /* AjSpot of stream, task and context: parts of collectives */
  Ids calls;            /* of AjCall                 */
  GHashTable *hosts;    /* pids of rows of Python    */
  GArray *steps;        /* of StepTime               */
  GArray *launches;     /* of AjLaunch: no call is in the file, an arrow is */
  GHashTable *kernels;  /* of AjKernel, by itself    */
  AscendChip chip;      /* of all devices, which are of one kind */
  AscendSteps split;    /* by the vendor's rule      */
  const char *memory;   /* memory_record.csv; NULL: none */
  uint64_t memory_len;
} AscendJson;

typedef struct {
  ChPart chrome; /* first, as above */
  GArray *launches;
} AjPart;

#define aj_of(part) ((AscendJson *) (part)->c)

guint aj_spot_hash (gconstpointer spot);
gboolean aj_spot_equal (gconstpointer a, gconstpointer b);

/* links.c: reads once through all events for what stands elsewhere than its row. */
nprof_status aj_links_find (AscendJson *a);
/* Returns what arrows tell of a row; NULL: nothing. */
const AjLink *aj_link (const AscendJson *a, const AjSpot *spot);

/* steps.c: what of a device the vendor's split of steps rests on, as it is read. */
typedef struct AjSplit AjSplit;
AjSplit *aj_split_new (void);
void aj_split_free (AjSplit *split);
/* Takes a row of the vendor's own track; `name` as it is called. */
void aj_split_overlap (AjSplit *split, const TeValue *name, int64_t start, int64_t end);
/* Takes a row of a device; receives: a collective that waits for another stage. */
void aj_split_row (AjSplit *split, const AjSpot *spot, int64_t end, bool receives);
/* Takes an arrow of PyTorch: when it begins, and at which row it ends. */
void aj_split_arrow (AjSplit *split, int64_t begin, const AjSpot *end);
/* Splits the steps by the vendor's rule. */
void aj_split_steps (AjSplit *split, const GArray *steps, nprof_str device, AscendSteps *to);

/* tracks.c */
/* Returns the number of the device of a layer; ASCEND_NONE: nothing says it. */
int64_t aj_device_of (const AscendJson *a, ChId pid);
nprof_str aj_device_label (const struct nprof_host *host, int64_t number);
AjLayer aj_layer (const Chrome *c, ChId pid);
void aj_learn_devices (AscendJson *a);
/* Returns the devices that have rows, of number to itself plus 1; free it with
 * g_hash_table_unref. */
GHashTable *aj_devices (const AscendJson *a);
/* Returns whether rows of this thread are whole collectives, where its name tells: 1, 0, or -1. */
int aj_holds_wholes (const Chrome *c, ChId pid, ChId tid);
nprof_track aj_thread (const Chrome *c, const struct nprof_host *host, ChId pid, ChId tid);

/* args.c: reads a whole number, which may be quoted; ASCEND_NONE: it is missing, or is one of the
 * values that Ascend writes for "none". */
int64_t aj_number (const Chrome *c, const TeEvent *event, const char *member);

/* folder.c: says the rank that a file in the folder above names, and how many there are; before
 * the first row. */
nprof_status aj_rank_find (AscendJson *a);
/* Reads what the files beside the input say of the run. */
nprof_status aj_folder_read (AscendJson *a);
/* Returns what is known of the kernel of that name which begins then; NULL: nothing. */
const AjKernel *aj_kernel (const AscendJson *a, nprof_str name, int64_t start);
/* Says which chip the devices have, where files tell its cores and its clock. */
nprof_status aj_chip_write (AscendJson *a);
/* Writes the counters of memory_record.csv. */
nprof_status aj_memory_write (AscendJson *a);
/* Returns whether a database of the same rows lies beside the input. */
bool aj_has_database (const struct nprof_host *host);
/* Returns whether a file msprof_... beside has all that this one has: of a device and an iteration
 * msprof writes its collectives and its tasks once more apart. */
bool aj_is_in_msprof (const struct nprof_host *host);

/* probe.c */
int aj_probe (const void *head, size_t len, uint64_t size, const char *path);

#endif
