/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes the tables: modules and ranges by their paths, frames of Python by their names,
 * and classes of modules. */
#include "modules.h"

#include <nprof/sdk.h>
#include <string.h>

NPROF_TABLE (modules, "Modules",
             "a module holds those below it; work belongs to the path that it states, else "
             "to the modules around its launch, and what backward passes of PyTorch "
             "launched in none is in column backward",
             MODULES)

NPROF_TABLE (module_classes, "Time by class of module",
             "device_ns of the rows of a device add up to its work", MODULE_CLASSES)

NPROF_TABLE (ranges, "Ranges",
             "what the program annotated: record_function, NVTX, roctx; a range holds those within "
             "it",
             RANGES)

NPROF_TABLE (source, "Source",
             "lines that work states, else frames of Python around launches; device_ns "
             "counts a row once, however often the frame is on the stack",
             SOURCE)

static struct nprof_cell
input_of (const Modules *self, const Device *d)
{
  return nprof_cell_str (self->host->input (self->host, d->input)->label);
}

static struct nprof_maybe_double
share_of (gint64 part, const Device *d)
{
  return nprof_double_if (d->all.time, (double) part / (double) d->all.time);
}

static nprof_str
name_of_class (const struct nprof_host *host, Class class)
{
  static const char *const names[N_CLASSES]
      = { [ATTENTION] = "attention",  [MLP] = "mlp",   [NORM] = "norm",
          [EMBEDDING] = "embedding",  [HEAD] = "head", [OTHER_MODULE] = "other",
          [NO_MODULE] = "(no module)" };
  return nprof_intern (host, names[class]);
}

static gint64
time_of (const GArray *sums, guint32 node)
{
  return node < sums->len ? g_array_index (sums, Sum, node).time : 0;
}

static gint64
self_of (const Device *d, Kind kind, guint32 node)
{
  return time_of (d->sums[kind], node);
}

/* Returns a time that is unknown where no operator has a sequence number. */
static struct nprof_maybe_int
backward_if_told (const Modules *self, gint64 time)
{
  return nprof_int_if (g_hash_table_size (self->forward), time);
}

typedef struct {
  Modules *self;
  const Device *device;
  Kind kind;
  gint64 *total, *backward; /* by node */
  char **text;              /* by node */
} Writing;

/* Sorts most time first, then the paths. */
static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Writing *w = user;
  guint32 i = *(const guint32 *) a, j = *(const guint32 *) b;
  if (w->total[i] != w->total[j])
    return w->total[i] > w->total[j] ? -1 : 1;
  return strcmp (w->text[i], w->text[j]);
}

/* -- Paths ------------------------------------------------------------------------------------ */

static nprof_status
write_module (const Writing *w, guint32 number)
{
  const struct nprof_host *h = w->self->host;
  const Paths *paths = &w->self->paths[MODULES];
  const Node *node = node_at (paths, number);
  const Device *d = w->device;
  bool called = node->calls || !node->stated;
  const struct modules_row row = {
    .device = nprof_some_str (d->label),
    .module = nprof_some_text (w->text[number]),
    .class = nprof_some_str (name_of_class (h, class_of_node (h, paths, number))),
    .calls = nprof_int_if (called, node->calls),
    .host = nprof_int_if (called, node->host),
    .device_time = nprof_int_if (d->label, w->total[number]),
    .self = nprof_int_if (d->label, self_of (d, MODULES, number)),
    .share = share_of (w->total[number], d),
    .backward = backward_if_told (w->self, w->backward[number]),
  };
  return h->row (h, &modules_table, modules_cells (input_of (w->self, d), &row).cells);
}

static nprof_status
write_range (const Writing *w, guint32 number)
{
  const struct nprof_host *h = w->self->host;
  const Node *node = node_at (&w->self->paths[RANGES], number);
  const Device *d = w->device;
  bool called = node->calls || !node->stated;
  const struct ranges_row row = {
    .device = nprof_some_str (d->label),
    .range = nprof_some_text (w->text[number]),
    .calls = nprof_int_if (called, node->calls),
    .host = nprof_int_if (called, node->host),
    .device_time = nprof_int_if (d->label, w->total[number]),
    .self = nprof_int_if (d->label, self_of (d, RANGES, number)),
    .share = share_of (w->total[number], d),
  };
  return h->row (h, &ranges_table, ranges_cells (input_of (w->self, d), &row).cells);
}

