/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - finds the lanes of layers.h in the rows of a profile, once. */

#include "layers.h"
#include "quantile.h"

#include "stored/cells.h"

#include <nprof/keys.h>
#include <string.h>
#include <system/layer-path.h>

/* Rows are sorted in memory, 40 bytes each. */
#define MOST_ROWS 20000000
#define LEVELS 16 /* of a path; what lies deeper belongs to the last */
#define NONE G_MAXUINT32

typedef struct {
  gint64 start, end, self;
  guint32 path, op; /* index of paths; label of the operator; each may be NONE */
} Row;

typedef struct {
  guint32 label[LEVELS];
  guint n;
} Path;

typedef struct {
  NpAsk *ask;
  NpLayers *layers;
  GHashTable *labels;      /* path, behind the number of its kind -> 1 + label */
  GHashTable *by_layer;    /* text of an attribute -> 1 + index of paths */
  GHashTable *by_operator; /* the same of paths of operators */
  GArray *by_module;       /* the same of modules, by their number; 0: not looked at yet */
  GArray *paths;           /* of Path */
  GArray *rows;            /* of Row, of one device */
  GArray *steps;           /* of gint64: when those of the device began */
  gboolean full;           /* there are too many rows */
} Finder;

/* -- What rows state --------------------------------------------------------------------- */

static guint32
label_of (Finder *f, NpRunKind kind, const char *path, gsize len)
{
  g_autofree char *key = g_strdup_printf ("%d%.*s", kind, (int) len, path);
  gpointer found = g_hash_table_lookup (f->labels, key);
  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  NpLayerLabel label = { g_strndup (path, len), kind };
  g_array_append_val (f->layers->labels, label);
  g_hash_table_insert (f->labels, g_steal_pointer (&key),
                       GUINT_TO_POINTER (f->layers->labels->len));
  return f->layers->labels->len - 1;
}

/* Returns the index of the path that a layer is, made when it is new; NONE: it has no part. */
static guint32
path_of_layer (Finder *f, const char *layer)
{
  const char *end = layer + strlen (layer);
  Path path = { .n = 0 };
  if (!*layer)
    return NONE;
  for (const char *at = an_path_component_end (layer, end);;
       at = an_path_component_end (at + 1, end)) {
    if (path.n < LEVELS - 1 || at == end)
      path.label[path.n++] = label_of (f, NP_RUN_LAYER, layer, (gsize) (at - layer));
    if (at == end)
      break;
  }
  g_array_append_val (f->paths, path);
  return f->paths->len - 1;
}

static guint32
known_path (Finder *f, GHashTable *known, const char *text, gboolean is_operator)
{
  gpointer found = g_hash_table_lookup (known, text);
  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  g_autofree char *layer = is_operator ? an_layer_of_path (text) : g_strdup (text);
  guint32 path = layer ? path_of_layer (f, layer) : NONE;
  g_hash_table_insert (known, (gpointer) text, GUINT_TO_POINTER (path + 1));
  return path;
}

/* Returns the index of the path of a module, made when it is new: the label of the module behind
 * those around it. */
static guint32
path_of_module (Finder *f, guint32 module)
{
  guint32 outer;
  const char *text = np_module_path (f->layers->launched, module, &outer);
  if (module >= f->by_module->len)
    g_array_set_size (f->by_module, module + 1);
  guint32 known = g_array_index (f->by_module, guint32, module);
  if (known)
    return known - 1;
  Path path = { .n = 0 };
  if (outer != NP_NO_MODULE) {
    guint32 around = path_of_module (f, outer); /* which may move the paths */
    path = g_array_index (f->paths, Path, around);
  }
  path.n = MIN (path.n + 1, LEVELS);
  path.label[path.n - 1] = label_of (f, NP_RUN_MODULE, text, strlen (text));
  g_array_append_val (f->paths, path);
  g_array_index (f->by_module, guint32, module) = f->paths->len;
  return f->paths->len - 1;
}

