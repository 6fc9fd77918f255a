/* SPDX-License-Identifier: Apache-2.0 */
/* mfu.c - the utilisation of ranks, as the analyzer mfu tells it in its table. */
#include "ranks.h"

#include <math.h>
#include <string.h>

static gint64
key_of (nprof_str input, nprof_str device)
{
  return (gint64) ((guint64) input << 32 | device);
}

static double
double_of (const struct nprof_cell *cell)
{
  return cell->type == NPROF_DOUBLE ? cell->v.f : NAN;
}

static nprof_str
string_of (const struct nprof_cell *cell)
{
  return cell->type == NPROF_STRING ? cell->v.s : 0;
}

static void
take_row (Ranks *r, const struct nprof_table *table, const struct nprof_cell *cells)
{
#define CELL(name) nprof_find_cell (table, cells, name)
  if (strcmp (nprof_text (r->host, string_of (CELL ("operator"))), "(total)") != 0
      || CELL ("step")->type != NPROF_NULL)
    return;
  const struct nprof_cell *time = CELL ("time_ns");
  gint64 key = key_of (string_of (CELL ("input")), string_of (CELL ("device")));
  double peak = double_of (CELL ("peak_flops"));
  Use use = { .mfu = double_of (CELL ("mfu")),
              .could = time->type == NPROF_INT64 ? peak * (double) time->v.i / 1e12 : NAN,
              .unknown = CELL ("flops")->type == NPROF_NULL ? NO_FLOPS : NO_PEAK };
  if (g_hash_table_contains (r->uses, &key))
    use = (Use){ .mfu = NAN, .could = NAN, .unknown = ONE_NAME };
  g_hash_table_insert (r->uses, g_memdup2 (&key, sizeof key), g_memdup2 (&use, sizeof use));
#undef CELL
}

void
rk_mfu_table (Ranks *r, const struct nprof_table *table, const struct nprof_cell *cells,
              guint n_rows)
{
  if (strcmp (table->name, "mfu") != 0)
    return;
  if (!r->uses)
    r->uses = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  guint n_columns = nprof_count_columns (table);
  for (guint i = 0; i < n_rows; i++)
    take_row (r, table, cells + (gsize) i * n_columns);
}

Use
rk_use_of (const Ranks *r, const Rank *rank)
{
  static const Use none = { .mfu = NAN, .could = NAN, .unknown = NO_WORK };
  gint64 key = key_of (rank->input, rank->device);
  const Use *use = r->uses ? g_hash_table_lookup (r->uses, &key) : NULL;
  return use ? *use : none;
}