/* Writes paths, outer nodes first, which have smaller numbers. */
static nprof_status
write_paths (Modules *self, const Device *d, Kind kind)
{
  const Paths *paths = &self->paths[kind];
  guint32 n = paths->nodes->len;
  nprof_status status = NPROF_OK;
  Writing w
      = { self, d, kind, g_new0 (gint64, n + 1), g_new0 (gint64, n + 1), g_new0 (char *, n + 2) };
  g_autofree guint32 *order = g_new (guint32, n + 1);
  w.text[0] = g_strdup ("");
  for (guint32 i = n; i > 0; i--) {
    w.total[i] += self_of (d, kind, i);
    w.total[node_at (paths, i)->outer] += w.total[i];
    w.backward[i] += kind == MODULES ? time_of (d->backward, i) : 0;
    w.backward[node_at (paths, i)->outer] += w.backward[i];
    w.text[i] = path_text (self->host, paths, i);
    order[i - 1] = i;
  }
  g_qsort_with_data (order, (int) n, sizeof *order, compare, &w);
  for (guint32 i = 0; i < n && !status; i++)
    if (node_at (paths, order[i])->input == d->input
        && (w.total[order[i]] || w.backward[order[i]] || node_at (paths, order[i])->calls))
      status = kind == MODULES ? write_module (&w, order[i]) : write_range (&w, order[i]);
  g_strfreev (w.text);
  g_free (w.total);
  g_free (w.backward);
  return status;
}

/* -- Frames by name ---------------------------------------------------------------------------- */

typedef struct {
  nprof_str name;
  gint64 calls, total, self;
  bool called; /* on a host */
} Frame;

/* Returns whether the name stands nearer to the launch as well. */
static bool
stands_within (const Paths *paths, guint32 node, guint32 outer)
{
  for (nprof_str name = node_at (paths, outer)->name; node != outer;
       node = node_at (paths, node)->outer)
    if (node_at (paths, node)->name == name)
      return true;
  return false;
}

static Frame *
frame_of (AnKeyTable *names, GArray *frames, nprof_str name)
{
  guint number = an_key_table_get (names, &name);
  if (number == frames->len) {
    const Frame none = { .name = name };
    g_array_append_val (frames, none);
  }
  return &g_array_index (frames, Frame, number);
}

static int
compare_frames (gconstpointer a, gconstpointer b, gpointer host)
{
  const Frame *x = a, *y = b;
  if (x->self != y->self)
    return x->self > y->self ? -1 : 1;
  if (x->total != y->total)
    return x->total > y->total ? -1 : 1;
  return strcmp (nprof_text (host, x->name), nprof_text (host, y->name));
}

static GArray *
frames_of (const Modules *self, const Device *d)
{
  const Paths *paths = &self->paths[SOURCES];
  GArray *frames = g_array_new (FALSE, TRUE, sizeof (Frame));
  AnKeyTable names;
  an_key_table_init (&names, 1);
  for (guint32 i = 1; i <= paths->nodes->len; i++) {
    gint64 time = self_of (d, SOURCES, i);
    if (node_at (paths, i)->input != d->input)
      continue;
    Frame *frame = frame_of (&names, frames, node_at (paths, i)->name);
    frame->self += time;
    frame->calls += node_at (paths, i)->calls;
    frame->called |= !node_at (paths, i)->stated;
    for (guint32 at = time ? i : 0; at; at = node_at (paths, at)->outer)
      if (!stands_within (paths, i, at))
        frame_of (&names, frames, node_at (paths, at)->name)->total += time;
  }
  an_key_table_clear (&names);
  g_array_sort_with_data (frames, compare_frames, (gpointer) self->host);
  return frames;
}