/* Returns the path of the modules around the launch of a row; NONE: there are none. */
static guint32
path_of_launch (Finder *f, const struct nprof_event *e)
{
  guint32 module = np_launched_module (f->layers->launched, f->ask, e);
  return module == NP_NO_MODULE ? NONE : path_of_module (f, module);
}

/* Takes a row of which is known where it belongs: to its layer, else to that of the path of its
 * operator, else to the modules around its launch. */
static void
take_row (gpointer user, const struct nprof_event *e)
{
  Finder *f = user;
  const char *layer = np_event_text (f->ask, e, NPROF_KEY_LAYER),
             *op = np_event_text (f->ask, e, NPROF_KEY_FRAMEWORK_OP);
  Row row = { .start = e->start, .path = NONE, .op = NONE };
  if (e->duration < 0)
    return;
  if (layer && *layer)
    row.path = known_path (f, f->by_layer, layer, FALSE);
  else if (op)
    row.path = known_path (f, f->by_operator, op, TRUE);
  else
    row.path = path_of_launch (f, e);
  if (op && *op)
    row.op = label_of (f, NP_RUN_OPERATOR, op, strlen (op));
  if (row.path == NONE && row.op == NONE)
    return;
  row.end = e->start + e->duration;
  row.self = e->duration - e->child;
  f->full |= f->rows->len >= MOST_ROWS;
  if (!f->full)
    g_array_append_val (f->rows, row);
}

/* -- Rows of a device ---------------------------------------------------------------------- */

/* Has a track work of the device?  What a decoder derived from rows is the same time once more. */
static gboolean
holds_work (NpAsk *ask, const struct nprof_store_track *t, guint32 device)
{
  return t->kind != NPROF_TRACK_DERIVED && t->kind != NPROF_TRACK_ASYNC
         && np_track_is_below (ask, t, device);
}

static gboolean
take_device (Finder *f, const struct nprof_store_track *device)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (f->ask->store, i)); i++)
    for (guint32 k = 0; holds_work (f->ask, t, device->number) && k < t->n_lanes; k++)
      if (!np_ask_each_span (f->ask, t->lane + k, take_row, f))
        return FALSE;
  return TRUE;
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end); /* the outer one first */
}

/* Finds when steps of the device began, which table steps names as table devices does. */
static void
find_steps (Finder *f, const struct nprof_store_track *device)
{
  g_auto (NpCells) steps = { 0 };
  const struct nprof_store_track *above = np_track_parent (f->ask, device);
  const char *label = np_track_title (f->ask, device);
  g_autofree char *both
      = g_strdup_printf ("%s/%s", above ? np_track_title (f->ask, above) : "", label);
  gint64 start;
  g_array_set_size (f->steps, 0);
  np_ask_cells (f->ask, &steps, "steps");
  for (guint64 i = 0; i < steps.rows; i++) {
    g_autofree char *own = np_cells_text (&steps, i, "device");
    if (own && (!strcmp (own, label) || !strcmp (own, both))
        && np_cells_i64 (&steps, i, "start_ns", &start))
      g_array_append_val (f->steps, start);
  }
  g_array_sort (f->steps, np_compare_i64);
}

/* -- Runs ------------------------------------------------------------------------------------ */

static void
lane_free (gpointer data)
{
  NpLayerLane *lane = data;
  g_array_unref (lane->runs);
  g_array_unref (lane->pieces);
  g_free (lane);
}

/* Returns the lane of the level in which nothing lies at that time any more, the first there is. */
static NpLayerLane *
free_lane (GPtrArray *lanes, guint32 device, guint level, gint64 start)
{
  for (guint i = 0; i < lanes->len; i++) {
    NpLayerLane *lane = g_ptr_array_index (lanes, i);
    if (g_array_index (lane->runs, NpRun, lane->runs->len - 1).end <= start)
      return lane;
  }
  NpLayerLane *lane = g_new0 (NpLayerLane, 1);
  lane->device = device;
  lane->level = level;
  lane->depth = lanes->len;
  lane->runs = g_array_new (FALSE, FALSE, sizeof (NpRun));
  lane->pieces = g_array_new (FALSE, FALSE, sizeof (struct nprof_store_piece));
  g_ptr_array_add (lanes, lane);
  return lane;
}

