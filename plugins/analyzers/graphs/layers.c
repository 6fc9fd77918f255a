/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - sums up the layers of each distinct graph over its replays: the instances of a class
 * of modules, else the repeats of its operators, or of its kernels where these are unknown.  Few
 * replays are kept kernel by kernel; those that are over become sums. */
#include "layers.h"

#include "repeats.h"

#include <string.h>

#define MOST_OPEN 4u /* replays of a device that may run beside each other */

NPROF_TABLE (graph_layers, "Layers of graphs",
             "Modules of one class, or where none tell layers, operators that repeat: the first "
             "and the last layer of a model may have other neighbours.",
             GRAPH_LAYERS)

/* A kernel, copy or set of a replay. */
typedef struct {
  nprof_str name, module; /* its operator, else its own name; 0: no module around it */
  gint64 busy;            /* ps in the window */
} Place;

/* A replay that may not be over. */
typedef struct {
  guint replay;
  GArray *places; /* of Place */
} Open;

/* All replays of one graph that are over. */
typedef struct {
  guint64 hash;
  guint32 device, kernels;
  GArray *places; /* of Place; busy is of all replays */
} Layered;

static guint
layered_hash (gconstpointer data)
{
  const Layered *l = data;
  return (guint) (l->hash ^ l->hash >> 32) + l->device;
}

static gboolean
layered_equal (gconstpointer a, gconstpointer b)
{
  const Layered *x = a, *y = b;
  return x->hash == y->hash && x->device == y->device && x->kernels == y->kernels;
}

static void
layered_free (gpointer data)
{
  Layered *l = data;
  g_array_unref (l->places);
  g_free (l);
}

static Layered
key_of (const Replay *r)
{
  return (Layered){ .hash = r->hash, .device = r->device, .kernels = r->kernels };
}

