/* SPDX-License-Identifier: Apache-2.0 */
/* answers.h - gathers what stands beside the tables of a page: what the inputs say of themselves,
 * while tables come. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct {
  const struct nprof_host *host;
  nprof_str device;   /* the first that has steps, or a span; 0: none */
  gint64 launches;    /* whose work is in the file    */
  gboolean launched;  /* something was, and no row is of a device */
  char *decoder;      /* of the last input; NULL: unknown */
  GHashTable *options; /* set: those of PyTorch's profiler that were on */
  gboolean others;     /* tracks are named as AMD's RPD or Intel's unitrace does */
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
