/* SPDX-License-Identifier: Apache-2.0 */
/* use.c - reads MFU by shapes, and says why MFU, HFU or MBU is unknown: the work, or the rate that
 * it is held against. */

#include "stored/use.h"

#include <string.h>

typedef struct { /* what rows (total) of table mfu know */
  gboolean any, flops, by_shapes, bytes, peak, mfu, mbu;
} Known;

static void
look (Known *k, const NpCells *mfu, guint64 row)
{
  gint64 whole;
  double rate;
  g_autofree char *source = np_cells_text (mfu, row, "flops_source");
  gboolean shapes = source && strstr (source, "shapes") != NULL;
  gboolean flops = np_cells_i64 (mfu, row, "flops", &whole);
  k->any = TRUE;
  k->by_shapes |= flops && shapes;
  k->flops |= flops && !shapes;
  k->bytes |= np_cells_i64 (mfu, row, "bytes", &whole);
  k->peak |= np_cells_double (mfu, row, "peak_flops", &rate);
  k->mfu |= np_cells_double (mfu, row, "mfu", &rate);
  k->mbu |= np_cells_double (mfu, row, "mbu", &rate);
}

gboolean
np_use_is_total (const NpCells *mfu, guint64 row, const char *of)
{
  gint64 step;
  return np_cells_is (mfu, row, "operator", of) && !np_cells_i64 (mfu, row, "step", &step);
}

static Known
known_of (struct nprof_store *store, struct nprof_query *query)
{
  g_auto (NpCells) mfu = { 0 };
  Known k = { 0 };
  np_cells_open (&mfu, store, query, "mfu");
  for (guint64 i = 0; i < mfu.rows; i++)
    if (np_use_is_total (&mfu, i, "(total)"))
      look (&k, &mfu, i);
  return k;
}

/* By shapes the work is looked at within steps, where there are some. */
static const char *
total_of (const NpCells *mfu)
{
  for (guint64 i = 0; i < mfu->rows; i++)
    if (np_use_is_total (mfu, i, "(steps)"))
      return "(steps)";
  return "(total)";
}

gboolean
np_use_by_shapes (const NpCells *mfu, double *value, gboolean *least)
{
  double sum = 0, times = 0, share;
  gint64 time;
  const char *of = total_of (mfu);
  *least = FALSE;
  for (guint64 i = 0; i < mfu->rows; i++) {
    if (!np_use_is_total (mfu, i, of) || !np_cells_double (mfu, i, "mfu", &share)
        || !np_cells_i64 (mfu, i, "time_ns", &time))
      continue;
    g_autofree char *source = np_cells_text (mfu, i, "flops_source");
    *least |= source && strstr (source, "at least") != NULL;
    sum += share * (double) time;
    times += (double) time;
  }
  *value = times > 0 ? sum / times : 0;
  return times > 0;
}

const char *
np_use_source (gboolean least)
{
  return least ? "at least; by shapes, of table mfu, weighted by time"
               : "by shapes, of table mfu, weighted by time";
}

char *
np_use_reason (struct nprof_store *store, struct nprof_query *query, const char *share)
{
  Known k = known_of (store, query);
  gboolean of_memory = !strcmp (share, "mbu");
  if (!k.any)
    return g_strdup ("table mfu, which knows the work of devices, has no row of this profile");
  if (!strcmp (share, "mfu") && k.flops && k.peak && !k.mfu)
    return g_strdup ("which flops are transposes is not in the file: the vendor's JSON has it");
  if (of_memory ? k.mbu : k.flops && k.peak)
    return NULL;
  if (of_memory)
    return g_strdup (k.bytes ? "the bandwidth of its devices is not known"
                             : "the file states no bytes of its operators");
  if (k.flops)
    return g_strdup ("the peak of its devices is not known: -a device:peak_flops=N -a "
                     "mfu:peak_flops=N states it");
  return g_strdup (k.by_shapes ? "the file states no flops of its operators; table mfu counts "
                                 "those that follow from their shapes"
                               : "the file states no flops of its operators");
}