static const Place *
place_at (const GArray *places, guint i)
{
  return &g_array_index (places, Place, i);
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* Adds a replay that is over to those of its graph. */
static void
end_replay (Graphs *g, const Open *open)
{
  const Layered key = key_of (&g_array_index (g->replays, Replay, open->replay));
  Layered *known = g->layered ? g_hash_table_lookup (g->layered, &key) : NULL;
  if (!g->layered)
    g->layered = g_hash_table_new_full (layered_hash, layered_equal, layered_free, NULL);
  if (!known) {
    known = g_memdup2 (&key, sizeof key);
    known->places = open->places;
    g_hash_table_add (g->layered, known);
    return;
  }
  for (guint i = 0; i < MIN (known->places->len, open->places->len); i++)
    g_array_index (known->places, Place, i).busy += place_at (open->places, i)->busy;
  g_array_unref (open->places);
}

static GArray *
places_of (Graphs *g, guint replay)
{
  if (!g->open)
    g->open = g_array_new (FALSE, FALSE, sizeof (Open));
  for (guint i = g->open->len; i-- > 0;)
    if (g_array_index (g->open, Open, i).replay == replay)
      return g_array_index (g->open, Open, i).places;
  if (g_array_index (g->replays, Replay, replay).kernels > 1)
    return NULL; /* it went on long after others began: no sum is of it */
  if (g->open->len == MOST_OPEN) {
    end_replay (g, &g_array_index (g->open, Open, 0));
    g_array_remove_index (g->open, 0);
  }
  const Open open = { replay, g_array_new (FALSE, FALSE, sizeof (Place)) };
  g_array_append_val (g->open, open);
  return open.places;
}

void
layers_add (Graphs *g, guint replay, nprof_str name, nprof_str module, gint64 busy)
{
  GArray *places = places_of (g, replay);
  if (places)
    g_array_append_val (places, ((Place){ name, module, busy }));
}

void
layers_end (Graphs *g)
{
  for (guint i = 0; g->open && i < g->open->len; i++)
    end_replay (g, &g_array_index (g->open, Open, i));
  g_clear_pointer (&g->open, g_array_unref);
}

void
layers_clear (Graphs *g)
{
  for (guint i = 0; g->open && i < g->open->len; i++)
    g_array_unref (g_array_index (g->open, Open, i).places);
  g_clear_pointer (&g->open, g_array_unref);
  g_clear_pointer (&g->layered, g_hash_table_unref);
}

/* -- Rows of the table ------------------------------------------------------------------------- */

/* What is written of a graph. */
typedef struct {
  const Graphs *g;
  const Replay *of;
  const char *graph;
  guint number;
  const GArray *places;
  gint64 busy; /* of all of them */
} Writing;

/* A layer, as it is summed up. */
typedef struct {
  guint operators, kernels;
  nprof_str begins, last; /* its first and its last operator */
  gint64 busy;
} Layer;

static void
add_place (Layer *layer, const Place *place)
{
  layer->operators += !layer->kernels || layer->last != place->name;
  layer->begins = layer->kernels ? layer->begins : place->name;
  layer->last = place->name;
  layer->kernels++;
  layer->busy += place->busy;
}

static nprof_status
write_layer (const Writing *w, guint run, guint number, guint of, const char *module,
             const Layer *layer)
{
  const struct nprof_host *h = w->g->host;
  const Device *d = &g_array_index (w->g->devices, Device, w->of->device);
  const struct graph_layers_row row = {
    .device = nprof_any_str (d->label),
    .graph = nprof_any_str (nprof_intern (h, w->graph)),
    .number = nprof_some_int (w->number),
    .run = nprof_some_int (run),
    .layer = nprof_some_int (number),
    .of = nprof_some_int (of),
    .module = nprof_some_str (*module ? nprof_intern (h, module) : 0),
    .begins = nprof_any_str (layer->begins),
    .operators = nprof_some_int (layer->operators),
    .kernels = nprof_some_int (layer->kernels),
    .busy = nprof_some_int (layer->busy),
    .share = nprof_double_if (w->busy, (double) layer->busy / (double) w->busy),
  };
  return h->row (h, &graph_layers_table,
                 graph_layers_cells (nprof_cell_str (h->input (h, d->input)->label), &row).cells);
}

/* -- By modules -------------------------------------------------------------------------------- */

/* Modules of one class below one module. */
typedef struct {
  GHashTable *instances; /* of paths, which it owns */
  gint64 busy;
} Class;

static void
class_free (gpointer data)
{
  Class *class = data;
  g_hash_table_unref (class->instances);
  g_free (class);
}

/* Returns where the number of a module begins in its path, up to `end`: Layer_7; NULL: it has none,
 * or is what a compiler made. */
static const char *
number_in (const char *path, const char *end)
{
  const char *name = end, *p = end;
  while (name > path && name[-1] != '/')
    name--;
  while (p > name && g_ascii_isdigit (p[-1]))
    p--;
  if (p == end || p == name || p[-1] != '_' || g_str_has_prefix (name, "GraphModule_"))
    return NULL;
  return p;
}

static void
add_to_classes (GHashTable *classes, const char *path, gint64 busy)
{
  for (const char *end = path; *end; end += *end == '/') {
    end += strcspn (end, "/");
    const char *number = number_in (path, end);
    if (!number)
      continue;
    g_autofree char *name = g_strndup (path, (gsize) (number - path));
    Class *class = g_hash_table_lookup (classes, name);
    if (!class) {
      class = g_new0 (Class, 1);
      class->instances = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_hash_table_insert (classes, g_steal_pointer (&name), class);
    }
    g_hash_table_add (class->instances, g_strndup (path, (gsize) (end - path)));
    class->busy += busy;
  }
}

/* Returns the class of most time of which there are several, of these the outermost; NULL: there is
 * none; transfer full. */
static char *
class_of_layers (const Writing *w)
{
  g_autoptr (GHashTable) classes
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, class_free);
  for (guint i = 0; i < w->places->len; i++) {
    const Place *place = place_at (w->places, i);
    if (place->module)
      add_to_classes (classes, nprof_text (w->g->host, place->module), place->busy);
  }
  const char *best = NULL;
  gint64 most = -1;
  GHashTableIter iter;
  gpointer name, class;
  g_hash_table_iter_init (&iter, classes);
  while (g_hash_table_iter_next (&iter, &name, &class)) {
    const Class *c = class;
    if (g_hash_table_size (c->instances) < REPEATS_LEAST || c->busy < most)
      continue;
    if (c->busy == most
        && (strlen (best) < strlen (name)
            || (strlen (best) == strlen (name) && strcmp (best, name) < 0)))
      continue;
    best = name;
    most = c->busy;
  }
  return g_strdup (best);
}

