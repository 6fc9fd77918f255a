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
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_i64 (j, "t0", t0);
  np_json_i64 (j, "t1", t1);
  np_json_object (j, "totals");
  np_json_device_totals (ask, tables);
  np_json_end_object (j);
  np_json_end_object (j);
  return TRUE;
}
