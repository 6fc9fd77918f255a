/* SPDX-License-Identifier: Apache-2.0 */
/* answers.h - gathers what stands beside the tables of a page: sums over the steps of each device,
 * and what the inputs say of themselves, while tables come. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef enum {
  PART_WINDOW,
  PART_IDLE,
  PART_COMPUTE,
  PART_COMMUNICATION,
  PART_COPY, /* the last four sum to the first */
  PART_HOST,
  PART_LAUNCH,
  PART_WAIT,
  PART_UNLINKED, /* of the idle time */
  PARTS
} Part;

typedef struct {
  gint64 n;           /* steps              */
  gint64 part[PARTS]; /* ps: sums over them */
  gboolean unsure;    /* of one its parts are unknown */
} StepSums;

/* These are the steps of a device, or its whole span where it has none (`named` is false). */
typedef struct {
  nprof_str input, device;
  gboolean named;
  StepSums counted, whole, cut; /* of the verdict; else not cut; else cut */
} DeviceSteps;

typedef struct {
  const struct nprof_host *host;
  GPtrArray *devices; /* of DeviceSteps               */
  gint64 launches;    /* whose work is in the file    */
  gboolean launched;  /* something was, and no row is of a device */
  char *decoder;      /* of the last input; NULL: unknown */
  GHashTable *options; /* set: those of PyTorch's profiler that were on */
  gboolean rpd;        /* threads are named as AMD's RPD does */
  gboolean tensorflow; /* its executor gave GPUs their work    */
  gboolean xla;        /* devices are named as XLA does, whether or not they did something */
  GPtrArray *tables;   /* names of tables that have rows */
} Answers;

Answers *answers_new (const struct nprof_host *host);
void answers_free (Answers *answers);
void answers_add (Answers *answers, const struct nprof_table *table, const struct nprof_cell *cells,
                  guint n_rows);
/* Returns whether a table has rows. */
gboolean answers_have (const Answers *answers, const char *table);

/* Returns the steps that count: those of the verdict, else those that the profile did not cut, else
 * all. */
const StepSums *answers_steps (const DeviceSteps *device);
/* Returns the mean over the steps that count. */
double answers_mean (const DeviceSteps *device, Part part);
