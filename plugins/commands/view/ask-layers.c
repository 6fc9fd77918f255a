/* SPDX-License-Identifier: Apache-2.0 */
/* ask-layers.c - answers routes layers, layers/v, layers/over and layers/run: the lanes of layers.h
 * as tracks and pictures, in the forms that meta, v and over have for those of the profile. */

#include "layers.h"
#include "picture.h"
#include "stored/cells.h"

#include <string.h>

#define MOST_HITS 1000 /* rows of a run that are named */

/* -- Pictures ---------------------------------------------------------------------------- */

static bool
draw_lane (NpAsk *ask, gconstpointer layers, guint32 number, gint64 t0, gint64 pixel,
           struct nprof_rects *rects)
{
  const NpLayerLane *lane = g_ptr_array_index (((const NpLayers *) layers)->lanes, number);
  return nprof_store_viewport_of (ask->query,
                                  (const struct nprof_store_piece *) (gpointer) lane->pieces->data,
                                  lane->pieces->len, t0, NP_PICTURE_PIXELS, pixel, rects);
}

static gboolean
draw (NpAsk *ask, const NpLayers *layers, const GArray *lanes, gint64 t0, gint64 pixel)
{
  struct nprof_rects rects = { 0 };
  NpPicture picture;
  np_picture_init (&picture);
  gboolean good = np_picture_draw (ask, &picture, lanes, draw_lane, layers, t0, pixel, &rects);
  np_picture_clear (&picture);
  nprof_rects_clear (&rects);
  return good;
}

gboolean
np_ask_layers_tile (NpAsk *ask)
{
  gint64 t0, p;
  const NpLayers *layers = np_ask_tile_place (ask, &t0, &p) ? np_layers (ask) : NULL;
  g_autoptr (GArray) lanes
      = layers ? np_ask_lanes (ask, layers->lanes->len, NP_PICTURE_LANES, TRUE) : NULL;
  return lanes && draw (ask, layers, lanes, t0, p);
}

gboolean
np_ask_layers_over (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  const NpLayers *layers = np_layers (ask);
  g_autoptr (GArray) lanes
      = layers ? np_ask_lanes (ask, layers->lanes->len, MAX (layers->lanes->len, 1), FALSE) : NULL;
  return lanes && draw (ask, layers, lanes, meta->over_t0, meta->over_p);
}

/* -- Lanes ------------------------------------------------------------------------------- */

/* Tracks that are no others: levels have numbers behind those of the profile. */
typedef struct {
  NpAsk *ask;
  const NpLayers *layers;
  guint32 first; /* number of the first level */
} Listing;

static const NpLayerLane *
lane_at (const Listing *l, guint i)
{
  return g_ptr_array_index (l->layers->lanes, i);
}

static gboolean
is_same_level (const Listing *l, guint a, guint b)
{
  return lane_at (l, a)->device == lane_at (l, b)->device
         && lane_at (l, a)->level == lane_at (l, b)->level;
}

/* Puts the members of a track that say what it holds. */
static void
put_content (NpJson *j, guint64 rows, guint from, guint n)
{
  g_autofree char *lanes = n ? g_strdup_printf ("%u-%u", from, from + n - 1) : g_strdup ("");
  np_json_text (j, "origin", "layers");
  np_json_number (j, "rows", rows);
  np_json_text (j, "lanes", lanes);
}

static void
put_times (NpJson *j, gint64 start, gint64 end, gint64 busy)
{
  np_json_i64 (j, "start", start);
  np_json_i64 (j, "end", end);
  np_json_i64 (j, "busy", busy);
  np_json_null (j, "counter");
  np_json_i64 (j, "lost", 0);
}

static void
put_name (NpJson *j, guint32 number, guint32 parent, const char *kind, const char *label,
          guint sort, guint input)
{
  g_autofree char *hash = g_strdup_printf ("l%07x", number);
  np_json_number (j, "track", number);
  np_json_text (j, "hash", hash);
  np_json_number (j, "parent", parent);
  np_json_text (j, "kind", kind);
  np_json_text (j, "key", label);
  np_json_text (j, "label", label);
  np_json_i64 (j, "sort", sort);
  np_json_number (j, "input", input);
}

/* Returns what people call a device: a core with its device. */
static char *
device_name (NpAsk *ask, const struct nprof_store_track *t)
{
  const struct nprof_store_track *above
      = t->kind == NPROF_TRACK_CORE ? np_track_parent (ask, t) : NULL;
  const char *own = np_track_title (ask, t);
  gboolean named = above && above->kind == NPROF_TRACK_DEVICE;
  return named ? g_strdup_printf ("%s/%s", np_track_title (ask, above), own) : g_strdup (own);
}

