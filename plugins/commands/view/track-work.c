/* SPDX-License-Identifier: Apache-2.0 */
/* track-work.c - finds rows of tables devices, logical_cores and engines by what they name:
 * input, device, and of engines the label and kind of the track. */

#include "track-work.h"
#include "stored/cells.h"

#include <nprof/plugin.h>
#include <producers/device-label.h>
#include <string.h>

struct NpTrackWork {
  NpCells devices, logical, engines;
  GHashTable *device, *core, *engine; /* of key: 1 + row of the table, or TWICE */
};

#define TWICE G_MAXUINT32

/* Returns what rows of a table are found by; an absent column is "". */
static char *
key_of_row (const NpCells *cells, guint64 row, const char *const *columns)
{
  GString *key = g_string_new (NULL);
  for (; *columns; columns++) {
    g_autofree char *text = np_cells_text (cells, row, *columns);
    g_string_append_printf (key, "%s\n", text ? text : "");
  }
  return g_string_free (key, FALSE);
}

static GHashTable *
find_rows (const NpCells *cells, const char *const *columns)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint64 i = 0; i < cells->rows; i++) {
    char *key = key_of_row (cells, i, columns);
    gboolean twice = g_hash_table_contains (rows, key);
    g_hash_table_replace (rows, key, GUINT_TO_POINTER (twice ? TWICE : (guint) i + 1));
  }
  return rows;
}

NpTrackWork *
np_track_work_new (NpAsk *ask)
{
  static const char *const device[] = { "input", "device", NULL }, *const engine[]
                                                                   = { "input", "device", "engine",
                                                                       "kind", NULL };
  NpTrackWork *w = g_new0 (NpTrackWork, 1);
  np_ask_cells (ask, &w->devices, "devices");
  np_ask_cells (ask, &w->logical, "logical_cores");
  np_ask_cells (ask, &w->engines, "engines");
  w->device = find_rows (&w->devices, device);
  w->core = find_rows (&w->logical, device);
  w->engine = find_rows (&w->engines, engine);
  return w;
}

void
np_track_work_free (NpTrackWork *w)
{
  if (!w)
    return;
  np_cells_clear (&w->devices);
  np_cells_clear (&w->logical);
  np_cells_clear (&w->engines);
  g_hash_table_unref (w->device);
  g_hash_table_unref (w->core);
  g_hash_table_unref (w->engine);
  g_free (w);
}

/* Returns the key of the device or core that holds the track, as table devices names it. NULL: none
 * holds it. */
static char *
device_of (NpAsk *ask, const struct nprof_store_track *t)
{
  const struct nprof_store_input *in = nprof_store_input_at (ask->store, t->input);
  const struct nprof_store_track *core
      = np_track_within (ask, t, NPROF_TRACK_CORE, NPROF_TRACK_CORE),
      *device = np_track_within (ask, t, NPROF_TRACK_DEVICE, NPROF_TRACK_DEVICE);
  if (!core && !device)
    return NULL;
  g_autofree char *label = device_label (device ? np_track_title (ask, device) : NULL,
                                         core ? np_track_title (ask, core) : NULL);
  return g_strdup_printf ("%s\n%s\n", in ? np_ask_string (ask, in->label) : "", label);
}

static gboolean
row_of (GHashTable *rows, const char *key, guint64 *row)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (rows, key));
  *row = found - 1u;
  return found && found != TWICE;
}

/* Reads how long a device, or the cores of a logical core together, worked. */
static gboolean
work_of (const NpCells *cells, guint64 row, gint64 *busy, gint64 *span, double *share)
{
  gboolean known = np_cells_i64 (cells, row, "span_ns", span) && *span > 0
                   && np_cells_i64 (cells, row, "busy_ns", busy);
  *share = known ? (double) *busy / (double) *span : 0;
  return known;
}

static gboolean
find_work (const NpTrackWork *w, const struct nprof_store_track *t, const char *device,
           const char *engine, gint64 *busy, gint64 *span, double *share)
{
  guint64 own, row;
  if (t->kind == NPROF_TRACK_DEVICE && row_of (w->core, device, &row))
    return work_of (&w->logical, row, busy, span, share);
  if (!row_of (w->device, device, &own) || !np_cells_i64 (&w->devices, own, "span_ns", span)
      || *span <= 0)
    return FALSE;
  if (t->kind == NPROF_TRACK_DEVICE || t->kind == NPROF_TRACK_CORE)
    return work_of (&w->devices, own, busy, span, share);
  return row_of (w->engine, engine, &row) && np_cells_i64 (&w->engines, row, "busy_ns", busy)
         && np_cells_double (&w->engines, row, "share", share);
}

void
np_json_track_work (NpAsk *ask, const NpTrackWork *w, const struct nprof_store_track *t)
{
  NpJson *j = &ask->json;
  g_autofree char *device = device_of (ask, t),
                  *engine = g_strdup_printf ("%s%s\n%s\n", device ? device : "",
                                             np_track_title (ask, t), np_track_kind (t->kind));
  gint64 busy, span;
  double share;
  if (!device || !find_work (w, t, device, engine, &busy, &span, &share)) {
    np_json_null (j, "work");
    return;
  }
  np_json_object (j, "work");
  np_json_i64 (j, "busy", busy);
  np_json_i64 (j, "span", span);
  np_json_double (j, "share", share);
  np_json_end_object (j);
}
