/* SPDX-License-Identifier: Apache-2.0 */
/* ask-answers.c - answers route critical: what the analyzer found, where the store holds it. */

#include "ask.h"
#include "stored/cells.h"

#include <string.h>

/* -- critical ---------------------------------------------------------------------------- */

/* Finds the row of a track with this label that begins then; FALSE: none. */
static gboolean
find_row (NpAsk *ask, const char *track, const char *name, gint64 start, struct nprof_row *row)
{
  const struct nprof_store_track *t;
  struct nprof_event e;
  bool found;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++) {
    if (strcmp (np_track_title (ask, t), track))
      continue;
    for (guint32 lane = t->lane; lane - t->lane < t->n_lanes; lane++) {
      const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
      *row = (struct nprof_row){ lane, 0 };
      if (l && l->type == NPROF_STORE_LANE_SPAN
          && nprof_store_before (ask->query, lane, start, &row->row, &found) && found
          && nprof_store_event (ask->query, *row, &e) && e.start + e.duration >= start
          && !strcmp (np_label_name (ask, e.label), name))
        return TRUE;
    }
  }
  return FALSE;
}

typedef struct {
  const char *step;
  gint64 t0, t1;
} Window;

static gboolean
is_asked (const Window *w, const char *step, gint64 start, gint64 duration)
{
  if (w->step)
    return step && !strcmp (step, w->step);
  return start <= w->t1 && start + duration >= w->t0;
}

static gint64
inside (const Window *w, gint64 start, gint64 duration)
{
  gint64 from = w->step ? start : MAX (start, w->t0),
         to = w->step ? start + duration : MIN (start + duration, w->t1);
  return to > from ? to - from : 0;
}

static void
put_segment (NpAsk *ask, const NpCells *path, guint64 i, gint64 start, gint64 duration,
             const char *kind)
{
  g_autofree char *track = np_cells_text (path, i, "track"),
                  *name = np_cells_text (path, i, "name");
  struct nprof_row row;
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  if (track && name && find_row (ask, track, name, start, &row))
    np_json_row (j, "row", row.lane, row.row);
  else
    np_json_null (j, "row");
  np_json_i64 (j, "start", start);
  np_json_i64 (j, "end", start + duration);
  np_json_text (j, "kind", kind);
  np_json_end_object (j);
}

static gint64
put_segments (NpAsk *ask, const NpCells *path, const Window *w, GHashTable *totals)
{
  gint64 start, duration, length = 0;
  np_json_array (&ask->json, "segments");
  for (guint64 i = 0; i < path->rows; i++) {
    g_autofree char *step = np_cells_text (path, i, "step"),
                    *kind = np_cells_text (path, i, "class");
    if (!kind || !np_cells_i64 (path, i, "start_ns", &start)
        || !np_cells_i64 (path, i, "duration_ns", &duration)
        || !is_asked (w, step, start, duration))
      continue;
    put_segment (ask, path, i, start, duration, kind);
    gint64 *total = g_hash_table_lookup (totals, kind);
    if (!total)
      g_hash_table_insert (totals, g_strdup (kind), total = g_new0 (gint64, 1));
    *total += inside (w, start, duration);
    length += inside (w, start, duration);
  }
  np_json_end_array (&ask->json);
  return length;
}

static void
put_totals (NpJson *j, GHashTable *totals)
{
  g_autoptr (GList) kinds = g_list_sort (g_hash_table_get_keys (totals), (GCompareFunc) strcmp);
  np_json_object (j, "totals");
  for (GList *kind = kinds; kind; kind = kind->next)
    np_json_i64 (j, kind->data, *(gint64 *) g_hash_table_lookup (totals, kind->data));
  np_json_end_object (j);
}

gboolean
np_ask_critical (NpAsk *ask)
{
  g_auto (NpCells) path = { 0 };
  g_autoptr (GHashTable) totals = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  Window w = { .step = np_request_param (ask->request, "step") };
  if (!np_ask_range (ask, &w.t0, &w.t1))
    return FALSE;
  gboolean there = np_ask_cells (ask, &path, "critical_path");
  np_json_object (&ask->json, NULL);
  gint64 length = put_segments (ask, &path, &w, totals);
  put_totals (&ask->json, totals);
  np_json_i64 (&ask->json, "length", length);
  if (!there)
    np_json_text (&ask->json, "unknown",
                  "needs the analyzer critical: read the profile again with -a critical");
  else if (!path.rows)
    np_json_text (&ask->json, "unknown", "needs launches that the file links to work of a device");
  np_json_end_object (&ask->json);
  return TRUE;
}
