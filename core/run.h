/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one run: what the user asked for (NpConfig), and what all stages share while
 * it lasts (NpRun).  The stages themselves are decode.h, pipeline.h and sinks.h. */
#pragma once

#include "attrsets.h"
#include "batch.h"
#include "columns.h"
#include "error.h"
#include "facts.h"
#include "input.h"
#include "log.h"
#include "module.h"
#include "option.h"
#include "output.h"
#include "progress.h"
#include "select.h"
#include "skipped.h"
#include "strings.h"
#include "tracks.h"

#include <pthread.h>
#include <stdatomic.h>

/* -- What was asked for ---------------------------------------------------- */

typedef struct {
  GPtrArray *inputs;     /* of char *: files, folders, "-"                             */
  NpSpec *decoder;       /* NULL: the highest bid                                      */
  GPtrArray *analyzers;  /* of NpSpec                                                  */
  GPtrArray *sinks;      /* of NpSpec                                                  */
  char *output;          /* -o, or NULL                                                */
  guint jobs;            /* threads that decode; 0: one a processor                    */
  guint batch_rows;      /* 1..4096                                                    */
  NpSelection selection;
  gboolean keep_going;
  gboolean progress;
} NpConfig;

NpConfig *np_config_new (void);
void np_config_free (NpConfig *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpConfig, np_config_free)
/* Adds what a JSON file says: {inputs, decoder, analyzers, sinks, output, jobs}; what is
 * set already (by the command line) stays. */
gboolean np_config_load (NpConfig *config, const char *path, GError **error);

/* -- What the stages share ------------------------------------------------- */

typedef struct {         /* an input of the run                                        */
  struct nprof_input_info info;
  char *path;            /* as the user wrote it, or as found in a folder              */
  char *real_path;       /* NULL for stdin                                             */
  char *label;
  NpInput *data;         /* open while it is decoded                                   */
  const struct nprof_component *decoder;
  NpSpec *spec;
  gint64 origin;         /* unix ns or NPROF_NO_EPOCH; set before the first row        */
  GPtrArray *properties; /* of char *: key, value, key, value ...                      */
  /* the pipeline's */
  gboolean aligned;      /* shift is known                                             */
  gint64 shift;          /* ps to add to its times                                     */
  guint64 decoded;       /* rows before the selection                                  */
  guint64 rows, unclosed;
  gint64 first, last;    /* ps; first > last while no row has a time                   */
} NpRunInput;

typedef struct {
  const NpConfig *config;
  NpModules *modules;
  NpLog *log;
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  NpColumns *columns;
  NpPool *pool;
  NpOutputs *outputs;
  NpProgress *progress;
  NpFacts *facts;
  NpSkipped *skipped;
  struct nprof_run_info info;
  guint jobs;

  gboolean unaligned;    /* that inputs could not be aligned has been said             */
  pthread_mutex_t lock;  /* inputs grow when a decoder opens a sibling                 */
  GPtrArray *inputs;     /* of NpRunInput                                              */
  atomic_ullong losses;  /* records lost under keep_going                              */
  atomic_int stop;       /* an NpExit once the run must end                            */
  const atomic_int *interrupt; /* set by the signal handler: NpExit; may be NULL       */
} NpRun;

/* Does the run go on?  [any-thread] */
gboolean np_run_stopped (NpRun *run);
void np_run_stop (NpRun *run, NpExit why);
/* NULL beyond the last.  [any-thread] */
NpRunInput *np_run_input (NpRun *run, guint number);
/* Adds an input; its decoder is chosen by bids unless spec names one.  NULL with error. [any-thread] */
NpRunInput *np_run_add_input (NpRun *run, const char *path, const char *label, const NpSpec *spec,
                              GError **error);

/* Does it all; every error has been logged. */
NpExit np_run (const NpConfig *config, NpModules *modules, NpLog *log, const atomic_int *interrupt);
