/* SPDX-License-Identifier: Apache-2.0 */
/* queues.c - writes tables queue_idle, launches and queue_length: each queue of a device by itself,
 * whole gaps by what ended them, and how far launches run ahead.  Only work that the selection
 * shows counts. */
#include "steps.h"

#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define INT(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "", help)
#define DEVICE NPROF_KEY_COLUMN (NPROF_STRING, "device", "", "device or core")
#define TRACK NPROF_KEY_COLUMN (NPROF_STRING, "track", "", "queue or stream of the device")

/* A queue that is ready starts its next work sooner than this.  source: HTA's default, in ps */
#define KERNEL_WAIT (30 * G_GINT64_CONSTANT (1000000))
/* So many launches are put in order before they count; a device lags behind by no more. */
#define AHEAD AN_LAUNCHES
#define MANY_AHEAD 1000
/* So many times that have counted are freed together. */
#define FORGET 4096u

const struct nprof_table queue_idle_table = {
  .size = sizeof queue_idle_table,
  .name = "queue_idle",
  .title = "Idle queues",
  .note
  = "A gap is from the end of all work before on the queue to the start of the next. host_wait: "
    "that was launched in the gap. kernel_wait: launched before, and the gap is shorter than "
    "30 us. other: longer. unlinked: its launch is not in the file.",
  .columns
  = NPROF_COLUMNS (DEVICE, TRACK,
                   NPROF_KEY_COLUMN (NPROF_STRING, "cause", "",
                                     "host_wait, kernel_wait, other, unlinked"),
                   INT ("gaps", "gaps of the queue"), PS ("duration_ns", "their sum"),
                   NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", "of the queue's idle time")),
};

const struct nprof_table launches_table = {
  .size = sizeof launches_table,
  .name = "launches",
  .title = "Launches",
  .note = "delay: from the end of the launching call to the start of the work, never below 0.",
  .columns
  = NPROF_COLUMNS (DEVICE, TRACK, INT ("launches", "work whose launch is in the file"),
                   PS ("call_ns", "sum of the launching calls, once for each work"),
                   PS ("operation_ns", "sum of that work"), PS ("delay_ns", "sum of delays"),
                   PS ("delay_p50_ns", "50th percentile"), PS ("delay_p99_ns", "99th percentile"),
                   PS ("delay_max_ns", "largest"),
                   INT ("short_operations", "work shorter than its call"),
                   INT ("early", "work that began before its call ended"),
                   INT ("unlinked", "work whose launch is not in the file")),
};

const struct nprof_table queue_length_table = {
  .size = sizeof queue_length_table,
  .name = "queue_length",
  .title = "Queue length",
  .note = "How much work was launched and had not begun, from the first launch to the start of the "
          "last work.",
  .columns
  = NPROF_COLUMNS (DEVICE, TRACK, INT ("max", "largest"),
                   NPROF_VALUE_COLUMN (NPROF_DOUBLE, "mean", "", "over time"),
                   PS ("empty_ns", "nothing was launched ahead"),
                   PS ("ge_1000_ns", "1000 or more: at about 1024 CUDA lets launches block")),
};

typedef enum { HOST_WAIT, KERNEL_WAIT_CAUSE, OTHER, UNLINKED, N_CAUSES } Cause;

/* Starts of launches and of work are a walk through time. */
typedef struct {
  GArray *at;  /* of gint64, ascending               */
  guint first; /* those before have counted          */
} Times;

typedef struct {
  Times launched, begun;
  gint64 now, start; /* start: of the walk                 */
  gint64 length, max;
  gint64 empty, many; /* ps */
  DistSum sum;        /* ps * length */
  bool walks;
} Length;

struct _Queue {
  const Device *device;
  nprof_track track;
  gint64 last; /* end of all work so far; G_MININT64: none */
  gint64 idle[N_CAUSES];
  guint64 gaps[N_CAUSES];
  guint64 unlinked, shorter, early;
  DistSum call, operation, waited; /* ps */
  Dist delay;
  Length length;
};

void
st_queue_free (gpointer queue)
{
  Queue *q = queue;
  if (!q)
    return;
  dist_clear (&q->delay);
  g_array_unref (q->length.launched.at);
  g_array_unref (q->length.begun.at);
  g_free (q);
}

static Queue *
queue_of (Steps *self, const Device *d, nprof_track track)
{
  if (track >= self->queues->len)
    g_ptr_array_set_size (self->queues, (int) MAX (track + 1, self->queues->len * 2));
  Queue *q = g_ptr_array_index (self->queues, track);
  if (q)
    return q;
  self->queues->pdata[track] = q = g_new0 (Queue, 1);
  q->device = d;
  q->track = track;
  q->last = G_MININT64;
  q->length.launched.at = g_array_new (FALSE, FALSE, sizeof (gint64));
  q->length.begun.at = g_array_new (FALSE, FALSE, sizeof (gint64));
  return q;
}

/* -- Length ------------------------------------------------------------------------------------ */

static void
walk (const struct nprof_window *clip, Length *l, gint64 at, int change)
{
  if (!l->walks)
    l->now = l->start = at;
  l->walks = true;
  gint64 time = nprof_cut (clip, at) - nprof_cut (clip, l->now);
  l->sum += (DistSum) time * l->length;
  l->empty += l->length == 0 ? time : 0;
  l->many += l->length >= MANY_AHEAD ? time : 0;
  if (nprof_touches (clip, l->now, at))
    l->max = MAX (l->max, l->length);
  l->now = at;
  l->length += change;
}

static guint
left (const Times *t)
{
  return t->at->len - t->first;
}

static gint64
first_time (const Times *t)
{
  return g_array_index (t->at, gint64, t->first);
}

static gint64
take_time (Times *t)
{
  gint64 at = first_time (t);
  if (++t->first >= FORGET && t->first > t->at->len / 2) {
    g_array_remove_range (t->at, 0, t->first);
    t->first = 0;
  }
  return at;
}

/* Adds a time; most come in order. */
static void
add_time (Times *t, gint64 at)
{
  g_array_append_val (t->at, at);
  guint i = t->at->len - 1;
  for (; i > t->first && g_array_index (t->at, gint64, i - 1) > at; i--)
    g_array_index (t->at, gint64, i) = g_array_index (t->at, gint64, i - 1);
  g_array_index (t->at, gint64, i) = at;
}

/* Passes work that began before the next launch; at one moment the launch comes first. */
static void
pass_launch (const struct nprof_window *clip, Length *l)
{
  gint64 at = take_time (&l->launched);
  while (left (&l->begun) && first_time (&l->begun) < at)
    walk (clip, l, take_time (&l->begun), -1);
  walk (clip, l, at, 1);
}

static void
add_length (const struct nprof_window *clip, Length *l, gint64 launched, gint64 start)
{
  add_time (&l->launched, launched);
  add_time (&l->begun, start);
  if (left (&l->launched) > AHEAD)
    pass_launch (clip, l);
}

static void
end_length (const struct nprof_window *clip, Length *l)
{
  while (left (&l->launched))
    pass_launch (clip, l);
  while (left (&l->begun))
    walk (clip, l, take_time (&l->begun), -1);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
take_gap (const struct nprof_window *clip, Queue *q, const DeviceWork *w)
{
  if (q->last == G_MININT64 || w->start <= q->last || !nprof_touches (clip, q->last, w->start))
    return;
  gint64 gap = w->start - q->last;
  Cause cause = UNLINKED;
  if (w->launch)
    cause = w->launch->start > q->last ? HOST_WAIT : gap < KERNEL_WAIT ? KERNEL_WAIT_CAUSE : OTHER;
  q->idle[cause] += nprof_inside (clip, q->last, gap);
  q->gaps[cause]++;
}

static void
take_launch (const struct nprof_window *clip, Queue *q, const DeviceWork *w)
{
  const AnLaunch *launch = w->launch;
  gint64 call = launch->end - launch->start, length = w->end - w->start;
  gint64 delay = MAX (0, w->start - launch->end);
  q->call += nprof_inside (clip, launch->start, call);
  q->operation += nprof_inside (clip, w->start, length);
  q->waited += nprof_inside (clip, launch->end, delay);
  q->shorter += length < call;
  q->early += w->start < launch->end;
  dist_add (&q->delay, delay);
  add_length (clip, &q->length, launch->start, MAX (launch->start, w->start));
}

void
st_queue_work (Steps *self, const Device *d, nprof_track track, const DeviceWork *w)
{
  Queue *q = queue_of (self, d, track);
  const struct nprof_window *clip = &self->clip;
  if (w->shown || (clip->cuts && w->start > clip->to)) /* the gap before may lie in the window */
    take_gap (clip, q, w);
  if (w->shown && w->launch)
    take_launch (clip, q, w);
  else if (w->shown)
    q->unlinked++;
  q->last = MAX (q->last, w->end);
}

/* -- Tables ------------------------------------------------------------------------------------ */

static const struct nprof_host *
host_of (const Queue *q)
{
  return q->device->steps->host;
}

static void
put_keys (const Queue *q, struct nprof_cell *cells)
{
  const struct nprof_host *h = host_of (q);
  cells[0] = nprof_cell_str (h->input (h, q->device->input)->label);
  cells[1] = nprof_cell_str (q->device->label);
  cells[2] = nprof_cell_str (nprof_track_label (h->track_info (h, q->track)));
}

static nprof_status
write_idle (Queue *q)
{
  static const char *const causes[N_CAUSES] = { "host_wait", "kernel_wait", "other", "unlinked" };
  const struct nprof_host *h = host_of (q);
  nprof_status status = NPROF_OK;
  gint64 all = 0;
  for (guint i = 0; i < N_CAUSES; i++)
    all += q->idle[i];
  for (guint i = 0; i < N_CAUSES && status == NPROF_OK; i++) {
    if (!q->gaps[i])
      continue;
    struct nprof_cell cells[]
        = { { 0 },
            { 0 },
            { 0 },
            nprof_cell_str (nprof_intern (h, causes[i])),
            nprof_cell_int ((gint64) q->gaps[i]),
            nprof_cell_int (q->idle[i]),
            all ? nprof_cell_double ((double) q->idle[i] / (double) all) : nprof_cell_null () };
    put_keys (q, cells);
    status = an_rows_add (&q->device->steps->rows, &queue_idle_table, cells);
  }
  return status;
}

static struct nprof_cell
cell_if_known (const Queue *q, gint64 value)
{
  return q->delay.count ? nprof_cell_int (value) : nprof_cell_null ();
}

static nprof_status
write_launches (Queue *q)
{
  const Dist *d = &q->delay;
  gint64 p50 = d->count ? dist_percentile (d, 500, false) : 0;
  gint64 p99 = d->count ? dist_percentile (d, 990, false) : 0;
  struct nprof_cell cells[] = { { 0 },
                                { 0 },
                                { 0 },
                                nprof_cell_int ((gint64) d->count),
                                cell_if_known (q, (gint64) q->call),
                                cell_if_known (q, (gint64) q->operation),
                                cell_if_known (q, (gint64) q->waited),
                                cell_if_known (q, p50),
                                cell_if_known (q, p99),
                                cell_if_known (q, d->max),
                                nprof_cell_int ((gint64) q->shorter),
                                nprof_cell_int ((gint64) q->early),
                                nprof_cell_int ((gint64) q->unlinked) };
  put_keys (q, cells);
  return an_rows_add (&q->device->steps->rows, &launches_table, cells);
}

static nprof_status
write_length (Queue *q)
{
  Length *l = &q->length;
  const struct nprof_window *clip = &q->device->steps->clip;
  end_length (clip, l);
  gint64 time = nprof_cut (clip, l->now) - nprof_cut (clip, l->start);
  struct nprof_cell cells[]
      = { { 0 },
          { 0 },
          { 0 },
          cell_if_known (q, l->max),
          time ? nprof_cell_double ((double) l->sum / (double) time) : nprof_cell_null (),
          cell_if_known (q, l->empty),
          cell_if_known (q, l->many) };
  put_keys (q, cells);
  return an_rows_add (&q->device->steps->rows, &queue_length_table, cells);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Queue *x = *(Queue *const *) a, *y = *(Queue *const *) b;
  return st_place_compare (host_of (x), x->track, y->track);
}

/* Returns queues in order; a track without launches, and without work that a launch could have,
 * lies on no queue. */
static GPtrArray *
queues_in_order (const Steps *self)
{
  GPtrArray *queues = g_ptr_array_new ();
  for (guint i = 0; i < self->queues->len; i++) {
    Queue *q = g_ptr_array_index (self->queues, i);
    if (q && (q->delay.count || q->unlinked))
      g_ptr_array_add (queues, q);
  }
  g_ptr_array_sort (queues, by_place);
  return queues;
}

nprof_status
write_queues (Steps *self)
{
  nprof_status (*const write[]) (Queue *) = { write_idle, write_launches, write_length };
  const struct nprof_table *const tables[]
      = { &queue_idle_table, &launches_table, &queue_length_table };
  g_autoptr (GPtrArray) queues = queues_in_order (self);
  nprof_status status = NPROF_OK;
  for (guint t = 0; t < G_N_ELEMENTS (tables) && status == NPROF_OK; t++) {
    status = self->host->table (self->host, tables[t]);
    for (guint i = 0; i < queues->len && status == NPROF_OK; i++)
      status = write[t](g_ptr_array_index (queues, i));
  }
  return status;
}
