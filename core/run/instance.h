/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - one component at work: its memory, its options, its host, and where its
 * rows and tables go.  host.c holds what the component may call. */
#pragma once

#include "rows/links.h"
#include "rows/table-writer.h"
#include "run/row-meaning.h"
#include "run/run-state.h"

typedef struct NpInstance NpInstance;

/* It says where rows, rows of tables and words go; all functions take what they are given, and are
 * called on the thread of the call that made them. */
typedef struct {
  nprof_status (*batch) (gpointer user, NpBatch *batch);
  nprof_status (*chunk) (gpointer user, NpChunk *chunk);
  void (*say) (gpointer user, int level, char *text); /* NULL: at once, to the run's log */
  gpointer user;
} NpFeed;

struct NpInstance {
  struct nprof_host host; /* first: a plugin's host is a pointer to us                */
  NpRun *run;
  const struct nprof_component *component;
  guint order;       /* in which it gets rows: the component's, or its option's  */
  NpRunInput *input; /* decoders                                                 */
  NpTarget *target;  /* sinks                                                    */
  NpFeed feed;
  _Atomic (const NpSnapshot *) snapshot; /* what it is told of the run                 */
  GError *error; /* why the first call that failed did so                    */
  gboolean said; /* it said with fail or damage that something failed        */

  void *self;             /* instance_size bytes; NULL for the host of a part         */
  GStringChunk *strings;  /* of its options                                           */
  gboolean opening;       /* within open                                              */
  gboolean declaring;     /* is asked what its input declares, and decodes nothing */
  gboolean checked;       /* what it does is looked at (nprof run --checked) */
  gboolean clips;         /* an analyzer that cuts its sums at a window (nprof/draft/clip.h) */
  guint note;             /* 1 + the number of the note that an analyzer wants; 0: none */
  gboolean opened, ended; /* and not closed; finish or abort was called              */
  NpMeanings
      *meanings; /* the rule that a decoder follows; of a part, that of its decoder; NULL: none */
  NpMeaningsSeen *seen;
  nprof_status broken;        /* what handing rows on failed with; stays                  */
  struct nprof_writer writer; /* lends the columns of `batch`                          */
  NpBatch *batch;             /* being filled, or NULL                                    */
  guint n_single;             /* batches of one row that it was lent, where it is checked */
  guint n_stacks;             /* that were looked at for a second finish, likewise       */
  atomic_uint n_said;         /* errors and warnings, where it is checked                 */
  NpLinks *links;             /* ids of the rows of a decoder, where it is checked        */
  atomic_uint unreported;     /* rows since the last call of progress, likewise           */
  atomic_uint n_tracks;       /* that it made, likewise                                   */
  atomic_int held;            /* batches that it keeps by batch_ref                       */
  NpTableWriter tables;       /* that it announced                                        */
  GPtrArray *siblings;        /* of NpInput: open until close                             */
};

/* Clears memory and applies options; calls nothing.  NP_EXIT_USAGE, or NP_EXIT_PLUGIN. */
NpInstance *np_instance_new (NpRun *run, const struct nprof_component *component,
                             const NpSpec *spec, NpRunInput *input, NpTarget *target, NpFeed feed,
                             GError **error);
/* Makes the instance of one part of a parallel decoding, which has a host of its own. */
NpInstance *np_instance_new_part (NpInstance *of, NpFeed feed);
/* Calls close if open was called, once; nothing else may be called then. */
void np_instance_close (NpInstance *instance);
/* Frees the instance, closed or not. */
void np_instance_free (NpInstance *instance);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpInstance, np_instance_free)

nprof_status np_instance_open (NpInstance *instance);
/* The component sees the run as the snapshot has it from now on. */
void np_instance_show (NpInstance *instance, const NpSnapshot *snapshot);
/* Says it now, in the log, with the file or the component before it, or hands it to the feed.  Only
 * the first warnings of one reason are said (log-repeats.h). text: transfer full. */
void np_instance_say (NpInstance *instance, int level, char *text);
/* Hands on the rows, and the rows of tables, that are still being filled. */
nprof_status np_instance_flush (NpInstance *instance);
nprof_status np_instance_finish (NpInstance *instance);
/* Instead of finish: the state, appended to `to`. */
nprof_status np_instance_save (NpInstance *instance, GByteArray *to);

/* The same status, but NPROF_E_CONTRACT for NPROF_OK of a component that has said that it
 * failed. */
nprof_status np_instance_verdict (NpInstance *instance, nprof_status status);

/* These are what the host does for it. */
nprof_status np_instance_lend_columns (NpInstance *instance); /* an empty batch to fill */
nprof_status np_instance_flush_rows (NpInstance *instance);
nprof_status np_instance_announce (NpInstance *instance, const struct nprof_table *table);
nprof_status np_instance_add_row (NpInstance *instance, const struct nprof_table *table,
                                  const struct nprof_cell *cells);

/* Records the first cause of a failure.  Returns status. */
nprof_status np_instance_fail (NpInstance *instance, nprof_status status, const char *why);
/* Takes over another's cause (transfer full), unless there is one. */
void np_instance_adopt_error (NpInstance *instance, GError *error);
/* Returns the cause of `status`, made if the component gave none; transfer full.  The code follows
 * from the kind of component and the status.  A cancelled run is no error of its own:
 * np_error_is_silent. */
GError *np_instance_take_error (NpInstance *instance, nprof_status status);
/* Returns whether the status is NPROF_OK; FALSE with its cause. */
gboolean np_instance_passed (NpInstance *instance, nprof_status status, GError **error);

/* host.c: sets the functions of the host, for any instance. */
void np_host_init (struct nprof_host *host, NpLog *log);
#define np_instance_of(host) ((NpInstance *) (host))
