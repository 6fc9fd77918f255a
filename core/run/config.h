/* SPDX-License-Identifier: Apache-2.0 */
/* config.h - what the user asked a run to do. */
#pragma once

#include "base/error.h"
#include "output/read-files.h"
#include "plugin/option.h"
#include "run/progress.h"
#include "select/row-filter.h"

/* The state of an analyzer, for profiles of many ranks (save and merge in plugin.h). */
typedef struct {
  char *analyzer;
  GBytes *state;
} NpSaved;
void np_saved_free (NpSaved *saved);
/* FALSE with NP_EXIT_INPUT: no such analyzer takes part, or it refuses the state. */
typedef gboolean (*NpMerge) (gpointer to, const char *analyzer, const void *state, gsize len,
                             GError **error);

/* By how much a clock is ahead of the one that all times are told by. */
typedef struct {
  gboolean known; /* else nothing says so                        */
  double offset;  /* ps, at that time                            */
  gint64 at_unix_ns;
  double drift; /* faster by so much of the time that passes   */
} NpClock;

typedef struct {
  GPtrArray *inputs;  /* of char *: files, folders, "-"                             */
  GHashTable *clocks; /* of NpClock, by host or "rank N": times are corrected; NULL: as they are */
  const char *label;  /* what the one input is called; NULL: by its path            */
  NpSpec *decoder;    /* NULL: the highest bid                                      */
  NpSpec *hints;      /* options for each decoder that has them; its name is none; NULL: none */
  GPtrArray *analyzers; /* of NpSpec                                                  */
  GPtrArray *sinks;     /* of NpSpec                                                  */
  char *output;         /* -o, or NULL                                                */
  NpReadFiles *read;    /* what its runs have read so far: no output replaces it      */
  guint jobs;           /* threads that decode; 0: one a processor                    */
  gboolean inspect;     /* the user asks about the files themselves                   */
  guint batch_rows;     /* 1..4096                                                    */
  gsize text_most;      /* bytes of one text; a longer one is cut or refused           */
  NpSelection selection;
  GHashTable *where; /* char *: conditions on rows of tables, by table, for sinks; NULL: none */
  gboolean needs_rows; /* a selection that leaves none is a mistake, not an empty result       */
  gint call_limit; /* s that a third party's call may take the processor without progress; 0: any */
  gboolean checked;     /* each component is, not only those that nprof check has not seen */
  gboolean keep_going;
  gboolean listed; /* inputs were found in a folder: there may be none that a decoder knows */
  gboolean no_export;          /* reports of Nsight Systems are not handed to nsys           */
  gboolean meaning;            /* rows are written with what they mean (nprof-semantics(7))    */
  gboolean team_answers;       /* the user's own count too, as where people look              */
  gboolean progress;           /* is shown on stderr                                         */
  NpProgressListener listener; /* is told of it too                                    */
  GArray *found_steps;         /* of gint64: gets the numbers of all steps; NULL: nobody asks */
  GPtrArray *saved; /* of NpSaved, gets the states of the analyzers whose NpSpec saves; NULL: none
                            does */
  /* Instead of inputs: hands states to the analyzers by calling `merge`, each with the name of one.
     NULL: there are inputs. */
  gboolean (*states) (gpointer user, NpMerge merge, gpointer to, GError **error);
  gpointer states_user;
  gpointer caller; /* what the caller's own components (NpSpec.own) reach by
                            host->extension (NP_CALLER)                                */
} NpConfig;

#define NP_CALLER "nprof.caller"

NpConfig *np_config_new (void);
/* Returns one of no inputs and no components, which are to run as those of `from`. */
NpConfig *np_config_like (const NpConfig *from);
void np_config_free (NpConfig *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpConfig, np_config_free)
/* Adds a sink that is the caller's own; its instances reach `caller` by NP_CALLER. */
void np_config_add_own (NpConfig *config, const struct nprof_component *sink, gpointer caller);
/* Sets the rows of a batch by NPROF_BATCH_ROWS, for tests: smaller batches change nothing that a
 * user sees. NP_EXIT_USAGE. */
gboolean np_config_read_environment (NpConfig *config, GError **error);
/* Returns whether anything needs to know which steps the inputs have. */
gboolean np_wants_steps (const NpConfig *config);
