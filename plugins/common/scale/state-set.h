/* SPDX-License-Identifier: Apache-2.0 */
/* state-set.h - the states of a job's ranks: which files there are, whether they are of one job,
 * which ranks are doubled and which are missing. */
#pragma once

#include "base/log.h"
#include "scale/state-file.h"

/* A file that takes part.  Only who its ranks are is kept in memory. */
typedef struct {
  char *path;
  GPtrArray *ranks; /* of NpStateRank */
} NpStateSource;

typedef struct {
  GPtrArray *sources;  /* of NpStateSource, by path */
  GPtrArray *ranks;    /* of NpStateRank, all, by number; the sources own them */
  GPtrArray *problems; /* of GError: everything that is wrong, so that all is mended at once */
  char *options, *nprof;
  gint64 world; /* 0: no state tells  */
} NpStateSet;

/* paths: files, and folders whose states/ or own .nps are taken; names that begin with a dot are
 * skipped. Never NULL; what is absorbed is said in the log. */
NpStateSet *np_state_set_new (const char *const *paths, NpLog *log);
void np_state_set_free (NpStateSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpStateSet, np_state_set_free)
/* "13, 40-47" of those below `expected`; NULL: none.  Transfer full. */
char *np_state_set_missing (const NpStateSet *set, gint64 expected);
/* NpConfig.states */
gboolean np_state_set_merge (gpointer set, NpMerge merge, gpointer to, GError **error);
/* The analyzers whose states there are, of the first file.  Ends in NULL; transfer full. */
GStrv np_state_set_analyzers (const NpStateSet *set, GError **error);
