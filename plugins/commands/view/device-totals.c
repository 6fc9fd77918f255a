/* SPDX-License-Identifier: Apache-2.0 */
/* device-totals.c - sums tables devices, mfu and dma over devices, as stored of a whole profile or as
 * reported of a part. */

#include "device-totals.h"
#include "stored/logical-cores.h"
#include "stored/use.h"

#include <string.h>

typedef struct {
  NpAsk *ask;
  NpCells devices, logical, mfu, dma;
  gboolean of_part;
} Totals;

/* Returns of which table a figure is, and how it was made of its rows; transfer full. NULL: there
 * is no such table. */
static char *
source_of (const Totals *t, const char *column, const NpCells *cells, const char *how)
{
  const char *table = cells->table ? cells->table->schema->name : NULL;
  if (!table)
    return NULL;
  return t->of_part ? g_strdup_printf ("table %s of the window, %s", table, how)
                    : g_strdup_printf ("%s of table %s, %s", column, table, how);
}

/* Puts times summed, of cores that are one logical core together; they are unknown where one
 * device's is. */
static void
put_time (const Totals *t, const char *key, const char *column)
{
  NpJson *j = &t->ask->json;
  gint64 sum = 0, value;
  gboolean known = t->devices.rows > 0;
  const gboolean of_logical = np_cells_column (&t->logical, column) >= 0;
  for (guint64 i = 0; i < t->logical.rows && known && of_logical; i++) {
    known = np_cells_i64 (&t->logical, i, column, &value);
    sum += value;
  }
  for (guint64 i = 0; i < t->devices.rows && known; i++) {
    if (of_logical && np_logical_row (&t->logical, &t->devices, i) >= 0)
      continue;
    known = np_cells_i64 (&t->devices, i, column, &value);
    sum += value;
  }
  g_autofree char *source = source_of (t, column, &t->devices, "all devices together");
  if (known)
    np_json_metric_time (j, key, sum, source);
  else
    np_json_unknown (j, key, "ps",
                     t->devices.rows ? "the file does not tell it of each of its devices"
                     : t->of_part    ? "no work of a device is in the window"
                                     : "no work of a device is in the profile");
}

/* Puts a share of the peak, weighted by the span of each device that has it. */
static void
put_share (const Totals *t, const char *key)
{
  NpJson *j = &t->ask->json;
  double sum = 0, spans = 0, value;
  gint64 span;
  gboolean least;
  for (guint64 i = 0; i < t->devices.rows; i++)
    if (np_cells_i64 (&t->devices, i, "span_ns", &span)
        && np_cells_double (&t->devices, i, key, &value)) {
      sum += value * (double) span;
      spans += (double) span;
    }
  g_autofree char *source
      = source_of (t, key, &t->devices, t->of_part ? "weighted by span_ps" : "weighted by span_ns");
  if (spans > 0) {
    np_json_metric (j, key, sum / spans, "1", source);
    return;
  }
  if (!strcmp (key, "mfu") && np_use_by_shapes (&t->mfu, &value, &least)) {
    np_json_metric (j, key, value, "1", np_use_source (least));
    return;
  }
  g_autofree char *why = np_use_reason (t->ask->store, t->ask->query, key);
  np_json_unknown (j, key, "1",
                   why          ? why
                   : t->of_part ? "no operator in the window states its work"
                                : "table devices does not tell it");
}

/* Returns whether each queue of each device states the bytes of all its transfers. */
static gboolean
transferred (const NpCells *dma, gint64 *sum)
{
  gint64 value;
  *sum = 0;
  for (guint64 i = 0; i < dma->rows; i++)
    if (!np_cells_i64 (dma, i, "bytes", &value) || __builtin_add_overflow (*sum, value, sum))
      return FALSE;
  return dma->rows > 0;
}

/* Puts the total over all steps of all devices, of table mfu; bytes that no operator states are
 * those of transfers. */
static void
put_work (const Totals *t, const char *key, const char *unit)
{
  gint64 sum = 0, value;
  gboolean any = FALSE;
  for (guint64 i = 0; i < t->mfu.rows; i++) {
    if (!np_use_is_total (&t->mfu, i, "(total)") || !np_cells_i64 (&t->mfu, i, key, &value))
      continue;
    any = TRUE;
    sum += value;
  }
  const gboolean moved = !any && !strcmp (key, "bytes") && transferred (&t->dma, &sum);
  g_autofree char *source = moved
                                ? source_of (t, key, &t->dma, "of transfers: operators state none")
                                : source_of (t, key, &t->mfu, "all devices together");
  if (any || moved)
    np_json_metric (&t->ask->json, key, (double) sum, unit, source);
  else
    np_json_unknown (&t->ask->json, key, unit, "the file states none for its operators");
}

static const struct {
  const char *member, *column;
} times[] = { { "busy", "busy_ns" },       { "idle", "idle_ns" },
              { "compute", "compute_ns" }, { "communication", "communication_ns" },
              { "memory", "copy_ns" },     { "exposed", "exposed_ns" },
              { "overlap", "overlap_ns" }, { "lost", "lost_ns" } };

static const char *const shares[] = { "mfu", "hfu", "mbu" };

void
np_json_together (NpJson *j, guint64 count, const char *what)
{
  np_json_object (j, "together");
  np_json_number (j, "count", count);
  np_json_text (j, "what", what);
  np_json_end_object (j);
}

/* Opens a table of the window, else of the whole profile. */
static void
open_of (NpCells *cells, NpAsk *ask, const NpTableStore *window, const char *name)
{
  if (window)
    np_cells_lend (cells, window, name);
  else
    np_ask_cells (ask, cells, name);
}

void
np_json_device_totals (NpAsk *ask, const NpTableStore *window)
{
  Totals t = { .ask = ask, .of_part = window != NULL };
  open_of (&t.devices, ask, window, "devices");
  open_of (&t.logical, ask, window, "logical_cores");
  open_of (&t.mfu, ask, window, "mfu");
  open_of (&t.dma, ask, window, "dma");
  guint64 n = t.logical.rows;
  for (guint64 i = 0; i < t.devices.rows; i++)
    n += np_logical_row (&t.logical, &t.devices, i) < 0;
  np_json_together (&ask->json, n, "device");
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    put_time (&t, times[i].member, times[i].column);
  put_work (&t, "flops", "flop");
  put_work (&t, "bytes", "byte");
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++)
    put_share (&t, shares[i]);
  np_cells_clear (&t.devices);
  np_cells_clear (&t.logical);
  np_cells_clear (&t.mfu);
  np_cells_clear (&t.dma);
}

void
np_json_device_unknown (NpAsk *ask, const char *why)
{
  NpJson *j = &ask->json;
  for (guint i = 2; i < G_N_ELEMENTS (times); i++)
    np_json_unknown (j, times[i].member, "ps", why);
  np_json_unknown (j, "flops", "flop", why);
  np_json_unknown (j, "bytes", "byte", why);
  for (guint i = 0; i < G_N_ELEMENTS (shares); i++) {
    g_autofree char *of_whole = np_use_reason (ask->store, ask->query, shares[i]);
    np_json_unknown (j, shares[i], "1", of_whole ? of_whole : why);
  }
}
