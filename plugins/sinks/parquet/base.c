/* SPDX-License-Identifier: Apache-2.0 */
/* base.c - fills the columns that do not come from attributes: a slice of a batch at a time, by
 * copying it as it lies there where no row is without a value. */
#include "events.h"

#define N_BASE EV_N_BASE

static const struct {
  const char *name;
  enum pq_kind kind;
  const char *unit, *help;
} base[N_BASE] = {
  [EV_INPUT] = { "input", PQ_TEXT, "", "label of the input" },
  [EV_START] = { "start_ps", PQ_INT64, "ps", "from the origin of the run" },
  [EV_DURATION] = { "duration_ps", PQ_INT64, "ps", "null: no end in the file" },
  [EV_TIME] = { "time", PQ_TIMESTAMP_NS, "ns", "start, absolute; rounded down to ns" },
  [EV_TRACK] = { "track", PQ_UINT32, "", "number of the track, see table tracks" },
  [EV_PROCESS] = { "process", PQ_TEXT, "", "label of its process or device" },
  [EV_THREAD] = { "thread", PQ_TEXT, "", "label of the track" },
  [EV_KIND] = { "kind", PQ_TEXT, "", "span, instant, counter, flow, fact, gap" },
  [EV_CATEGORY] = { "category", PQ_TEXT, "", "" },
  [EV_NAME] = { "name", PQ_TEXT, "", "" },
  [EV_VALUE] = { "value", PQ_DOUBLE, "", "of a counter" },
  [EV_ID] = { "id", PQ_UINT64, "", "unique within the input" },
  [EV_PARENT] = { "parent", PQ_UINT64, "", "id of the row that it belongs to" },
  [EV_FLOW] = { "flow", PQ_UINT64, "", "joins the ends of an arrow" },
};

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

void
base_open (struct events *e)
{
  e->tracks = g_array_new (FALSE, TRUE, sizeof (struct row_track));
  for (guint k = 0; k < G_N_ELEMENTS (e->kinds); k++)
    e->kinds[k] = nprof_intern (e->host, k < G_N_ELEMENTS (kinds) ? kinds[k] : "unknown");
}

void
base_add_columns (struct events *e)
{
  for (guint c = 0; c < N_BASE; c++)
    e->first_base[c] = c == EV_TIME && e->origin_ns == NPROF_NO_EPOCH
                           ? EV_NO_LEAF
                           : table_file_columns_add_kind (e->columns, base[c].name, base[c].kind,
                                                          base[c].unit, base[c].help);
}

/* -- Rows of a slice ------------------------------------------------------- */

static void *
all_rows (const struct slice *s, guint base_column)
{
  struct pq_values *v = table_file_leaf (s->table_file, s->e->first_base[base_column]);
  return pq_values_add_all (v, s->table_file->writer.n_rows, s->n);
}

static void *
one_row (const struct slice *s, guint base_column, guint i)
{
  struct pq_values *v = table_file_leaf (s->table_file, s->e->first_base[base_column]);
  return pq_values_add (v, s->table_file->writer.n_rows + (i - s->from));
}

/* Puts a column of which zeros are no values. */
static void
put_present (const struct slice *s, guint base_column, const void *from)
{
  struct pq_values *v = table_file_leaf (s->table_file, s->e->first_base[base_column]);
  size_t width = pq_width (v->kind);
  if (from)
    pq_values_add_present (v, s->table_file->writer.n_rows, (const char *) from + s->from * width,
                           s->n);
}

static void
put_input (const struct slice *s)
{
  nprof_str *to = all_rows (s, EV_INPUT);
  nprof_str label = s->e->host->input (s->e->host, s->b->input)->label;
  for (guint k = 0; to && k < s->n; k++)
    to[k] = label;
}

/* -- Times ----------------------------------------------------------------- */

/* Returns a time, rounded down; one beyond the type's range (year 2262) is none. */
static gboolean
time_of (const struct events *e, gint64 start, gint64 *time)
{
  gint64 ns = start / 1000 - (start % 1000 < 0);
  return !__builtin_add_overflow (e->origin_ns, ns, time);
}

static void
put_time (const struct slice *s, guint i)
{
  gint64 time;
  gint64 *to = time_of (s->e, s->b->start[i], &time) ? one_row (s, EV_TIME, i) : NULL;
  if (to)
    *to = time;
}

