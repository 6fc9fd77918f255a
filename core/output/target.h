/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - what transaction.c and target.c share: the outputs of a run and their targets. */
#pragma once

#include "output/transaction.h"

#include <pthread.h>

struct NpOutputs {
  NpLog *log;
  const atomic_int *interrupt;
  NpReadFiles *read;
  pthread_mutex_t lock; /* all below, and the errors of targets */
  GPtrArray *targets, *files;
  GPtrArray *made;    /* folders that were missing, outermost first */
  GHashTable *places; /* of files; strings are theirs */
  char *options;      /* of the run, and its inputs; NULL when nobody said */
  GPtrArray *inputs;  /* of char * */
  GHashTable *owned;  /* real folder -> NpOwned: whose files stand there */
};

struct NpTarget {
  struct nprof_target info;
  NpOutputs *outputs;
  char *folder, *name; /* as the user wrote them; name NULL: none */
  gboolean listed;     /* its files stand in the folder's manifest */
  gboolean colors;     /* the sink has an option of this name */
  gboolean named;      /* name is the user's, not default_name */
  const char *option;  /* end of what an error advises */
  GError *error;
};

/* Keeps the first error of a target; transfer full.  [any-thread] */
void np_target_fail (gpointer target, GError *error);
void np_target_free (gpointer target);

/* Returns the files of the run, "out/a.csv (1.2 MB), out/b.csv (3 kB)", the first of many by name,
 * with control characters escaped.  Transfer full; NULL: it wrote only to stdout, or nowhere. */
char *np_outputs_written (const NpOutputs *outputs);
/* Returns how much was written, standard output included. */
guint64 np_outputs_bytes (const NpOutputs *outputs);