/* Puts the track of the device whose lanes begin there. */
static void
put_device (const Listing *l, guint from)
{
  const struct nprof_store_track *t
      = nprof_store_track_at (l->ask->store, lane_at (l, from)->device);
  const struct nprof_store_meta *meta = l->ask->profile->meta;
  g_autofree char *name = device_name (l->ask, t);
  NpJson *j = &l->ask->json;
  np_json_object (j, NULL);
  put_name (j, t->number, 0, "device", name, lane_at (l, from)->device, t->input);
  put_content (j, 0, 0, 0);
  put_times (j, meta->first, meta->last, 0);
  np_json_end_object (j);
}

/* Puts the track of a level, which has n lanes from there on. */
static void
put_level (const Listing *l, guint from, guint n, guint number)
{
  const NpLayerLane *lane = lane_at (l, from);
  const struct nprof_store_track *t = nprof_store_track_at (l->ask->store, lane->device);
  g_autofree char *label
      = lane->level ? g_strdup_printf ("level %u", lane->level) : g_strdup ("operators");
  gint64 start = G_MAXINT64, end = G_MININT64, busy = 0;
  guint64 rows = 0;
  NpJson *j = &l->ask->json;
  for (guint i = from; i < from + n; i++)
    for (guint k = 0; k < lane_at (l, i)->runs->len; k++) {
      const NpRun *run = &g_array_index (lane_at (l, i)->runs, NpRun, k);
      start = MIN (start, run->start);
      end = MAX (end, run->end);
      busy += run->busy;
      rows++;
    }
  np_json_object (j, NULL);
  put_name (j, number, t->number, "layer", label, lane->level ? lane->level : G_MAXUINT16,
            t->input);
  put_content (j, rows, from, n);
  put_times (j, start, end, busy);
  np_json_end_object (j);
}

/* Puts the tracks, and into `of_lane` the number of the track of each lane. */
static void
put_tracks (const Listing *l, GArray *of_lane)
{
  NpJson *j = &l->ask->json;
  guint32 number = l->first;
  np_json_array (j, "tracks");
  for (guint i = 0, n; i < l->layers->lanes->len; i += n, number++) {
    if (!i || lane_at (l, i)->device != lane_at (l, i - 1)->device)
      put_device (l, i);
    for (n = 0; i + n < l->layers->lanes->len && is_same_level (l, i, i + n); n++)
      g_array_append_val (of_lane, number);
    put_level (l, i, n, number);
  }
  np_json_end_array (j);
}

/* Puts lanes as meta?lanes=columns does. */
static void
put_lanes (const Listing *l, const GArray *of_lane)
{
  static const char *const names[] = { "track", "type", "depth", "label", "rows" };
  NpJson *j = &l->ask->json;
  np_json_object (j, "lanes");
  for (guint c = 0; c < G_N_ELEMENTS (names); c++) {
    np_json_array (j, names[c]);
    for (guint i = 0; i < of_lane->len; i++)
      if (c == 1)
        np_json_text (j, NULL, "span");
      else if (c == 3)
        np_json_null (j, NULL);
      else
        np_json_number (j, NULL,
                        c == 0   ? g_array_index (of_lane, guint32, i)
                        : c == 2 ? lane_at (l, i)->depth
                                 : lane_at (l, i)->runs->len);
    np_json_end_array (j);
  }
  np_json_end_object (j);
}