/* Puts times of a row that may lack some: those of a fact mean nothing. */
static void
put_times_of (const struct slice *s, guint i)
{
  if (s->b->kind[i] == NPROF_FACT)
    return;
  gint64 *start = one_row (s, EV_START, i);
  gint64 *duration = s->b->duration[i] >= 0 ? one_row (s, EV_DURATION, i) : NULL;
  if (start)
    *start = s->b->start[i];
  if (duration)
    *duration = s->b->duration[i];
  if (s->e->first_base[EV_TIME] != EV_NO_LEAF)
    put_time (s, i);
}

static gboolean
all_have_times (const struct slice *s)
{
  gboolean facts = FALSE;
  gint64 signs = 0, time;
  for (guint i = s->from; i < s->from + s->n; i++) {
    facts |= s->b->kind[i] == NPROF_FACT;
    signs |= s->b->duration[i];
  }
  if (facts || signs < 0)
    return FALSE;
  for (guint i = s->from; s->e->first_base[EV_TIME] != EV_NO_LEAF && i < s->from + s->n; i++)
    facts |= !time_of (s->e, s->b->start[i], &time);
  return !facts;
}

static void
put_times (const struct slice *s)
{
  if (!all_have_times (s)) {
    for (guint i = s->from; i < s->from + s->n; i++)
      put_times_of (s, i);
    return;
  }
  gint64 *start = all_rows (s, EV_START), *duration = all_rows (s, EV_DURATION);
  gint64 *time = s->e->first_base[EV_TIME] != EV_NO_LEAF ? all_rows (s, EV_TIME) : NULL;
  if (start)
    memcpy (start, s->b->start + s->from, s->n * sizeof *start);
  if (duration)
    memcpy (duration, s->b->duration + s->from, s->n * sizeof *duration);
  for (guint k = 0; time && k < s->n; k++)
    time_of (s->e, s->b->start[s->from + k], time + k);
}

/* -- The others ------------------------------------------------------------ */

/* Puts the track of n rows from `from`, which all are on it. */
static void
put_track (const struct slice *s, guint from, guint n, guint32 *number, nprof_str *thread)
{
  const struct row_track *track = row_track_of (s->e->tracks, s->e->host, s->b->track[from]);
  struct pq_values *processes = table_file_leaf (s->table_file, s->e->first_base[EV_PROCESS]);
  gsize row = s->table_file->writer.n_rows + (from - s->from);
  nprof_str *process = track->in_process ? pq_values_add_all (processes, row, n) : NULL;
  for (guint k = 0; k < n; k++) {
    number[k] = track->number;
    thread[k] = track->thread;
  }
  for (guint k = 0; process && k < n; k++)
    process[k] = track->process;
}

static void
put_tracks (const struct slice *s)
{
  const nprof_track *handle = s->b->track;
  guint32 *number = all_rows (s, EV_TRACK);
  nprof_str *thread = all_rows (s, EV_THREAD);
  guint end = s->from + s->n;
  for (guint i = s->from, run; number && thread && i < end; i += run) {
    for (run = 1; i + run < end && handle[i + run] == handle[i];)
      run++;
    put_track (s, i, run, number + (i - s->from), thread + (i - s->from));
  }
}

static void
put_names (const struct slice *s)
{
  nprof_str *name = all_rows (s, EV_NAME);
  nprof_str *kind = all_rows (s, EV_KIND);
  if (name)
    memcpy (name, s->b->name + s->from, s->n * sizeof *name);
  for (guint k = 0; kind && k < s->n; k++)
    kind[k] = s->e->kinds[MIN (s->b->kind[s->from + k], G_N_ELEMENTS (kinds))];
  put_present (s, EV_CATEGORY, s->b->category);
}

static void
put_values (const struct slice *s)
{
  for (guint i = s->from; s->b->value && i < s->from + s->n; i++) {
    gboolean valid = s->b->value_valid[i >> 3] >> (i & 7) & 1;
    double *to = valid ? one_row (s, EV_VALUE, i) : NULL;
    if (to)
      *to = s->b->value[i];
  }
}

void
base_put (const struct slice *s)
{
  put_input (s);
  put_times (s);
  put_tracks (s);
  put_names (s);
  put_values (s);
  put_present (s, EV_ID, s->b->id);
  put_present (s, EV_PARENT, s->b->parent);
  put_present (s, EV_FLOW, s->b->flow);
}