static nprof_status
write_frames (Modules *self, const Device *d)
{
  const struct nprof_host *h = self->host;
  g_autoptr (GArray) frames = frames_of (self, d);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < frames->len && !status; i++) {
    const Frame *f = &g_array_index (frames, Frame, i);
    if (!f->total)
      continue; /* a host calls thousands of functions that launch nothing */
    const struct source_row row = {
      .device = nprof_any_str (d->label),
      .source = nprof_any_str (f->name),
      .calls = nprof_int_if (f->called, f->calls),
      .device_time = nprof_some_int (f->total),
      .self = nprof_some_int (f->self),
      .share = share_of (f->total, d),
    };
    status = h->row (h, &source_table, source_cells (input_of (self, d), &row).cells);
  }
  return status;
}

/* -- Classes ----------------------------------------------------------------------------------- */

static nprof_status
write_class (Modules *self, const Device *d, nprof_str class, Sum sum, Sum backward)
{
  const struct nprof_host *h = self->host;
  if (!sum.rows && !backward.rows)
    return NPROF_OK;
  const struct module_classes_row row = {
    .device = nprof_any_str (d->label),
    .class = nprof_some_str (class),
    .device_time = nprof_some_int (sum.time),
    .operations = nprof_some_int (sum.rows),
    .share = share_of (sum.time, d),
    .backward = backward_if_told (self, backward.time),
  };
  return h->row (h, &module_classes_table, module_classes_cells (input_of (self, d), &row).cells);
}

/* Writes classes; where no module is known, nothing is told of them. */
static nprof_status
write_classes (Modules *self, const Device *d)
{
  const struct nprof_host *h = self->host;
  nprof_status status = NPROF_OK;
  if (!self->paths[MODULES].nodes->len)
    return status;
  for (Class class = ATTENTION; class < N_CLASSES && !status; class ++)
    status = write_class (self, d, name_of_class (h, class), d->classes[class],
                          d->backward_classes[class]);
  const nprof_str lost = nprof_intern (h, "(launch not recorded)");
  return status ? status : write_class (self, d, lost, d->unlinked, (Sum){ 0 });
}

/* -- All --------------------------------------------------------------------------------------- */

static int
by_place (gconstpointer a, gconstpointer b, gpointer host)
{
  const Device *x = *(const Device *const *) a, *y = *(const Device *const *) b;
  if (!x->track || !y->track)
    return x->input < y->input ? -1 : x->input > y->input;
  return an_place_compare (host, x->track, y->track);
}

static nprof_status
write_table (Modules *self, const struct nprof_table *table, const Device *d)
{
  if (table == &modules_table)
    return write_paths (self, d, MODULES);
  if (table == &ranges_table)
    return write_paths (self, d, RANGES);
  return table == &source_table ? write_frames (self, d) : write_classes (self, d);
}

/* Adds the hosts of an input without work of devices, which have their own time at least. */
static void
add_hosts (Modules *self)
{
  for (guint i = 0; i < self->paths[MODULES].nodes->len + self->paths[RANGES].nodes->len; i++) {
    guint modules = self->paths[MODULES].nodes->len;
    const Paths *paths = &self->paths[i < modules ? MODULES : RANGES];
    uint32_t input = node_at (paths, 1 + (i < modules ? i : i - modules))->input;
    bool known = false;
    for (guint k = 0; k < self->devices->len && !known; k++)
      known = ((const Device *) g_ptr_array_index (self->devices, k))->input == input;
    if (!known)
      g_ptr_array_add (self->devices, device_new (input));
  }
}

nprof_status
write_all (Modules *self)
{
  static const struct nprof_table *const tables[]
      = { &modules_table, &module_classes_table, &ranges_table, &source_table };
  nprof_status status = NPROF_OK;
  add_hosts (self);
  g_ptr_array_sort_with_data (self->devices, by_place, (gpointer) self->host);
  for (gsize t = 0; t < G_N_ELEMENTS (tables) && !status; t++) {
    status = self->host->table (self->host, tables[t]);
    for (guint i = 0; i < self->devices->len && !status; i++)
      status = write_table (self, tables[t], g_ptr_array_index (self->devices, i));
  }
  return status;
}
