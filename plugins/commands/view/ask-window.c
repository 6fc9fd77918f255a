/* SPDX-License-Identifier: Apache-2.0 */
/* ask-window.c - route window: what devices did in a part of a profile, as nprof report --clip says
 * it. */

#include "device-totals.h"
#include "window-rows.h"

gboolean
np_ask_window (NpAsk *ask)
{
  gint64 t0, t1;
  if (!np_ask_range (ask, &t0, &t1))
    return FALSE;
  const NpTableStore *tables = np_window_tables (ask);
  if (!tables)
    return ask->reply->status == 202;
  g_auto (NpCells) devices = { 0 }, logical = { 0 }, mfu = { 0 }, dma = { 0 };
  NpJson *j = &ask->json;
  np_cells_lend (&devices, tables, "devices");
  np_cells_lend (&logical, tables, "logical_cores");
  np_cells_lend (&mfu, tables, "mfu");
  np_cells_lend (&dma, tables, "dma");
  np_json_object (j, NULL);
  np_json_i64 (j, "t0", t0);
  np_json_i64 (j, "t1", t1);
  np_json_object (j, "totals");
  np_json_device_totals (ask, &devices, &logical, &mfu, &dma, TRUE);
  np_json_end_object (j);
  np_json_end_object (j);
  return TRUE;
}
