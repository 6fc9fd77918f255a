/* SPDX-License-Identifier: Apache-2.0 */
/* ask-meta.c - answers routes meta and names: tracks, lanes and labels of a profile. */

#include "label-class.h"
#include "rect-colours.h"
#include "track-work.h"

#include <nprof/plugin.h>
#include <string.h>

#define ROWS_JOINED 10000

const char *
np_track_kind (guint32 kind)
{
  static const char *const names[]
      = { [NPROF_TRACK_INPUT] = "input",     [NPROF_TRACK_HOST] = "host",
          [NPROF_TRACK_PROCESS] = "process", [NPROF_TRACK_THREAD] = "thread",
          [NPROF_TRACK_DEVICE] = "device",   [NPROF_TRACK_CORE] = "core",
          [NPROF_TRACK_ENGINE] = "engine",   [NPROF_TRACK_QUEUE] = "queue",
          [NPROF_TRACK_ASYNC] = "async",     [NPROF_TRACK_COUNTER] = "counter",
          [NPROF_TRACK_DERIVED] = "derived" };
  return kind < G_N_ELEMENTS (names) ? names[kind] : "thread";
}

/* Hashes by FNV-1a over the keys from the root, each with its NUL: the same when the file is read
 * again.  The root of the input counts by its number, because its key is the name of the file. */
static guint32
hash_of (NpAsk *ask, const struct nprof_store_track *t, guint depth)
{
  if (depth > NP_TRACK_DEPTH)
    return 2166136261u;
  const struct nprof_store_track *parent = np_track_parent (ask, t);
  guint32 hash = parent ? hash_of (ask, parent, depth + 1) : 2166136261u ^ t->input;
  const char *key = parent ? np_ask_string (ask, t->key) : "";
  for (const char *c = key;; c++) {
    hash = (hash ^ (guint8) *c) * 16777619u;
    if (!*c)
      return hash;
  }
}

/* Returns what the values of a counter of analyzer device are of each bin, as
 * nprof-analyzer-device(7) says; NULL: they are what a file states. */
static const char *
value_of_bin (NpAsk *ask, const struct nprof_store_track *t)
{
  const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, t->lane);
  const char *origin = l && l->origin ? nprof_store_origin (ask->store, l->origin) : "";
  gsize name = strcspn (origin, ":");
  if (name != strlen ("device") || strncmp (origin, "device", name))
    return NULL;
  return strcmp (np_track_title (ask, t), "Device Memory") ? "mean" : "max";
}

/* What a counter does in the whole run, by its picture. */
typedef struct {
  gboolean any;
  float low, high;
  guint64 at_low, at_high, all; /* times in which it stays within a 32nd of its range of either */
} Drawn;

static float
value_at (const guint32 *bits, guint32 i)
{
  float value;
  memcpy (&value, &bits[i], sizeof value);
  return value;
}

static void
take_values (Drawn *d, const struct nprof_rects *r)
{
  for (guint32 i = 0; i < r->n; i++) {
    const float a = value_at (r->low, i), b = value_at (r->high, i);
    d->low = d->any && d->low <= a ? d->low : a;
    d->high = d->any && d->high >= b ? d->high : b;
    d->any = TRUE;
  }
}

static void
take_times (Drawn *d, const struct nprof_rects *r)
{
  const float near = (d->high - d->low) / 32;
  for (guint32 i = 0; i < r->n; i++) {
    const guint32 time = r->x1[i] - r->x0[i];
    d->at_low += value_at (r->high, i) <= d->low + near ? time : 0;
    d->at_high += value_at (r->low, i) >= d->high - near ? time : 0;
    d->all += time;
  }
}

/* Runs `take` for each picture of a counter of the track. */
static void
each_counter (NpAsk *ask, const struct nprof_store_track *t, Drawn *d,
              void (*take) (Drawn *d, const struct nprof_rects *r))
{
  for (guint32 lane = t->lane; lane - t->lane < t->n_lanes; lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
    struct nprof_rects rects = { 0 };
    if (l && l->type == NPROF_STORE_LANE_COUNTER && nprof_store_over (ask->query, lane, &rects))
      take (d, &rects);
  }
}

