/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes tables critical, bound, critical_path and what_if. */
#include "critical.h"

#include "devicekit/cells.h"

#define PLACE KEY ("process", "that announces the step, or the device whose work has no launches")

NPROF_TABLE (critical, "Critical path",
             "The slowest step, the median one, then the first ones. A device without "
             "launches: what it does.",
             CRITICAL)

NPROF_TABLE (bound, "What bounds a step",
             "The part of the critical path that has half of the step.", BOUND)

NPROF_TABLE (critical_path, "Segments of the critical path", "Equal neighbours are one.",
             CRITICAL_PATH)

NPROF_TABLE (what_if, "Speedup if an operator were free",
             "Found by replay: what waits for something else stays where it was.", WHAT_IF)

static struct nprof_cell
label_of_input (const Critical *self, const Judged *j)
{
  return nprof_cell_str (self->host->input (self->host, j->input)->label);
}

static struct nprof_maybe_str
word (const Critical *self, const char *text)
{
  return nprof_str_if (text, text ? nprof_intern (self->host, text) : 0);
}

/* -- Verdicts ---------------------------------------------------------------------------------- */

/* Returns the time of a group on the path; without launches all of it is unknown. */
static struct nprof_maybe_int
time_of (const Judged *j, Group group)
{
  if (j->no_launches)
    return nprof_int_if (group == G_UNKNOWN, j->duration);
  return nprof_some_int (j->groups.of[group]);
}

static nprof_status
write_critical (const Critical *self, const Judged *j)
{
  const struct critical_row row = {
    .step = nprof_some_text (j->name),
    .process = nprof_any_str (j->place),
    .start = nprof_some_int (j->start),
    .duration = nprof_some_int (j->duration),
    .host = time_of (j, G_HOST),
    .launch = time_of (j, G_LAUNCH),
    .compute = time_of (j, G_COMPUTE),
    .communication = time_of (j, G_COMMUNICATION),
    .copy = time_of (j, G_COPY),
    .queue = time_of (j, G_QUEUE),
    .unknown = time_of (j, G_UNKNOWN),
    .unrecorded = time_of (j, G_UNRECORDED),
    .host_raw = nprof_int_if (!j->no_launches && j->on_host, j->host_raw),
    .verdict = word (self, j->verdict),
    .hand_offs = nprof_some_int (j->hand_offs),
    .unlinked = nprof_some_int (j->unlinked),
  };
  return self->host->row (self->host, &critical_table,
                          critical_cells (label_of_input (self, j), &row).cells);
}

static nprof_status
write_bound (const Critical *self, const Judged *j)
{
  gboolean unknown = g_str_equal (j->verdict, "unknown");
  const struct bound_row row = {
    .step = nprof_some_text (j->name),
    .process = nprof_any_str (j->place),
    .verdict = word (self, j->verdict),
    .share = nprof_double_if (!unknown, j->share),
    .second = word (self, unknown ? NULL : j->second),
    .second_share = nprof_double_if (!unknown && j->second, j->second_share),
    .evidence = nprof_some_text (j->evidence),
    .code = word (self, j->missing ? "undetermined.not_recorded" : NULL),
    .of_steps = nprof_some_int (j->choice.steps),
    .of = nprof_some_int (j->choice.duration),
    .share_of = word (self, unknown      ? NULL
                            : j->on_path ? "critical path"
                                         : "device time"),
  };
  return self->host->row (self->host, &bound_table,
                          bound_cells (label_of_input (self, j), &row).cells);
}

nprof_status
write_judged (const Critical *self, const GArray *judged)
{
  const struct nprof_host *h = self->host;
  nprof_status status = h->table (h, &critical_table);
  for (guint i = 0; i < judged->len && !status; i++)
    status = write_critical (self, &g_array_index (judged, Judged, i));
  status = status ? status : h->table (h, &bound_table);
  for (guint i = 0; i < judged->len && !status; i++)
    status = write_bound (self, &g_array_index (judged, Judged, i));
  return status;
}

/* -- The path ---------------------------------------------------------------------------------- */

static struct nprof_maybe_str
class_word (Critical *self, PathClass class)
{
  nprof_str *known = &self->class_words[class];
  if (!*known)
    *known = nprof_intern (self->host, path_class_name (class));
  return nprof_any_str (*known);
}

