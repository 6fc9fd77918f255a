/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes tables critical, bound, critical_path and what_if. */
#include "critical.h"

#include "devicekit/cells.h"

#define KEY(name, help) NPROF_KEY_COLUMN (NPROF_STRING, name, "", help)
#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define INT(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "", help)
#define WORD(name, help) NPROF_VALUE_COLUMN (NPROF_STRING, name, "", help)
#define STEP                                                                                       \
  NPROF_KEY_COLUMN (NPROF_TEXT, "step", "", "its name, or the program and which execution of it")
#define PLACE KEY ("process", "that announces the step, or the device whose work has no launches")

/* clang-format off */
const struct nprof_table critical_table = {
  .size = sizeof critical_table, .name = "critical", .title = "Critical path",
  .note = "The slowest step, the median one, then the first ones. A device without launches: what it does.",
  .columns = NPROF_COLUMNS (
      STEP, PLACE, PS ("start_ns", "of the window"), PS ("duration_ns", "of the window"),
      PS ("host_ns", "on the path: spans and gaps of hosts while the device idles"),
      PS ("launch_ns", "the same: from the end of the call to the start of the work"),
      PS ("compute_ns", "on the path"), PS ("communication_ns", "on the path"), PS ("copy_ns", "on the path"),
      PS ("queue_ns", "on the path: waits for the queue or an event"),
      PS ("unknown_ns", "on the path: the file does not say what was waited for"),
      PS ("unrecorded_ns", "on the path: waits for work that is not in the file"),
      PS ("host_raw_ns", "on the path: of hosts and launches, also while the device works"),
      WORD ("verdict", "as in table bound"), INT ("hand_offs", "from thread to thread, inferred"),
      INT ("unlinked", "work in the window whose launch is not in the file")),
};

const struct nprof_table bound_table = {
  .size = sizeof bound_table, .name = "bound", .title = "What bounds a step",
  .note = "The part of the critical path that has half of the step.",
  .columns = NPROF_COLUMNS (
      STEP, PLACE,
      WORD ("verdict", "host, input, launch, compute, memory-bandwidth, communication, copy, queue, mixed, unknown"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", "of the window"),
      WORD ("second", "next largest"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "second_share", "1", "of the window"),
      NPROF_NOTE_COLUMN ("evidence", "one sentence"),
      INT ("of_steps", "among so many of the process it was chosen to be walked"),
      PS ("of_ns", "sum of their windows"),
      WORD ("share_of", "what the shares are of: critical path, or device time, of the window both")),
};

const struct nprof_table path_table = {
  .size = sizeof path_table, .name = "critical_path", .title = "Segments of the critical path",
  .note = "Equal neighbours are one.",
  .columns = NPROF_COLUMNS (
      STEP, PLACE, NPROF_KEY_COLUMN (NPROF_INT64, "position", "", "from 0"),
      PS ("start_ns", "of the segment"), PS ("duration_ns", "of the segment"),
      WORD ("class", "host_op, host_api, host_gap, sync_return, sync_other, launch, compute, communication, "
            "copy, queue_gap, wait_gap, unrecorded, unknown"),
      WORD ("name", "of the span, or of the work that a gap is before"), WORD ("category", "of the span"),
      WORD ("track", "where"), INT ("count", "segments")),
};

const struct nprof_table what_if_table = {
  .size = sizeof what_if_table, .name = "what_if", .title = "What a faster operator would gain",
  .note = "Found by replay: what waits for something else stays where it was.",
  .columns = NPROF_COLUMNS (
      STEP, PLACE, KEY ("operator", "name"), KEY ("category", "of its rows"),
      NPROF_KEY_COLUMN (NPROF_DOUBLE, "factor", "", "how much faster; 0: free"),
      PS ("total_ns", "sum of its rows"), PS ("critical_ns", "of which on the path"),
      PS ("gain_ns", "by replay"), PS ("bound_ns", "critical * (1 - 1 / factor)")),
};
/* clang-format on */

static void
put_keys (const Critical *self, const Judged *j, struct nprof_cell *cells)
{
  const struct nprof_host *h = self->host;
  cells[0] = nprof_cell_str (h->input (h, j->input)->label);
  cells[1] = nprof_cell_text (j->name);
  cells[2] = nprof_cell_str (j->place);
}

static struct nprof_cell
word (const Critical *self, const char *text)
{
  return text ? nprof_cell_str (nprof_intern (self->host, text)) : nprof_cell_null ();
}

/* -- Verdicts ------------------------------------------------------------------------------------------- */

static nprof_status
write_critical (const Critical *self, const Judged *j)
{
  struct nprof_cell cells[17]
      = { { 0 }, { 0 }, { 0 }, nprof_cell_int (j->start), nprof_cell_int (j->duration) };
  put_keys (self, j, cells);
  for (guint i = 0; i < GROUPS; i++)
    cells[5 + i]
        = j->no_launches && i != G_UNKNOWN ? nprof_cell_null () : nprof_cell_int (j->groups.of[i]);
  if (j->no_launches)
    cells[5 + G_UNKNOWN] = nprof_cell_int (j->duration);
  cells[5 + GROUPS]
      = j->no_launches || !j->on_host ? nprof_cell_null () : nprof_cell_int (j->host_raw);
  cells[6 + GROUPS] = word (self, j->verdict);
  cells[7 + GROUPS] = nprof_cell_int (j->hand_offs);
  cells[8 + GROUPS] = nprof_cell_int (j->unlinked);
  return self->host->row (self->host, &critical_table, cells);
}

static nprof_status
write_bound (const Critical *self, const Judged *j)
{
  gboolean unknown = g_str_equal (j->verdict, "unknown");
  struct nprof_cell cells[]
      = { { 0 },
          { 0 },
          { 0 },
          word (self, j->verdict),
          unknown ? nprof_cell_null () : nprof_cell_double (j->share),
          unknown ? nprof_cell_null () : word (self, j->second),
          unknown || !j->second ? nprof_cell_null () : nprof_cell_double (j->second_share),
          nprof_cell_text (j->evidence),
          nprof_cell_int (j->choice.steps),
          nprof_cell_int (j->choice.duration),
          unknown ? nprof_cell_null ()
                  : word (self, j->on_path ? "critical path" : "device time") };
  put_keys (self, j, cells);
  return self->host->row (self->host, &bound_table, cells);
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

/* -- The path --------------------------------------------------------------------------------------------- */

static nprof_status
write_segment (const Critical *self, const Judged *j, const Segment *s, guint position)
{
  const struct nprof_host *h = self->host;
  struct nprof_cell cells[]
      = { { 0 },
          { 0 },
          { 0 },
          nprof_cell_int (position),
          nprof_cell_int (s->start),
          nprof_cell_int (s->end - s->start),
          word (self, path_class_name (s->class)),
          an_str_cell (s->name),
          an_str_cell (s->category),
          s->track ? nprof_cell_str (nprof_track_label (h->track_info (h, s->track)))
                   : nprof_cell_null (),
          nprof_cell_int (s->count) };
  put_keys (self, j, cells);
  return h->row (h, &path_table, cells);
}

nprof_status
write_path (const Critical *self, const Judged *j, const Path *path)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < path->segments->len && !status; i++)
    status = write_segment (self, j, &g_array_index (path->segments, Segment, i), i);
  return status;
}