static void
put_counter (NpAsk *ask, const struct nprof_store_track *t)
{
  Drawn d = { 0 };
  each_counter (ask, t, &d, take_values);
  if (!d.any) {
    np_json_null (&ask->json, "counter");
    return;
  }
  each_counter (ask, t, &d, take_times);
  np_json_object (&ask->json, "counter");
  np_json_double (&ask->json, "min", d.low);
  np_json_double (&ask->json, "max", d.high);
  np_json_double (&ask->json, "flat",
                  d.all ? (double) MAX (d.at_low, d.at_high) / (double) d.all : 1);
  np_json_text (&ask->json, "bins", value_of_bin (ask, t));
  np_json_end_object (&ask->json);
}

/* Returns the ps of gaps, where rows are missing. */
static gint64
lost_of (NpAsk *ask, const struct nprof_store_track *t)
{
  gint64 lost = 0;
  for (guint32 lane = t->lane; lane - t->lane < t->n_lanes; lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
    lost += l && l->type == NPROF_STORE_LANE_GAP ? l->busy : 0;
  }
  return lost;
}

static void
put_lanes_of (NpJson *j, const struct nprof_store_track *t)
{
  g_autofree char *lanes = !t->n_lanes ? g_strdup ("")
                           : t->n_lanes == 1
                               ? g_strdup_printf ("%u", t->lane)
                               : g_strdup_printf ("%u-%u", t->lane, t->lane + t->n_lanes - 1);
  np_json_text (j, "lanes", lanes);
}

/* Rows that are looked at one by one to join those that overlap: none where the pyramid tells. */
static guint64
rows_to_join (NpAsk *ask, const struct nprof_store_track *t)
{
  guint64 rows = 0;
  guint lanes = 0;
  for (guint32 lane = t->lane; lane - t->lane < t->n_lanes; lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (ask->store, lane);
    if (!l || l->type != NPROF_STORE_LANE_SPAN || l->nesting & NPROF_STORE_STRICT)
      continue;
    rows += l->rows;
    lanes++;
  }
  return lanes > 1 ? rows : 0;
}

/* The first picture waits for this answer, so only so many rows are joined for it. */
static void
put_busy (NpAsk *ask, guint32 index, const struct nprof_store_track *t, guint64 *budget)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  guint64 rows = rows_to_join (ask, t);
  gint64 busy = 0;
  if (rows > *budget) {
    np_json_null (&ask->json, "busy");
    return;
  }
  *budget -= rows;
  if (meta->first <= meta->last)
    nprof_store_track_busy (ask->query, index, meta->first, meta->last, &busy);
  np_json_i64 (&ask->json, "busy", busy);
}

static void
put_track (NpAsk *ask, guint32 index, const struct nprof_store_track *t, const NpTrackWork *work,
           NpKins *kins, guint64 *budget)
{
  NpJson *j = &ask->json;
  const struct nprof_store_lane *first
      = t->n_lanes ? nprof_store_lane_at (ask->store, t->lane) : NULL;
  const char *origin = first ? nprof_store_origin (ask->store, first->origin) : "";
  g_autofree char *hash = g_strdup_printf ("%08x", hash_of (ask, t, 0));
  np_json_object (j, NULL);
  np_json_number (j, "track", t->number);
  np_json_text (j, "hash", hash);
  np_json_number (j, "parent", t->parent);
  np_json_text (j, "kind", np_track_kind (t->kind));
  np_json_text (j, "key", np_ask_string (ask, t->key));
  np_json_text (j, "label", np_track_title (ask, t));
  np_json_i64 (j, "sort", t->sort);
  np_json_number (j, "input", t->input);
  np_json_text (j, "origin", *origin ? origin : "decoder");
  np_json_number (j, "rows", t->rows);
  put_lanes_of (j, t);
  np_json_i64 (j, "start", t->rows ? t->first : 0);
  np_json_i64 (j, "end", t->rows ? t->last : 0);
  put_busy (ask, index, t, budget);
  np_json_track_work (ask, work, t);
  np_json_bool (j, "works", np_track_works (kins, index));
  put_counter (ask, t);
  np_json_i64 (j, "lost", lost_of (ask, t));
  np_json_end_object (j);
}