/* A path may have a row of nearly each operator: what is the same in all is found once. */
nprof_status
write_path (Critical *self, const Judged *j, const Path *path)
{
  const struct nprof_host *h = self->host;
  const struct nprof_cell input = label_of_input (self, j);
  struct critical_path_row row
      = { .step = nprof_some_text (j->name), .process = nprof_any_str (j->place) };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < path->segments->len && !status; i++) {
    const Segment *s = &g_array_index (path->segments, Segment, i);
    row.position = nprof_some_int (i);
    row.start = nprof_some_int (s->start);
    row.duration = nprof_some_int (s->end - s->start);
    row.class = class_word (self, s->class);
    row.name = nprof_some_str (s->name);
    row.category = nprof_some_str (s->category);
    row.track
        = nprof_str_if (s->track, s->track ? nprof_track_label (h->track_info (h, s->track)) : 0);
    row.count = nprof_some_int (s->count);
    status = h->row (h, &critical_path_table, critical_path_cells (input, &row).cells);
  }
  return status;
}

/* -- What if ----------------------------------------------------------------------------------- */

typedef struct {
  nprof_str name, category;
  gint64 critical, total;
} Candidate;

static gboolean
can_be_faster (PathClass class)
{
  return class == PATH_HOST_OP || class == PATH_HOST_API || class == PATH_COMPUTE
         || class == PATH_COMMUNICATION || class == PATH_COPY;
}

static int
by_critical (gconstpointer a, gconstpointer b)
{
  const Candidate *x = a, *y = b;
  return x->critical != y->critical ? (x->critical > y->critical ? -1 : 1) : 0;
}

/* Returns operators by name; those of most time on the path first, then as they come on it. */
static GArray *
candidates_of (const Path *path)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autoptr (GHashTable) by_name = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < path->segments->len; i++) {
    const Segment *s = &g_array_index (path->segments, Segment, i);
    if (!can_be_faster (s->class) || !s->name)
      continue;
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, GUINT_TO_POINTER (s->name)));
    if (!at) {
      const Candidate c = { s->name, s->category, 0, 0 };
      g_array_append_val (all, c);
      g_hash_table_insert (by_name, GUINT_TO_POINTER (s->name), GUINT_TO_POINTER (at = all->len));
    }
    g_array_index (all, Candidate, at - 1).critical += s->end - s->start;
  }
  g_array_sort (all, by_critical); /* qsort of GLib is stable */
  return all;
}

static gint64
within (const Window *w, gint64 start, gint64 end)
{
  return MAX (0, MIN (end, w->end) - MAX (start, w->start));
}

static void
add_total (GArray *candidates, guint n, nprof_str name, gint64 time)
{
  for (guint i = 0; i < n; i++) {
    Candidate *c = &g_array_index (candidates, Candidate, i);
    if (c->name != name)
      continue;
    c->total += time;
    return;
  }
}

/* Sums the times of the first n, all on one way through the step, which may be long. */
static void
find_totals (const Loaded *l, GArray *candidates, guint n)
{
  const Window *w = l->window;
  for (guint i = 0; i < l->ops->len; i++) {
    const Op *op = op_at (l, i);
    add_total (candidates, n, op->name, within (w, op->start, op->end));
  }
  for (guint i = 0; i < l->threads->len; i++) {
    const GArray *segments = ((const Thread *) g_ptr_array_index (l->threads, i))->segments;
    for (guint k = 0; k < segments->len; k++) {
      const ThreadSegment *s = &g_array_index (segments, ThreadSegment, k);
      if (s->span != NOBODY)
        add_total (candidates, n, span_at (l, s->span)->name, within (w, s->start, s->end));
    }
  }
}

static nprof_status
write_gain (const Critical *self, const Judged *j, const Candidate *c, double factor)
{
  gint64 bound = factor > 0 ? (gint64) ((double) c->critical * (1 - 1 / factor)) : c->critical;
  const struct what_if_row row = {
    .step = nprof_some_text (j->name),
    .process = nprof_any_str (j->place),
    .operator= nprof_any_str (c->name),
    .category = nprof_some_str (c->category),
    .factor = nprof_some_double (factor),
    .total = nprof_some_int (c->total),
    .critical = nprof_some_int (c->critical),
    .gain = nprof_some_int (replay_gain (self->replay, c->name, factor)),
    .bound = nprof_some_int (bound),
  };
  return self->host->row (self->host, &what_if_table,
                          what_if_cells (label_of_input (self, j), &row).cells);
}

nprof_status
write_what_if (Critical *self, const Judged *j, const Loaded *l, const Path *path)
{
  static const double factors[] = { 0, 2 };
  g_autoptr (GArray) all = candidates_of (path);
  const guint n = MIN (all->len, (guint) self->n_what_if);
  nprof_status status = NPROF_OK;
  if (n)
    replay_load (self->replay, l);
  find_totals (l, all, n);
  for (guint i = 0; i < n && !status; i++) {
    const Candidate *c = &g_array_index (all, Candidate, i);
    for (guint f = 0; f < G_N_ELEMENTS (factors) && !status; f++)
      status = write_gain (self, j, c, factors[f]);
  }
  return status;
}
