/* SPDX-License-Identifier: Apache-2.0 */
/* use.c - says why MFU, HFU or MBU is unknown: the work, or the rate that it is held against. */

#include "view/use.h"
#include "view/cells.h"

#include <string.h>

typedef struct { /* what rows (total) of table mfu know */
  gboolean any, flops, by_shapes, bytes, peak, mbu;
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
  k->mbu |= np_cells_double (mfu, row, "mbu", &rate);
}

static Known
known_of (struct nprof_store *store, struct nprof_query *query)
{
  g_auto (NpCells) mfu = { 0 };
  Known k = { 0 };
  gint64 step;
  np_cells_open (&mfu, store, query, "mfu");
  for (guint64 i = 0; i < mfu.rows; i++) {
    g_autofree char *operator= np_cells_text (&mfu, i, "operator");
    if (!g_strcmp0 (operator, "(total)") && !np_cells_i64 (&mfu, i, "step", &step))
      look (&k, &mfu, i);
  }
  return k;
}

char *
np_use_reason (struct nprof_store *store, struct nprof_query *query, const char *share)
{
  Known k = known_of (store, query);
  gboolean of_memory = !strcmp (share, "mbu");
  if (!k.any)
    return g_strdup ("table mfu, which knows the work of devices, has no row of this profile");
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