/* Returns the last part of a path. */
static const char *
last_part (const char *path)
{
  const char *slash = strrchr (path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

/* Puts names of labels as route names does. */
static void
put_labels (NpJson *j, const NpLayers *layers)
{
  np_json_array (j, "names");
  for (guint i = 0; i < layers->labels->len; i++) {
    const NpLayerLabel *label = &g_array_index (layers->labels, NpLayerLabel, i);
    np_json_array (j, NULL);
    np_json_text (j, NULL, label->path);
    np_json_text (j, NULL, np_run_kind_text (label->kind));
    np_json_text (j, NULL, last_part (label->path));
    np_json_text (j, NULL, label->kind == NP_RUN_OPERATOR ? NULL : label->path);
    np_json_text (j, NULL, label->path);
    np_json_null (j, NULL);
    np_json_null (j, NULL);
    np_json_null (j, NULL);
    np_json_bool (j, NULL, FALSE);
    np_json_end_array (j);
  }
  np_json_end_array (j);
}

static guint32
first_free_track (NpAsk *ask)
{
  const struct nprof_store_track *t;
  guint32 number = 0;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    number = MAX (number, t->number + 1);
  return number;
}

gboolean
np_ask_layers (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  const NpLayers *layers = np_layers (ask);
  g_autoptr (GArray) of_lane = g_array_new (FALSE, FALSE, 4);
  NpJson *j = &ask->json;
  guint64 runs = 0;
  if (!layers)
    return FALSE;
  Listing listing = { ask, layers, first_free_track (ask) };
  for (guint i = 0; i < layers->lanes->len; i++)
    runs += lane_at (&listing, i)->runs->len;
  np_json_object (j, NULL);
  np_json_i64 (j, "start", meta->first > meta->last ? 0 : meta->first);
  np_json_i64 (j, "end", meta->first > meta->last ? 0 : meta->last);
  np_json_number (j, "rows", runs);
  np_json_number (j, "n_labels", layers->labels->len);
  put_tracks (&listing, of_lane);
  put_lanes (&listing, of_lane);
  put_labels (j, layers);
  if (layers->unknown)
    np_json_text (j, "unknown", layers->unknown);
  np_json_end_object (j);
  return TRUE;
}

/* -- One run ----------------------------------------------------------------------------- */

static const char *
why_no_mfu (NpRunKind kind)
{
  static const char *const reasons[]
      = { [NP_RUN_LAYER] = "table layers states none of this layer",
          [NP_RUN_MODULE] = "the file states no flops of modules",
          [NP_RUN_OPERATOR] = "table operators has that of operators" };
  return reasons[kind];
}

/* Puts member `mfu`: that of table layers, of all runs of the layer. */
static void
put_mfu (NpAsk *ask, const NpLayerLabel *label, guint32 input)
{
  g_auto (NpCells) cells = { 0 };
  const struct nprof_store_input *in = nprof_store_input_at (ask->store, input);
  const char *own = in ? np_ask_string (ask, in->label) : "";
  double mfu;
  np_ask_cells (ask, &cells, "layers");
  for (guint64 i = 0; label->kind == NP_RUN_LAYER && i < cells.rows; i++) {
    if (np_cells_is (&cells, i, "layer", label->path) && np_cells_is (&cells, i, "input", own)
        && np_cells_double (&cells, i, "mfu", &mfu)) {
      np_json_metric (&ask->json, "mfu", mfu, "1", "table layers, all runs of the layer");
      return;
    }
  }
  np_json_unknown (&ask->json, "mfu", "1", why_no_mfu (label->kind));
}

static gboolean
find_run (NpAsk *ask, const NpLayers *layers, const NpLayerLane **lane, const NpRun **run)
{
  const char *text = np_request_param (ask->request, "row");
  guint32 number, row;
  if (!text)
    return np_ask_missing (ask, "row");
  if (!np_parse_row (text, &number, &row))
    return np_ask_wrong (ask, "row", "LANE.ROW");
  *lane = number < layers->lanes->len ? g_ptr_array_index (layers->lanes, number) : NULL;
  if (!*lane || row >= (*lane)->runs->len)
    return np_reply_fail (ask->reply, 404, "", "there is no row %u.%u among the layers", number,
                          row);
  *run = &g_array_index ((*lane)->runs, NpRun, row);
  return TRUE;
}

/* Puts member `hits`: the rows of the run. */
static gboolean
put_hits (NpAsk *ask, const NpLayers *layers, const NpLayerLane *lane, const NpRun *run)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (struct nprof_row));
  struct nprof_event e;
  guint64 total;
  gboolean good = np_layers_rows (ask, layers, lane, run, MOST_HITS, rows, &total);
  np_json_number (&ask->json, "total", total);
  np_json_array (&ask->json, "hits");
  for (guint i = 0; good && i < rows->len; i++) {
    if (!(good = nprof_store_event (ask->query, g_array_index (rows, struct nprof_row, i), &e)))
      break;
    np_json_object (&ask->json, NULL);
    np_json_hit (ask, &e);
    np_json_end_object (&ask->json);
  }
  np_json_end_array (&ask->json);
  return good;
}

gboolean
np_ask_layers_run (NpAsk *ask)
{
  const NpLayers *layers = np_layers (ask);
  const NpLayerLane *lane = NULL;
  const NpRun *run = NULL;
  NpJson *j = &ask->json;
  if (!layers || !find_run (ask, layers, &lane, &run))
    return FALSE;
  const NpLayerLabel *label = &g_array_index (layers->labels, NpLayerLabel, run->label);
  const struct nprof_store_track *t = nprof_store_track_at (ask->store, lane->device);
  np_json_object (j, NULL);
  np_json_text (j, "row", np_request_param (ask->request, "row"));
  np_json_number (j, "device", t->number);
  np_json_number (j, "level", lane->level);
  np_json_text (j, "kind", np_run_kind_text (label->kind));
  np_json_text (j, "name", last_part (label->path));
  np_json_text (j, "path", label->path);
  np_json_i64 (j, "start", run->start);
  np_json_i64 (j, "end", run->end);
  np_json_i64 (j, "duration", run->end - run->start);
  np_json_i64 (j, "busy", run->busy);
  np_json_number (j, "rows", run->rows);
  put_mfu (ask, label, t->input);
  gboolean good = put_hits (ask, layers, lane, run);
  np_json_end_object (j);
  return good;
}