static const char *
type_name (const struct nprof_store_lane *l)
{
  static const char *const types[]
      = { "span", "unclosed", "instant", "counter", "flow", "gap", "fact" };
  return l->type < G_N_ELEMENTS (types) ? types[l->type] : "span";
}

static void
put_label (NpJson *j, const char *key, const struct nprof_store_lane *l)
{
  if (l->type == NPROF_STORE_LANE_COUNTER)
    np_json_number (j, key, l->label);
  else
    np_json_null (j, key);
}

static void
put_lane (NpAsk *ask, guint32 number, const struct nprof_store_lane *l)
{
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_number (j, "lane", number);
  np_json_number (j, "track", l->track);
  np_json_text (j, "type", type_name (l));
  np_json_number (j, "depth", l->depth);
  put_label (j, "label", l);
  np_json_number (j, "rows", l->rows);
  np_json_i64 (j, "start", l->first);
  np_json_i64 (j, "end", l->last);
  np_json_end_object (j);
}

static void
put_lanes (NpAsk *ask)
{
  const struct nprof_store_lane *l;
  np_json_array (&ask->json, "lanes");
  for (guint32 i = 0; (l = nprof_store_lane_at (ask->store, i)); i++)
    put_lane (ask, i, l);
  np_json_end_array (&ask->json);
}

enum { TRACK, TYPE, DEPTH, LABEL, ROWS, N_COLUMNS };

static void
put_cell (NpJson *j, guint column, const struct nprof_store_lane *l)
{
  if (column == TYPE)
    np_json_text (j, NULL, type_name (l));
  else if (column == LABEL)
    put_label (j, NULL, l);
  else
    np_json_number (j, NULL, column == TRACK ? l->track : column == DEPTH ? l->depth : l->rows);
}

/* Puts lanes as a page draws them: lane i is value i of each column.  Thousands of objects take a
 * browser longer to read than all else that it needs for its first picture. */
static void
put_columns (NpAsk *ask)
{
  static const char *const names[N_COLUMNS] = { "track", "type", "depth", "label", "rows" };
  const struct nprof_store_lane *l;
  np_json_object (&ask->json, "lanes");
  for (guint column = 0; column < N_COLUMNS; column++) {
    np_json_array (&ask->json, names[column]);
    for (guint32 i = 0; (l = nprof_store_lane_at (ask->store, i)); i++)
      put_cell (&ask->json, column, l);
    np_json_end_array (&ask->json);
  }
  np_json_end_object (&ask->json);
}

gboolean
np_ask_meta (NpAsk *ask)
{
  const struct nprof_store_meta *meta = ask->profile->meta;
  const struct nprof_store_track *t;
  gboolean timed = meta->first <= meta->last;
  guint64 budget = ROWS_JOINED;
  guint columns;
  NpJson *j = &ask->json;
  if (!np_ask_word (ask, "lanes", "rows|columns", &columns))
    return FALSE;
  g_autoptr (NpTrackWork) work = np_track_work_new (ask);
  g_autoptr (NpKins) kins = np_kins_new (ask);
  np_json_object (j, NULL);
  np_json_i64 (j, "start", timed ? meta->first : 0);
  np_json_i64 (j, "end", timed ? meta->last : 0);
  np_json_number (j, "rows", meta->rows);
  np_json_number (j, "n_lanes", nprof_store_n (ask->store, NPROF_STORE_S_LANES));
  np_json_number (j, "n_labels", nprof_store_n (ask->store, NPROF_STORE_S_LABELS));
  np_json_array (j, "tracks");
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    put_track (ask, i, t, work, kins, &budget);
  np_json_end_array (j);
  if (columns)
    put_columns (ask);
  else
    put_lanes (ask);
  np_json_end_object (j);
  return TRUE;
}

/* -- names ---------------------------------------------------------------------- */

static void
put_stated (NpJson *j, const char *text)
{
  if (text)
    np_json_text (j, NULL, text);
  else
    np_json_null (j, NULL);
}

