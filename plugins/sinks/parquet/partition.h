/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h - the files of the events: one, or with partition=KEY one folder for each value
 * that property KEY of the inputs has, as Hive lays them out: events/KEY=VALUE/part-0.parquet. */
#pragma once

#include "table-file.h"

#define PARTITIONS_OPEN 16
#define COLLECTED_BYTES (16u << 20) /* of all that are open together */

struct part {
  char *value;                /* of the property; NULL: there is one file */
  guint number;               /* of the file in its folder                */
  guint64 used;               /* when: counts batches                     */
  struct table_file table_file;
  guint64 group;              /* that is being filled: unique             */
  gint64 start, duration;     /* of the last row, while the rows are in order */
  guint32 track;
  GArray *inputs;             /* of guint32: those with rows here, ascending; NULL: not asked for */
};

struct partition {
  const struct nprof_host *host;
  struct pq_works *works;
  const char *key;            /* partition=, or NULL                      */
  enum pq_codec_kind codec;
  gsize limit;
  const struct pq_sorting *sorting;
  GArray *columns;
  GPtrArray *open;            /* of struct part                           */
  GHashTable *counts;         /* value -> files it has so far             */
  guint64 clock;
};

void partition_init (struct partition *p);
/* Returns the part that the rows of an input go to. */
nprof_status partition_of (struct partition *p, guint32 input, struct part **part);
/* Ends row groups where there is enough; it is called after TABLE_FILE_ROWS rows. */
nprof_status partition_look (struct partition *p, struct part *part);
nprof_status partition_end (struct partition *p);
void partition_clear (struct partition *p);