static int
by_run_start (gconstpointer a, gconstpointer b)
{
  return np_compare_i64 (&((const NpRun *) a)->start, &((const NpRun *) b)->start);
}

static void
add_run (NpLayerLane *lane, const NpRun *run)
{
  double length = (double) (run->end - run->start);
  struct nprof_store_piece piece = { .start = run->start,
                                     .end = run->end,
                                     .busy = length,
                                     .longest = length,
                                     .count = 1,
                                     .row = lane->runs->len,
                                     .label = run->label };
  g_array_append_vals (lane->runs, run, 1);
  g_array_append_val (lane->pieces, piece);
}

/* Puts the runs of a level into lanes.  They come in the order in which they begin. */
static void
place_runs (Finder *f, GArray *runs, guint32 device, guint level)
{
  g_autoptr (GPtrArray) lanes = g_ptr_array_new ();
  g_array_sort (runs, by_run_start);
  for (guint i = 0; i < runs->len; i++) {
    const NpRun *run = &g_array_index (runs, NpRun, i);
    add_run (free_lane (lanes, device, level, run->start), run);
  }
  for (guint i = 0; i < lanes->len; i++)
    g_ptr_array_add (f->layers->lanes, lanes->pdata[i]);
}

/* Returns what a row is called at a level; NONE: it states nothing of it. */
static guint32
label_at (const Finder *f, const Row *row, guint level)
{
  if (!level)
    return row->op;
  const Path *path = row->path == NONE ? NULL : &g_array_index (f->paths, Path, row->path);
  return path && level <= path->n ? path->label[level - 1] : NONE;
}

/* Counts the steps that have begun at that time, from where it stands. */
static guint
step_at (const Finder *f, guint step, gint64 start)
{
  while (step < f->steps->len && g_array_index (f->steps, gint64, step) <= start)
    step++;
  return step;
}

/* Finds the runs of a level: a row that states another path, or nothing of this level, ends one,
 * and so does a step. */
static gboolean
add_level (Finder *f, guint32 device, guint level)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (NpRun));
  NpRun *run = NULL;
  guint step = 0;
  for (guint i = 0; i < f->rows->len; i++) {
    const Row *row = &g_array_index (f->rows, Row, i);
    guint32 label = label_at (f, row, level);
    guint now = step_at (f, step, row->start);
    if (label != NONE && (!run || run->label != label || now != step)) {
      NpRun fresh = { row->start, row->end, row->start, 0, label, 0 };
      g_array_append_val (runs, fresh);
    }
    run = label == NONE ? NULL : &g_array_index (runs, NpRun, runs->len - 1);
    step = now;
    if (!run)
      continue;
    run->end = MAX (run->end, row->end);
    run->last = row->start;
    run->busy += row->self;
    run->rows++;
  }
  place_runs (f, runs, device, level);
  return runs->len > 0;
}

/* Has a device parts of its own, whose rows these are? */
static gboolean
has_cores (NpAsk *ask, const struct nprof_store_track *device)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    if (t->kind == NPROF_TRACK_CORE && t->number != device->number
        && np_track_is_below (ask, t, device->number))
      return TRUE;
  return FALSE;
}

static gboolean
is_device (NpAsk *ask, const struct nprof_store_track *t)
{
  return t->kind == NPROF_TRACK_CORE || (t->kind == NPROF_TRACK_DEVICE && !has_cores (ask, t));
}