/* Returns the instance of a class in which the place lies; NULL: in none; transfer full. */
static char *
instance_of (const Writing *w, const Place *place, const char *class)
{
  const char *path = place->module ? nprof_text (w->g->host, place->module) : "";
  const gsize len = strlen (class), digits = strspn (path + MIN (len, strlen (path)), "0123456789");
  if (!g_str_has_prefix (path, class) || !digits
      || (path[len + digits] && path[len + digits] != '/'))
    return NULL;
  return g_strndup (path, len + digits);
}

static nprof_status
write_by_modules (const Writing *w, const char *class)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) layers = g_array_new (FALSE, TRUE, sizeof (Layer));
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < w->places->len; i++) {
    g_autofree char *instance = instance_of (w, place_at (w->places, i), class);
    if (!instance)
      continue;
    guint number = GPOINTER_TO_UINT (g_hash_table_lookup (known, instance));
    if (!number) {
      number = names->len + 1;
      g_ptr_array_add (names, g_steal_pointer (&instance));
      g_array_set_size (layers, number);
      g_hash_table_insert (known, names->pdata[number - 1], GUINT_TO_POINTER (number));
    }
    add_place (&g_array_index (layers, Layer, number - 1), place_at (w->places, i));
  }
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < layers->len && !status; i++)
    status = write_layer (w, 0, i, layers->len, names->pdata[i], &g_array_index (layers, Layer, i));
  return status;
}

/* -- By repeats -------------------------------------------------------------------------------- */

/* Returns the modules that lie around all of places from..to, the outermost first; transfer
 * full. */
static char *
common_module (const Writing *w, guint from, guint to)
{
  char *common = NULL;
  for (guint i = from; i < to; i++) {
    const Place *place = place_at (w->places, i);
    const char *path = place->module ? nprof_text (w->g->host, place->module) : "";
    gsize len = 0, same = 0;
    if (!common) {
      common = g_strdup (path);
      continue;
    }
    for (; common[len] && common[len] == path[len]; len++)
      same = path[len] == '/' ? len : same;
    if ((!common[len] || common[len] == '/') && (!path[len] || path[len] == '/'))
      same = len;
    common[same] = 0;
  }
  return common ? common : g_strdup ("");
}

static nprof_status
write_repeat (const Writing *w, guint run, const Repeat *repeat, const GArray *starts)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < repeat->times && !status; i++) {
    const guint at = repeat->first + i * repeat->period;
    const guint from = g_array_index (starts, guint, at),
                to = g_array_index (starts, guint, at + repeat->period);
    g_autofree char *module = common_module (w, from, to);
    Layer layer = { 0 };
    for (guint k = from; k < to; k++)
      add_place (&layer, place_at (w->places, k));
    status = write_layer (w, run, i, repeat->times, module, &layer);
  }
  return status;
}

/* Kernels of one operator behind each other are one place: variants of an operator have one kernel
 * or two. */
static nprof_status
write_by_repeats (const Writing *w)
{
  g_autoptr (GArray) names = g_array_new (FALSE, FALSE, sizeof (guint32)),
                     starts = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < w->places->len; i++) {
    if (i && place_at (w->places, i)->name == place_at (w->places, i - 1)->name)
      continue;
    g_array_append_val (names, place_at (w->places, i)->name);
    g_array_append_val (starts, i);
  }
  g_array_append_val (starts, w->places->len);
  g_autoptr (GArray) repeats = repeats_find ((const guint32 *) (gpointer) names->data, names->len);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < repeats->len && !status; i++)
    status = write_repeat (w, i, &g_array_index (repeats, Repeat, i), starts);
  return status;
}

nprof_status
layers_write (const Graphs *g, const Replay *of, const char *graph, guint number)
{
  const Layered key = key_of (of);
  const Layered *layered = g->layered ? g_hash_table_lookup (g->layered, &key) : NULL;
  if (!layered)
    return NPROF_OK;
  Writing w = { g, of, graph, number, layered->places, 0 };
  for (guint i = 0; i < w.places->len; i++)
    w.busy += place_at (w.places, i)->busy;
  g_autofree char *class = class_of_layers (&w);
  return class ? write_by_modules (&w, class) : write_by_repeats (&w);
}
