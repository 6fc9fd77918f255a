/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - tables as NAME.parquet. */
#pragma once

#include "table-file.h"

struct tables {
  const struct nprof_host *host;
  struct pq_works *works;
  enum pq_codec_kind codec;
  gsize limit;
  GPtrArray *all; /* of struct table */
};

void tables_open (struct tables *tables);
nprof_status tables_rows (struct tables *tables, const struct nprof_table *table,
                          const struct nprof_cell *cells, guint n_rows);
nprof_status tables_finish (struct tables *tables);
void tables_clear (struct tables *tables);
