/* SPDX-License-Identifier: Apache-2.0 */
/* claims.c - checks, when a store is opened, what its tracks and tables claim as theirs.  Each lane
 * and block of cells is of one of them; of a hostile store many could claim the same ones, and to
 * go through all would take a time that grows with the square of its size. */
#include "internal.h"

#include <stdio.h>

static bool
wrong (char *why, size_t size, const char *what, uint32_t i, const char *of)
{
  snprintf (why, size,
            "index: %s %u claims %s that are not there, or of another: the store is damaged", what,
            i, of);
  return false;
}

/* Those that a damaged page holds are refused where somebody asks for them. */
static bool
check_tracks (struct nprof_store *s, char *why, size_t size)
{
  uint64_t lanes = s->n[NPROF_STORE_S_LANES], claimed = 0;
  for (uint32_t i = 0; i < s->n[NPROF_STORE_S_TRACKS]; i++) {
    const struct nprof_store_track *t = nprof_store_track_at (s, i);
    claimed += t ? t->n_lanes : 0;
    if (t && (claimed > lanes || t->lane > lanes - t->n_lanes))
      return wrong (why, size, "track", i, "lanes");
  }
  return true;
}

static bool
check_tables (struct nprof_store *s, char *why, size_t size)
{
  uint64_t columns = s->n[NPROF_STORE_S_TABLE_COLUMNS], blocks = s->n[NPROF_STORE_S_TABLE_BLOCKS],
           left = blocks;
  for (uint32_t i = 0; i < s->n[NPROF_STORE_S_TABLES]; i++) {
    const struct nprof_store_table *t = nprof_store_table_at (s, i);
    if (!t)
      continue;
    if (t->n_columns > columns || t->columns > columns - t->n_columns)
      return wrong (why, size, "table", i, "columns");
    uint64_t own = t->rows / NPROF_STORE_ROWS + (t->rows % NPROF_STORE_ROWS != 0);
    if ((t->rows && !t->n_columns) || own > left || t->blocks > blocks - own)
      return wrong (why, size, "table", i, "rows");
    left -= own;
  }
  return true;
}

bool
np_store_claims (struct nprof_store *s, char *why, size_t size)
{
  return check_tracks (s, why, size) && check_tables (s, why, size);
}
