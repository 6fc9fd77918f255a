/* SPDX-License-Identifier: Apache-2.0 */
/* launched.c - joins rows of work of a GPU with the path of operators around the call that launched
 * them: table operators_linked.  Other tools count only work whose launch is in the file
 * (chrome-trace.md 8); here both are rows, with the reason. */
#include "operators.h"

#include <nprof/keys.h>

/* Rows that wait for a launch; beyond that the oldest are taken as rows without. */
#define WAITING 65536u

typedef struct {
  guint32 kernel; /* G_MAXUINT32: its launch has come */
  nprof_str name;
  nprof_track device;
  gint64 duration, inside; /* inside: of it what is shown, 0 of a hidden row */
  bool hidden;
  uint32_t input;
  AnGraphRow graph;
} WaitingKernel;

static const char *const reasons[]
    = { NULL, "its launch is not in the file", "it has no correlation id" };

void
launched_init (Operators *self)
{
  Launched *l = &self->launched;
  graph_calls_init (self);
  an_key_table_init (&l->kernels, KERNEL_WORDS);
  an_key_table_init (&l->keys, LAUNCHED_WORDS);
  an_key_table_init (&l->processes, 2);
  an_key_table_init (&l->replaying, 1);
  l->replays = np_large_array_new (sizeof (Wide));
  l->sums = np_large_array_new (sizeof (LaunchedSum));
  l->waiting = g_array_new (FALSE, FALSE, sizeof (WaitingKernel));
}

void
launched_clear (Operators *self)
{
  Launched *l = &self->launched;
  graph_calls_clear (self);
  an_key_table_clear (&l->kernels);
  an_key_table_clear (&l->keys);
  an_key_table_clear (&l->processes);
  an_key_table_clear (&l->replaying);
  g_clear_pointer (&l->replays, np_large_array_free);
  g_clear_pointer (&l->sums, np_large_array_free);
  g_clear_pointer (&l->waiting, g_array_unref);
}

/* -- Rows ---------------------------------------------------------------------------------- */

void
launched_fold (LaunchedSum *to, const LaunchedSum *sum)
{
  to->calls += sum->calls;
  to->total += sum->total;
  to->outside += sum->outside;
  to->min = MIN (to->min, sum->min);
  to->max = MAX (to->max, sum->max);
  to->certainty = MIN (to->certainty, sum->certainty);
}

/* An operator that is not known is of no certainty, even where its launch is known to lie in
 * none. */
static GraphMatch
certainty_of (const WaitingKernel *row, Reason reason)
{
  if (!row->graph.operator && reason == LINKED)
    return GRAPH_CALLED;
  return row->graph.call && reason == LINKED ? row->graph.match : GRAPH_NONE;
}

static void
count (Launched *l, const guint32 *key, const WaitingKernel *row)
{
  gint64 duration = row->duration;
  guint number = an_key_table_get (&l->keys, key);
  bool is_new = number == l->sums->len;
  if (is_new)
    np_large_array_extend (l->sums, number + 1);
  LaunchedSum *sum = &g_array_index (l->sums, LaunchedSum, number);
  const LaunchedSum one = { .calls = 1,
                            .total = row->inside,
                            .outside = duration - row->inside,
                            .min = duration,
                            .max = duration,
                            .certainty = certainty_of (row, key[LAUNCHED_REASON]) };
  if (is_new)
    *sum = one;
  else
    launched_fold (sum, &one);
}

static void
add_unlinked (Operators *self, const WaitingKernel *row, Reason reason)
{
  const guint32 key[LAUNCHED_WORDS]
      = { [LAUNCHED_KERNEL] = row->kernel, [LAUNCHED_REASON] = reason };
  if (!row->hidden)
    count (&self->launched, key, row);
}

static void
add_linked (Operators *self, const WaitingKernel *row, const AnLaunchSite *launch)
{
  AnLaunchSite of_graph;
  const AnLaunchSite *site = launch;
  if (row->graph.operator) {
    of_graph = graph_calls_site (self, row->input, row->device, &row->graph, launch);
    site = &of_graph;
  }
  if (row->hidden) {
    products_work (self, site->call, 0, row->name, row->duration, 0);
    return;
  }
  const guint32 key[LAUNCHED_WORDS] = { [LAUNCHED_KERNEL] = row->kernel,
                                        [LAUNCHED_NODE] = site->node,
                                        [LAUNCHED_SHAPE] = products_shape (self, site->call),
                                        [LAUNCHED_REASON] = LINKED },
                process[] = { row->device, site->process };
  count (&self->launched, key, row);
  an_key_table_get (&self->launched.processes, process);
  products_work (self, site->call, row->device, row->name, row->duration, row->inside);
}

void
launched_linked (gpointer operators, guint number, const AnLaunchSite *site)
{
  Operators *self = operators;
  Launched *l = &self->launched;
  if (number < l->waiting_from)
    return;
  WaitingKernel *row = &g_array_index (l->waiting, WaitingKernel, number - l->waiting_from);
  if (row->kernel != G_MAXUINT32)
    add_linked (self, row, site);
  row->kernel = G_MAXUINT32;
}

static void
give_up (Operators *self, guint n)
{
  Launched *l = &self->launched;
  for (guint i = 0; i < n; i++) {
    const WaitingKernel *row = &g_array_index (l->waiting, WaitingKernel, i);
    if (row->kernel != G_MAXUINT32)
      add_unlinked (self, row, NO_LAUNCH);
  }
  g_array_remove_range (l->waiting, 0, n);
  l->waiting_from += n;
  an_links_give_up (self->links, l->waiting_from);
}

