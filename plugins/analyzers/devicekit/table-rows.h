/* SPDX-License-Identifier: Apache-2.0 */
/* table-rows.h - rows of tables on their way to the run, and as a state (save, merge) of an
 * analyzer that adds nothing up over inputs: the state of many ranks is the rows of each. Nothing
 * is computed when states are taken together, so numbers stay as they were, to the last bit, and no
 * order matters; rows come in the order of the labels of their inputs. */
#ifndef AN_TABLE_ROWS_H
#define AN_TABLE_ROWS_H

#include <glib.h>
#include <nprof/sdk.h>
#include <stdbool.h>

typedef struct {
  const struct nprof_host *host;
  const char *name;                        /* of the analyzer                               */
  const struct nprof_table *const *tables; /* its own, ending in NULL                       */
  const struct nprof_table *by_start;      /* its rows are in one order by start_ns; or NULL */
  nprof_status (*write) (void *self);      /* adds the rows of what the analyzer saw        */
  GPtrArray *kept;                         /* one an input, while save goes on; else NULL   */
  GPtrArray *parts;                        /* one an input of the states that were merged   */
} AnRows;

void an_rows_init (AnRows *rows, const struct nprof_host *host, const char *name,
                   const struct nprof_table *const *tables, const struct nprof_table *by_start,
                   nprof_status (*write) (void *self));
void an_rows_clear (AnRows *rows);
/* Writes a row of one of the tables.  Columns start_ns and end_ns are times of the run. */
nprof_status an_rows_add (AnRows *rows, const struct nprof_table *table,
                          const struct nprof_cell *cells);

/* These are finish, save and merge of an analyzer that begins with its AnRows: they write the rows
 * of what was seen and of all states that were merged, as tables or as a state. */
nprof_status an_rows_finish (void *self);
nprof_status an_rows_save (void *self, struct nprof_output *out);
nprof_status an_rows_merge (void *self, const void *data, size_t len);

#endif