static gboolean
add_device (Finder *f, guint32 index, const struct nprof_store_track *device)
{
  g_array_set_size (f->rows, 0);
  if (!take_device (f, device))
    return FALSE;
  g_array_sort (f->rows, by_start);
  find_steps (f, device);
  for (guint level = 1; level <= LEVELS && add_level (f, index, level); level++)
    ;
  if (f->rows->len)
    add_level (f, index, 0);
  return TRUE;
}

static gboolean
add_devices (Finder *f)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (f->ask->store, i)); i++)
    if (is_device (f->ask, t) && !add_device (f, i, t))
      return FALSE;
  return TRUE;
}

/* -- All ------------------------------------------------------------------------------------- */

static void
label_clear (gpointer data)
{
  g_free (((NpLayerLabel *) data)->path);
}

void
np_layers_free (NpLayers *layers)
{
  if (!layers)
    return;
  g_ptr_array_unref (layers->lanes);
  g_array_unref (layers->labels);
  np_launched_free (layers->launched);
  g_free (layers);
}

static NpLayers *
layers_new (void)
{
  NpLayers *layers = g_new0 (NpLayers, 1);
  layers->lanes = g_ptr_array_new_with_free_func (lane_free);
  layers->labels = g_array_new (FALSE, FALSE, sizeof (NpLayerLabel));
  g_array_set_clear_func (layers->labels, label_clear);
  return layers;
}

static gboolean
states_any (NpAsk *ask)
{
  const struct nprof_store_attribute *a;
  for (guint32 i = 0; (a = nprof_store_attribute_at (ask->store, i)); i++) {
    const char *key = np_ask_string (ask, a->key);
    if (!strcmp (key, NPROF_KEY_LAYER) || !strcmp (key, NPROF_KEY_FRAMEWORK_OP))
      return TRUE;
  }
  return FALSE;
}

static gboolean
find (Finder *f)
{
  f->labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  f->by_layer = g_hash_table_new (g_str_hash, g_str_equal);
  f->by_operator = g_hash_table_new (g_str_hash, g_str_equal);
  f->by_module = g_array_new (FALSE, TRUE, sizeof (guint32));
  f->paths = g_array_new (FALSE, FALSE, sizeof (Path));
  f->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  f->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  f->layers->launched = np_launched_new (f->ask);
  gboolean good
      = f->layers->launched
        && (!(states_any (f->ask) || np_has_modules (f->layers->launched)) || add_devices (f));
  g_hash_table_unref (f->labels);
  g_hash_table_unref (f->by_layer);
  g_hash_table_unref (f->by_operator);
  g_array_unref (f->by_module);
  g_array_unref (f->paths);
  g_array_unref (f->rows);
  g_array_unref (f->steps);
  return good;
}

static const char *
why_none (NpAsk *ask, const NpLaunched *launched)
{
  if (np_has_modules (launched))
    return "needs work of devices that calls of modules launched: the file has only calls of "
           "modules";
  return np_is_pytorch (ask)
             ? "needs calls of modules, which torch.profiler records with "
               "with_stack=True or with_modules=True"
             : "needs rows of devices that state their layer, or the path of their operator";
}

/* Says why there is no lane. */
static void
explain (NpAsk *ask, NpLayers *layers, gboolean full)
{
  if (full) {
    g_ptr_array_set_size (layers->lanes, 0);
    layers->unknown = "needs a device with at most 20,000,000 rows that state a layer";
  } else if (np_launched_is_full (layers->launched)) {
    g_ptr_array_set_size (layers->lanes, 0);
    layers->unknown = "needs a profile with at most 20,000,000 calls of modules and launches";
  } else if (!layers->lanes->len) {
    layers->unknown = why_none (ask, layers->launched);
  }
}

/* Keeps them for the profile, unless somebody else was faster. */
static const NpLayers *
keep (NpProfile *p, NpLayers *layers)
{
  pthread_mutex_lock (&p->lock);
  NpLayers *spare = p->layers ? layers : NULL;
  if (!p->layers)
    p->layers = layers;
  pthread_mutex_unlock (&p->lock);
  if (spare)
    np_layers_free (spare);
  else
    np_profile_own (p, layers, (GDestroyNotify) np_layers_free);
  return p->layers;
}