static void
wait_for_launch (Operators *self, uint32_t input, guint64 correlation, const WaitingKernel *row)
{
  Launched *l = &self->launched;
  an_links_wait (self->links, input, correlation, l->waiting_from + l->waiting->len);
  g_array_append_val (l->waiting, *row);
  if (l->waiting->len == 2 * WAITING)
    give_up (self, WAITING);
}

void
launched_row (Operators *self, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  const guint32 kernel[KERNEL_WORDS]
      = { place->track, batch->name[i], batch->category[i], place->device };
  const bool hidden = nprof_hidden (batch, i);
  const gint64 duration = batch->duration[i];
  const WaitingKernel row
      = { .kernel = hidden ? 0 : an_key_table_get (&self->launched.kernels, kernel),
          .hidden = hidden,
          .name = batch->name[i],
          .device = place->device,
          .input = place->input,
          .graph = an_graph_row (batch, i, &self->graph_calls.keys),
          .duration = duration,
          .inside = hidden ? 0 : nprof_inside (&self->clip, batch->start[i], duration) };
  if (row.graph.operator && !hidden)
    graph_calls_on (self, place->device);
  guint64 correlation = an_links_correlation (self->links, batch, i);
  AnLaunchSite site;
  self->products.followed
      = true; /* also by work without a launch: its time says what may still come */
  if (an_links_find (self->links, place->input, correlation, batch->start[i], &site))
    add_linked (self, &row, &site);
  else if (correlation)
    wait_for_launch (self, place->input, correlation, &row);
  else
    add_unlinked (self, &row, NO_CORRELATION);
}

void
launched_replay (Operators *self, const AnPlace *place, gint64 inside)
{
  Launched *l = &self->launched;
  guint number = an_key_table_get (&l->replaying, (const guint32[]){ place->device });
  if (number == l->replays->len)
    np_large_array_extend (l->replays, number + 1);
  g_array_index (l->replays, Wide, number) += inside;
}

Wide
launched_replays_of (const Operators *self, nprof_track device)
{
  const Launched *l = &self->launched;
  for (guint i = 0; i < l->replays->len; i++)
    if (*an_key_table_key (&l->replaying, i) == device)
      return g_array_index (l->replays, Wide, i);
  return 0;
}

void
launched_end (Operators *self)
{
  give_up (self, self->launched.waiting->len);
}

/* -- Table ------------------------------------------------------------------------------------ */

typedef struct {
  const Operators *self;
  const AnKeyTable *rows;
} Sorting;

/* Returns the row; tuples that differ in paths and shapes alone are one. */
static guint
row_of (const Operators *self, const guint32 *key, AnKeyTable *rows)
{
  nprof_str launcher = key[LAUNCHED_NODE] ? name_of_node (self, key[LAUNCHED_NODE]) : 0;
  return an_key_table_get (rows, (const guint32[]){ key[LAUNCHED_KERNEL], launcher,
                                                    key[LAUNCHED_REASON] });
}

static nprof_status
write_row (Operators *self, const guint32 *key, const LaunchedSum *sum)
{
  const struct nprof_host *h = self->host;
  const guint32 *kernel = an_key_table_key (&self->launched.kernels, key[0]);
  const struct nprof_track_info *queue = h->track_info (h, kernel[KERNEL_QUEUE]),
                                *device = h->track_info (h, kernel[KERNEL_DEVICE]);
  const struct operators_linked_row row = {
    .device = nprof_any_str (nprof_track_label (device)),
    .queue = nprof_any_str (nprof_track_label (queue)),
    .launcher = nprof_some_str (key[1]),
    .operator= nprof_any_str (kernel[KERNEL_NAME]),
    .category = nprof_any_str (kernel[KERNEL_CATEGORY]),
    .linked = nprof_some_bool (key[2] == LINKED),
    .calls = nprof_some_int ((gint64) sum->calls),
    .total = wide_if (true, sum->total),
    .min = nprof_some_int (sum->min),
    .max = nprof_some_int (sum->max),
    .reason = nprof_some_text (reasons[key[2]]),
  };
  return an_rows_add (
      &self->rows, &operators_linked_table,
      operators_linked_cells (nprof_cell_str (h->input (h, queue->input)->label), &row).cells);
}

static nprof_track
device_of_row (const Sorting *s, guint row)
{
  guint32 kernel = an_key_table_key (s->rows, row)[0];
  return an_key_table_key (&s->self->launched.kernels, kernel)[KERNEL_DEVICE];
}

/* Sorts by input; the rows of one as they came. */
static int
by_input (gconstpointer a, gconstpointer b, gpointer user)
{
  const Sorting *s = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  int order = compare_inputs (s->self, device_of_row (s, i), device_of_row (s, j));
  return order ? order : (i > j) - (i < j);
}

nprof_status
launched_write (Operators *self)
{
  const Launched *l = &self->launched;
  nprof_status status = self->host->table (self->host, &operators_linked_table);
  AnKeyTable rows;
  an_key_table_init (&rows, 3);
  g_autoptr (NpLargeArray) sums = np_large_array_new (sizeof (LaunchedSum));
  for (guint i = 0; i < l->sums->len; i++) {
    const LaunchedSum *sum = &g_array_index (l->sums, LaunchedSum, i);
    guint number = row_of (self, an_key_table_key (&l->keys, i), &rows);
    if (number == sums->len) {
      np_large_array_extend (sums, number + 1);
      g_array_index (sums, LaunchedSum, number) = *sum;
    } else
      launched_fold (&g_array_index (sums, LaunchedSum, number), sum);
  }
  Sorting sorting = { self, &rows };
  g_autofree guint *order = in_order (sums->len, by_input, &sorting);
  for (guint i = 0; i < sums->len && !status; i++)
    status = write_row (self, an_key_table_key (&rows, order[i]),
                        &g_array_index (sums, LaunchedSum, order[i]));
  an_key_table_clear (&rows);
  return status;
}