/* -- What if ------------------------------------------------------------------------------------------------ */

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

static gint64
total_of (const Loaded *l, nprof_str name)
{
  gint64 sum = 0;
  for (guint i = 0; i < l->ops->len; i++)
    sum += op_at (l, i)->name == name ? within (l->window, op_at (l, i)->start, op_at (l, i)->end)
                                      : 0;
  for (guint i = 0; i < l->threads->len; i++) {
    const GArray *segments = ((const Thread *) g_ptr_array_index (l->threads, i))->segments;
    for (guint k = 0; k < segments->len; k++) {
      const ThreadSegment *s = &g_array_index (segments, ThreadSegment, k);
      if (s->span != NOBODY && span_at (l, s->span)->name == name)
        sum += within (l->window, s->start, s->end);
    }
  }
  return sum;
}

static nprof_status
write_gain (Critical *self, const Judged *j, const Loaded *l, const Candidate *c, double factor)
{
  gint64 bound = factor > 0 ? (gint64) ((double) c->critical * (1 - 1 / factor)) : c->critical;
  struct nprof_cell cells[] = { { 0 },
                                { 0 },
                                { 0 },
                                nprof_cell_str (c->name),
                                an_str_cell (c->category),
                                nprof_cell_double (factor),
                                nprof_cell_int (c->total),
                                nprof_cell_int (c->critical),
                                nprof_cell_int (replay_gain (self, l, c->name, factor)),
                                nprof_cell_int (bound) };
  put_keys (self, j, cells);
  return self->host->row (self->host, &what_if_table, cells);
}

nprof_status
write_what_if (Critical *self, const Judged *j, const Loaded *l, const Path *path)
{
  static const double factors[] = { 0, 2 };
  g_autoptr (GArray) all = candidates_of (path);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < all->len && i < (guint) self->n_what_if && !status; i++) {
    Candidate *c = &g_array_index (all, Candidate, i);
    c->total = total_of (l, c->name);
    for (guint f = 0; f < G_N_ELEMENTS (factors) && !status; f++)
      status = write_gain (self, j, l, c, factors[f]);
  }
  return status;
}
