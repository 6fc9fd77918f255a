/* SPDX-License-Identifier: Apache-2.0 */
/* embed.h - what the files of libnprof share: a run on a thread of its own, and the sink at its end
 * that hands rows and tables to the program. */
#pragma once

#include "base/log.h"
#include "base/queue.h"
#include "plugin/registry.h"
#include "table/table-store.h"
#include "run/config.h"
#include "run/stage-item.h"

#include <nprof/nprof.h>
#include <pthread.h>
#include <stdatomic.h>

struct nprof_run {
  NpConfig *config;
  char **columns;        /* of an Arrow stream of rows, ending in NULL; NULL: all */
  char **wants;          /* the attributes that are decoded for them */
  guint32 array_rows;    /* an array of that stream is handed out when it has so many */
  struct nprof_component reader; /* with these wants */
  NpRegistry *registry;
  NpLog *log;
  int log_fd;            /* a file in memory that the log writes to */
  GString *messages;
  NpQueue *queue;        /* of NpItem: a few batches ahead */
  NpItem *item;          /* what the program looks at; NULL: nothing */
  NpTableStore *kept;    /* NULL: nobody asked for tables at the end */
  gboolean complete;     /* the program has been told that all was handed over */
  atomic_int interrupt;  /* NpExit; set when the program wants no more */
  pthread_t thread;
  pid_t pid;             /* the process that has the thread: a fork has none of it */

  pthread_mutex_t lock;  /* of what follows */
  pthread_cond_t changed;
  const struct nprof_host *host; /* of the sink; NULL: not opened yet */
  gboolean finished;     /* all was handed over */
  gboolean drained;      /* the program holds no batch and asks for none */
  gboolean ended;        /* the thread has done its work; status is set */
  NpExit status;
};

/* reader.c: adds the sink to the run's configuration. */
void np_reader_attach (nprof_run *run);
/* Returns the host that handles are looked up with, after waiting for the run to begin; NULL: it
 * failed before. */
const struct nprof_host *np_run_wait_host (nprof_run *run);
