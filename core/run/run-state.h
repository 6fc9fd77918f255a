/* SPDX-License-Identifier: Apache-2.0 */
/* run-state.h - what all stages of a run share while it lasts.  The stages themselves are
 * decode.h, pipeline.h and sink-thread.h; run.h puts them together. */
#pragma once

#include "base/log-repeats.h"
#include "base/log.h"
#include "input/input.h"
#include "output/transaction.h"
#include "plugin/registry.h"
#include "rows/attribute-sets.h"
#include "rows/batch.h"
#include "rows/columns.h"
#include "rows/facts.h"
#include "rows/skipped.h"
#include "rows/strings.h"
#include "rows/tracks.h"
#include "run/config.h"
#include "run/declared.h"
#include "devices/device-rates.h"
#include "run/note-makers.h"
#include "run/progress.h"
#include "run/snapshot.h"
#include "select/steps-seen.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct {                /* an input of the run                                        */
  struct nprof_input_info info; /* what is known from the beginning; never changes     */
  struct nprof_input_info full; /* the same with bytes and properties; written once, before a
                                   snapshot says that they are known                   */
  char *path;                   /* as the user wrote it, or as found in a folder              */
  char *real_path;              /* NULL for stdin                                             */
  char *label;
  char *file;    /* its name without folders; NULL for stdin                   */
  NpInput *data; /* open while it is decoded                                   */
  gboolean cut;  /* its compressed file ends too soon, which has been counted  */
  const struct nprof_component *decoder;
  NpSpec *spec;
  guint mixed;           /* number by which its flows were mixed when its file was written */
  NpDeclared *declared;  /* what its content declares; owned by the run; NULL: nothing */
  gint64 origin;         /* unix ns or NPROF_NO_EPOCH; set before the first row        */
  guint64 bytes;         /* inflated; set before the first row                         */
  GPtrArray *properties; /* of char *: key, value, ..., NULL; fixed with the first row */
  GPtrArray *opened;     /* of char *: siblings that its decoder has opened; NULL: none */
  gboolean begun;        /* its first row, of a table too, has left the decoder        */
  guint jobs;            /* threads that its decoder may use                            */
  atomic_uint unread;    /* records of it that could not be read                        */
  /* the pipeline's */
  gboolean aligned; /* shift is known                                             */
  gint64 shift;     /* ps to add to its times                                     */
  const NpClock *clock; /* by which its times are corrected; NULL: they stay          */
  guint64 decoded;  /* rows before the selection                                  */
  guint64 rows, unclosed;
  gint64 first, last; /* ps; first > last while no row has a time                   */
} NpRunInput;

typedef struct {      /* the time of all rows, those that are not selected included */
  gint64 first, last; /* ps; first > last while no row has a time                */
  const char *first_of, *last_of; /* paths of the inputs that have these           */
} NpRunSpan;

typedef struct { /* a component that takes part                                */
  NpSpec *spec;
  const struct nprof_component *component;
} NpChosen;

typedef struct {
  const NpConfig *config;
  NpRegistry *registry;
  NpLog *log;
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  NpColumns *columns;
  NpPool *pool;
  NpOutputs *outputs;
  NpProgress *progress;
  NpFacts *facts;
  NpDeviceRates *device_rates;
  NpNoteMakers *note_makers;
  NpSkipped *skipped;
  NpRepeats *repeats;
  NpStepsSeen *steps;    /* NULL: nobody asks for them                                */
  struct nprof_run_info info; /* of the thread that delivers; components see snapshots */
  NpSnapshots snapshots;
  guint jobs;
  char *data_folder; /* of nprof's data files; NULL: there is none                */
  GPtrArray *answer_folders; /* of NpAnswerFolder; NULL: nobody has asked */
  GArray *analyzers; /* of NpChosen, by number; NULL: not known yet            */
  guint n_decoded;       /* columns that decoders declare: the first ones             */

  const char *origin_of;       /* path of the input whose origin the run has; NULL: it has none   */
  const char *without_epoch;   /* path of the first input that has times but no epoch; NULL: none */
  gboolean unaligned;          /* that inputs could not be aligned has been said             */
  NpRunSpan span;
  GHashTable *checked;         /* of components that are checked; NULL: none */
  GPtrArray *again;            /* of those that live again behind the run; NULL: none */
  gboolean far_apart;          /* that inputs are of other days has been said                */
  pthread_mutex_t lock;        /* inputs grow by siblings                                    */
  GPtrArray *inputs;           /* of NpRunInput                                              */
  guint n_given;               /* inputs that the user named; siblings come after them       */
  GPtrArray *declared;         /* of NpDeclared                                              */
  GHashTable *refused; /* of struct nprof_table *: others have these names, so nobody sees them */
  atomic_ullong losses;        /* records lost under keep_going                              */
  atomic_int stop;             /* an NpExit once the run must end                            */
  const atomic_int *interrupt; /* set by the signal handler: NpExit; may be NULL       */
} NpRun;

/* Makes everything but the inputs; needs config, log and modules. */
void np_run_init (NpRun *run);
void np_run_clear (NpRun *run); /* all batches have come back */

/* Returns whether the run must end.  [any-thread] */
gboolean np_run_stopped (NpRun *run);
void np_run_stop (NpRun *run, NpExit why);
/* Logs what `who`, a file or a component, has to say; only the first warnings of one reason
 * (log-repeats.h).  [any-thread] */
void np_run_say (NpRun *run, const char *who, int level, const char *text);
void np_run_input_free (NpRunInput *input);
/* Returns NULL beyond the last.  [any-thread] */
NpRunInput *np_run_input (NpRun *run, guint number);
guint np_run_n_inputs (NpRun *run); /* [any-thread] */