const NpLayers *
np_layers (NpAsk *ask)
{
  pthread_mutex_lock (&ask->profile->lock);
  const NpLayers *known = ask->profile->layers;
  pthread_mutex_unlock (&ask->profile->lock);
  if (known)
    return known;
  Finder f = { .ask = ask, .layers = layers_new () };
  if (!find (&f)) {
    np_layers_free (f.layers);
    return NULL;
  }
  explain (ask, f.layers, f.full);
  return keep (ask->profile, f.layers);
}

/* -- Rows of a run --------------------------------------------------------------------------- */

typedef struct {
  NpAsk *ask;
  const NpLaunched *launched;
  const NpLayerLabel *label;
  guint most;
  const NpRun *run;
  GArray *rows;
  guint64 *total;
} Gathering;

/* Is it the path, or one below it? */
static gboolean
is_within (const char *path, const char *above)
{
  gsize n = strlen (above);
  return !strncmp (path, above, n) && (!path[n] || path[n] == '/');
}

/* Is a row launched in the module of the run? */
static gboolean
is_launched_in (const Gathering *g, const struct nprof_event *e)
{
  guint32 at = np_launched_module (g->launched, g->ask, e);
  while (at != NP_NO_MODULE)
    if (!strcmp (np_module_path (g->launched, at, &at), g->label->path))
      return TRUE;
  return FALSE;
}

/* Is a row of the label of the run? */
static gboolean
states (const Gathering *g, const struct nprof_event *e)
{
  const char *layer = np_event_text (g->ask, e, NPROF_KEY_LAYER),
             *op = np_event_text (g->ask, e, NPROF_KEY_FRAMEWORK_OP);
  if (g->label->kind == NP_RUN_OPERATOR)
    return op && !strcmp (op, g->label->path);
  if (g->label->kind == NP_RUN_MODULE)
    return !(layer && *layer) && !op && is_launched_in (g, e);
  if (layer && *layer)
    return is_within (layer, g->label->path);
  g_autofree char *path = op ? an_layer_of_path (op) : NULL;
  return path && is_within (path, g->label->path);
}

static gboolean
gather_lane (Gathering *g, guint32 number)
{
  const struct nprof_store_lane *lane = nprof_store_lane_at (g->ask->store, number);
  struct nprof_row row = { number, 0 };
  struct nprof_event e;
  bool found;
  if (!lane || lane->type != NPROF_STORE_LANE_SPAN || lane->origin)
    return TRUE;
  if (!nprof_store_before (g->ask->query, number, g->run->start - 1, &row.row, &found))
    return FALSE;
  for (row.row = found ? row.row + 1 : 0; row.row < lane->rows; row.row++) {
    if (!nprof_store_event (g->ask->query, row, &e))
      return FALSE;
    if (e.start > g->run->last)
      break;
    if (e.duration < 0 || !states (g, &e))
      continue;
    if ((*g->total)++ < g->most)
      g_array_append_val (g->rows, row);
  }
  return TRUE;
}

gboolean
np_layers_rows (NpAsk *ask, const NpLayers *layers, const NpLayerLane *lane, const NpRun *run,
                guint most, GArray *rows, guint64 *total)
{
  Gathering g = { ask,
                  layers->launched,
                  &g_array_index (layers->labels, NpLayerLabel, run->label),
                  most,
                  run,
                  rows,
                  total };
  guint32 device = np_track_number (ask, lane->device);
  const struct nprof_store_track *t;
  *total = 0;
  for (guint32 i = 0; (t = nprof_store_track_at (ask->store, i)); i++)
    for (guint32 k = 0; holds_work (ask, t, device) && k < t->n_lanes; k++)
      if (!gather_lane (&g, t->lane + k))
        return FALSE;
  return TRUE;
}