static void
put_name (NpAsk *ask, NpKins *kins, guint32 label)
{
  NpJson *j = &ask->json;
  const char *name = np_label_name (ask, label);
  np_json_array (j, NULL);
  np_json_text (j, NULL, name);
  np_json_text (j, NULL, np_label_category (ask, label));
  np_json_text (j, NULL, np_profile_short_name (ask->profile, name));
  for (NpStated what = 0; what <= NP_STATED_UNIT; what++)
    put_stated (j, np_label_stated (ask, label, what));
  put_stated (j, np_label_class (ask, kins, label));
  np_json_bool (j, NULL, np_label_is_likely (ask, label));
  np_json_end_array (j);
}

/* Puts what rows of one name may differ in, so that pictures are to be asked for with colours of
 * rows. */
static void
put_mixed (NpAsk *ask)
{
  static const char *const words[] = { [NP_STATED_LAYER] = "layer",
                                       [NP_STATED_OPERATOR] = "operator",
                                       [NP_STATED_SOURCE] = "source" };
  /* A row without a layer has that of its operator's path, and an instruction of Neuron states its
   * operator as its layer. */
  const gboolean path = np_stated_differ (ask, NP_STATED_LAYER)
                        || np_stated_differ (ask, NP_STATED_OPERATOR);
  const gboolean differ[] = { path, path, np_stated_differ (ask, NP_STATED_SOURCE) };
  np_json_array (&ask->json, "mixed");
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (differ[i])
      np_json_text (&ask->json, NULL, words[i]);
  np_json_end_array (&ask->json);
}

/* Puts which values that rows state are not in the colours of their hashes. */
static void
put_moved_colours (NpAsk *ask)
{
  static const char *const words[] = {
    [NP_COLOUR_LAYER] = "layer", [NP_COLOUR_OPERATOR] = "operator", [NP_COLOUR_SOURCE] = "source"
  };
  NpJson *j = &ask->json;
  np_json_object (j, "colours");
  for (NpColouring by = NP_COLOUR_LAYER; by <= NP_COLOUR_SOURCE; by++) {
    g_autoptr (GHashTable) moved = np_moved_colours (ask, by);
    g_autoptr (GList) texts = moved ? g_hash_table_get_keys (moved) : NULL;
    if (!moved)
      continue;
    texts = g_list_sort (texts, (GCompareFunc) strcmp);
    np_json_object (j, words[by]);
    for (const GList *at = texts; at; at = at->next)
      np_json_number (j, at->data, GPOINTER_TO_UINT (g_hash_table_lookup (moved, at->data)) - 1);
    np_json_end_object (j);
  }
  np_json_end_object (j);
}

/* Puts the names that the first answer of route over draws, and which labels these are. */
static gboolean
answer_names_of_over (NpAsk *ask)
{
  g_autoptr (GArray) labels = np_over_labels (ask);
  g_autoptr (NpKins) kins = np_kins_new (ask);
  NpJson *j = &ask->json;
  if (!labels)
    return FALSE;
  np_json_object (j, NULL);
  np_json_number (j, "total", nprof_store_n (ask->store, NPROF_STORE_S_LABELS));
  put_mixed (ask);
  put_moved_colours (ask);
  np_json_array (j, "labels");
  for (guint i = 0; i < labels->len; i++)
    np_json_number (j, NULL, g_array_index (labels, guint32, i));
  np_json_end_array (j);
  np_json_array (j, "names");
  for (guint i = 0; i < labels->len; i++)
    put_name (ask, kins, g_array_index (labels, guint32, i));
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}

gboolean
np_ask_names (NpAsk *ask)
{
  guint32 from, n, total = (guint32) nprof_store_n (ask->store, NPROF_STORE_S_LABELS);
  guint over;
  if (!np_ask_word (ask, "of", "all|over", &over))
    return FALSE;
  if (over)
    return answer_names_of_over (ask);
  if (!np_ask_u32 (ask, "from", 0, G_MAXUINT32, &from) || !np_ask_u32 (ask, "n", 65536, 65536, &n))
    return FALSE;
  NpJson *j = &ask->json;
  g_autoptr (NpKins) kins = np_kins_new (ask);
  np_json_object (j, NULL);
  np_json_number (j, "from", from);
  np_json_number (j, "total", total);
  np_json_array (j, "names");
  for (guint32 i = from; i < total && i - from < n; i++)
    put_name (ask, kins, i);
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}
