/* SPDX-License-Identifier: Apache-2.0 */
/* ask-roofline.c - answers route roofline: what devices could do, and what operators, layers and
 * steps did, from table mfu. */

#include "ask.h"
#include "stored/cells.h"
#include "window-rows.h"

#include <math.h>
#include <string.h>

static gboolean
is_total (const NpCells *mfu, guint64 row)
{
  g_autofree char *operator= np_cells_text (mfu, row, "operator");
  gint64 step;
  return operator&& !strcmp (operator, "(total)") && !np_cells_i64 (mfu, row, "step", &step);
}

/* Returns where the bandwidth comes from: peak_source has it behind that of the flops. */
static const char *
bandwidth_source (const char *peak_source)
{
  static const char before[] = "bandwidth: ";
  const char *found = peak_source ? strstr (peak_source, before) : NULL;
  return found ? found + strlen (before) : "";
}

static void
put_roof (NpAsk *ask, const NpCells *mfu, guint64 row)
{
  g_autofree char *device = np_cells_text (mfu, row, "device"),
                  *peak_source = np_cells_text (mfu, row, "peak_source");
  NpJson *j = &ask->json;
  double peak, bandwidth;
  np_json_object (j, NULL);
  np_json_text (j, "name", device ? device : "");
  if (np_cells_double (mfu, row, "peak_flops", &peak))
    np_json_metric (j, "flops", peak, "flop/s", peak_source ? peak_source : "");
  else
    np_json_unknown (j, "flops", "flop/s",
                     "the device is not in share/devices, and no option says its peak");
  if (np_cells_double (mfu, row, "peak_bandwidth", &bandwidth))
    np_json_metric (j, "bandwidth", bandwidth, "byte/s", bandwidth_source (peak_source));
  else
    np_json_unknown (j, "bandwidth", "byte/s", "no bandwidth of the device's memory is known");
  np_json_end_object (j);
}

/* Returns whether the row is of an operator of all steps, of a layer, or of a step as a whole. */
static gboolean
is_of_level (const NpCells *mfu, guint64 row, guint level)
{
  g_autofree char *operator= np_cells_text (mfu, row, "operator"),
                  *layer = np_cells_text (mfu, row, "layer");
  gboolean named = operator&& * operator&& * operator!= '(', layered = layer && *layer;
  gint64 step;
  gboolean stepped = np_cells_i64 (mfu, row, "step", &step);
  return level == 0   ? named && !stepped
         : level == 1 ? layered && !named && !stepped
                      : stepped && !named && !layered;
}

/* device: NULL, all of them */
static gboolean
is_shown (const NpCells *mfu, guint64 row, guint level, const char *device)
{
  g_autofree char *own = np_cells_text (mfu, row, "device");
  return is_of_level (mfu, row, level) && (!device || !g_strcmp0 (own, device));
}

static char *
name_of (const NpCells *mfu, guint64 row, guint level)
{
  gint64 step = 0;
  if (level < 2)
    return np_cells_text (mfu, row, level ? "layer" : "operator");
  np_cells_i64 (mfu, row, "step", &step);
  return g_strdup_printf ("step %" G_GINT64_FORMAT, step);
}

/* Returns the first label of this name; G_MAXUINT32: none. */
static guint32
label_of (NpAsk *ask, const char *name)
{
  const struct nprof_store_label *l;
  for (guint32 i = 0; (l = nprof_store_label_at (ask->store, i)); i++)
    if (!strcmp (np_ask_string (ask, l->name), name))
      return i;
  return G_MAXUINT32;
}

/* Returns whether the row has a place below the roof: both its flops and its intensity are
 * known. */
static gboolean
has_place (const NpCells *mfu, guint64 row)
{
  double intensity;
  gint64 flops, time;
  return np_cells_double (mfu, row, "intensity", &intensity)
         && np_cells_i64 (mfu, row, "flops", &flops) && np_cells_i64 (mfu, row, "time_ns", &time)
         && time > 0;
}

