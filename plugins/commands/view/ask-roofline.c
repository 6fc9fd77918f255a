/* SPDX-License-Identifier: Apache-2.0 */
/* ask-roofline.c - answers route roofline: what devices could do, and what operators, layers and
 * steps did, from table mfu, and the picture of both. */

#include "ask.h"
#include "picture/roofline.h"
#include "stored/use.h"
#include "window-rows.h"

#include <math.h>
#include <string.h>

typedef struct {
  GPtrArray *names;       /* what points and roofs point to            */
  GArray *points, *roofs; /* of NpRooflinePoint, of NpRooflineRoof     */
} Picture;

static void
clear_picture (Picture *p)
{
  g_ptr_array_unref (p->names);
  g_array_unref (p->points);
  g_array_unref (p->roofs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, clear_picture)

/* Returns the text of a cell, "": it has none; the picture has it. */
static const char *
text_of (const Picture *p, const NpCells *mfu, guint64 row, const char *column)
{
  char *text = np_cells_text (mfu, row, column);
  g_ptr_array_add (p->names, text ? text : g_strdup (""));
  return g_ptr_array_index (p->names, p->names->len - 1);
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
put_roof (NpAsk *ask, const NpCells *mfu, guint64 row, const Picture *p)
{
  const char *peak_source = text_of (p, mfu, row, "peak_source");
  NpRooflineRoof roof = { .name = text_of (p, mfu, row, "device") };
  NpJson *j = &ask->json;
  gboolean rated = np_cells_double (mfu, row, "peak_flops", &roof.flops),
           timed = np_cells_double (mfu, row, "peak_bandwidth", &roof.bandwidth);
  np_json_object (j, NULL);
  np_json_text (j, "name", roof.name);
  if (rated)
    np_json_metric (j, "flops", roof.flops, "flop/s", peak_source);
  else
    np_json_unknown (j, "flops", "flop/s",
                     "the device is not in share/devices, and no option says its peak");
  if (timed)
    np_json_metric (j, "bandwidth", roof.bandwidth, "byte/s", bandwidth_source (peak_source));
  else
    np_json_unknown (j, "bandwidth", "byte/s", "no bandwidth of the device's memory is known");
  np_json_end_object (j);
  if (rated && timed)
    g_array_append_val (p->roofs, roof);
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
is_of (const NpCells *mfu, guint64 row, const char *device)
{
  return !device || np_cells_is (mfu, row, "device", device);
}

static gboolean
is_shown (const NpCells *mfu, guint64 row, guint level, const char *device)
{
  return is_of_level (mfu, row, level) && is_of (mfu, row, device);
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
put_point (NpAsk *ask, const NpCells *mfu, guint64 row, guint level, const Picture *p)
{
  char *name = name_of (mfu, row, level);
  NpRooflinePoint point = { name ? name : "", text_of (p, mfu, row, "device"), "", NAN, NAN, NAN };
  NpJson *j = &ask->json;
  gint64 flops, time;
  g_ptr_array_add (p->names, name);
  if (!np_cells_i64 (mfu, row, "time_ns", &time) || time <= 0)
    return;
  point.time = (double) time;
  if (!np_cells_double (mfu, row, "intensity", &point.intensity))
    point.intensity = NAN;
  if (np_cells_i64 (mfu, row, "flops", &flops))
    point.rate = (double) flops / (point.time / 1e12);
  g_array_append_val (p->points, point);
  guint32 label = label_of (ask, point.name);
  const struct nprof_store_label *l
      = label == G_MAXUINT32 ? NULL : nprof_store_label_at (ask->store, label);
  np_json_object (j, NULL);
  np_json_text (j, "name", point.name);
  np_json_text (j, "device", point.device);
  np_json_double_or_null (j, "intensity", point.intensity);
  np_json_double_or_null (j, "flops", point.rate);
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

static void
put_picture (NpAsk *ask, const Picture *p)
{
  gboolean any = FALSE;
  g_autoptr (GString) svg = g_string_new (NULL);
  for (guint i = 0; i < p->points->len; i++)
    any |= np_roofline_has_place (&g_array_index (p->points, NpRooflinePoint, i));
  if (!any)
    return;
  np_roofline_put (svg, "Roofline", p->points, p->roofs);
  np_json_text (&ask->json, "picture", svg->str);
}

gboolean
np_ask_roofline (NpAsk *ask)
{
  const char *device = np_request_param (ask->request, "device");
  g_auto (NpCells) mfu = { 0 };
  g_auto (Picture) picture = { g_ptr_array_new_with_free_func (g_free),
                               g_array_new (FALSE, FALSE, sizeof (NpRooflinePoint)),
                               g_array_new (FALSE, FALSE, sizeof (NpRooflineRoof)) };
  NpJson *j = &ask->json;
  guint level;
  gboolean any = FALSE;
  const char *why;
  gint64 t0, t1;
  if (!np_ask_word (ask, "level", "operator|layer|step", &level) || !np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (np_ask_cells (ask, &mfu, "mfu") && !np_window_rows (ask, &mfu, &why))
    return ask->reply->status == 202;
  np_json_object (j, NULL);
  np_json_window (ask);
  np_json_array (j, "roofs");
  for (guint64 i = 0; i < mfu.rows; i++)
    if (np_use_is_total (&mfu, i, "(total)") && is_of (&mfu, i, device))
      put_roof (ask, &mfu, i, &picture);
  np_json_end_array (j);
  for (guint64 i = 0; i < mfu.rows && !any; i++)
    any = is_shown (&mfu, i, level, device) && has_place (&mfu, i);
  np_json_array (j, "points");
  for (guint64 i = 0; i < mfu.rows && any; i++)
    if (is_shown (&mfu, i, level, device))
      put_point (ask, &mfu, i, level, &picture);
  np_json_end_array (j);
  put_picture (ask, &picture);
  if (!any)
    np_json_text (j, "unknown", missing (ask, &mfu));
  np_json_end_object (j);
  return TRUE;
}
