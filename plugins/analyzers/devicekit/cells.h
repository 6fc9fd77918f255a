/* SPDX-License-Identifier: Apache-2.0 */
/* cells.h - cells of what may be unknown: then they are null. */
#ifndef AN_CELLS_H
#define AN_CELLS_H

#include <math.h>
#include <nprof/table.h>
#include <stdbool.h>

/* 0 is unknown. */
static inline struct nprof_cell
an_str_cell (nprof_str str)
{
  return str ? nprof_cell_str (str) : nprof_cell_null ();
}

/* Below 0 is unknown. */
static inline struct nprof_maybe_int
an_count (int64_t count)
{
  return nprof_int_if (count >= 0, count);
}

/* A number is unknown when it rests on rows that may be work or waits. */
static inline struct nprof_cell
an_sure_cell (bool sure, int64_t number)
{
  return sure ? nprof_cell_int (number) : nprof_cell_null ();
}

#endif