/* Says why the row has none; NULL: it has one.  Flops of 0 that the file states are known. */
static const char *
no_place (const NpCells *mfu, guint64 row)
{
  gint64 value;
  if (has_place (mfu, row))
    return NULL;
  if (!np_cells_i64 (mfu, row, "flops", &value))
    return "the file states no flops of it, and no shapes tell them";
  return np_cells_i64 (mfu, row, "bytes", &value)
             ? "it moves no bytes, or its model flops are unknown"
             : "the file states no bytes of it";
}

static void
put_point (NpAsk *ask, const NpCells *mfu, guint64 row, guint level)
{
  g_autofree char *name = name_of (mfu, row, level), *device = np_cells_text (mfu, row, "device");
  NpJson *j = &ask->json;
  double intensity;
  gint64 flops, time;
  if (!np_cells_i64 (mfu, row, "time_ns", &time) || time <= 0)
    return;
  gboolean crosses = np_cells_double (mfu, row, "intensity", &intensity),
           works = np_cells_i64 (mfu, row, "flops", &flops);
  guint32 label = label_of (ask, name ? name : "");
  const struct nprof_store_label *l
      = label == G_MAXUINT32 ? NULL : nprof_store_label_at (ask->store, label);
  np_json_object (j, NULL);
  np_json_text (j, "name", name ? name : "");
  np_json_text (j, "device", device ? device : "");
  np_json_double_or_null (j, "intensity", crosses ? intensity : NAN);
  np_json_double_or_null (j, "flops", works ? (double) flops / ((double) time / 1e12) : NAN);
  np_json_text (j, "reason", no_place (mfu, row));
  np_json_i64 (j, "time", time);
  np_json_number (j, "rows", l ? l->count : 0);
  if (l)
    np_json_number (j, "label", label);
  else
    np_json_null (j, "label");
  np_json_end_object (j);
}

static gboolean
is_known (const NpCells *mfu, const char *column)
{
  gint64 value;
  for (guint64 i = 0; i < mfu->rows; i++)
    if (np_cells_i64 (mfu, i, column, &value))
      return TRUE;
  return FALSE;
}

/* Says why there is no point: what is missing of flops and bytes, or that no operator has both. */
static const char *
missing (NpAsk *ask, const NpCells *mfu)
{
  if (np_asks_for_window (ask) && !mfu->rows)
    return "no work that states flops or bytes is in this part of the run";
  gboolean flops = is_known (mfu, "flops"), bytes = is_known (mfu, "bytes");
  if (flops && bytes)
    return "needs flops and bytes of one operator, layer or step: the file has only one of both";
  if (flops)
    return "needs bytes of operators, which the profile does not state";
  return bytes ? "needs flops of operators, which the profile does not state"
               : "needs flops and bytes of operators, which the profile does not state";
}

gboolean
np_ask_roofline (NpAsk *ask)
{
  const char *device = np_request_param (ask->request, "device");
  g_auto (NpCells) mfu = { 0 };
  NpJson *j = &ask->json;
  guint level;
  gboolean any = FALSE;
  const char *why;
  gint64 t0, t1;
  if (!np_ask_word (ask, "level", "operator|layer|step", &level) || !np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (np_cells_open (&mfu, ask->store, ask->query, "mfu") && !np_window_rows (ask, &mfu, &why))
    return ask->reply->status == 202;
  np_json_object (j, NULL);
  np_json_window (ask);
  np_json_array (j, "roofs");
  for (guint64 i = 0; i < mfu.rows; i++) {
    g_autofree char *own = np_cells_text (&mfu, i, "device");
    if (is_total (&mfu, i) && (!device || !g_strcmp0 (own, device)))
      put_roof (ask, &mfu, i);
  }
  np_json_end_array (j);
  for (guint64 i = 0; i < mfu.rows && !any; i++)
    any = is_shown (&mfu, i, level, device) && has_place (&mfu, i);
  np_json_array (j, "points");
  for (guint64 i = 0; i < mfu.rows && any; i++)
    if (is_shown (&mfu, i, level, device))
      put_point (ask, &mfu, i, level);
  np_json_end_array (j);
  if (!any)
    np_json_text (j, "unknown", missing (ask, &mfu));
  np_json_end_object (j);
  return TRUE;
}
