/* SPDX-License-Identifier: Apache-2.0 */
/* late.h - what the files of the analyzer late-ranks share. */
#pragma once

#include "columns.h"

#include <glib.h>
#include <nprof/draft/clip.h>
#include <nprof/sdk.h>

/* A rank's part in a collective; by (communicator, collective, sequence) the parts of all. */
typedef struct {
  nprof_str communicator, collective;
  guint32 process; /* in Late.processes */
  gint64 sequence, rank, n_ranks, bytes, us;
} Part;

typedef struct {
  nprof_str host;
  gint64 pid;
  gint64 rank, n_ranks; /* of its largest communicator */
  guint64 collectives, last, lines, numbers, missing;
  gint64 caused, waited; /* us */
  nprof_str input;
} Process;

typedef struct {
  const struct nprof_host *host;
  GArray *parts, *processes;
} Late;

/* judge.c: adds up who was late. */
void lr_judge (Late *l);
