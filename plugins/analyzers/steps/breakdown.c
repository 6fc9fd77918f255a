/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown.c - chooses the windows that each device is looked at in, and writes the tables of what
 * it did in them: step_breakdown and idle_causes. partition.c cuts. */
#include "devicekit/by-track.h"
#include "devicekit/cells.h"
#include "verdict.h"

#define PS(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "ps", help)
#define INT(name, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, "", help)
#define DEVICE NPROF_KEY_COLUMN (NPROF_STRING, "device", "", "device or core")
#define STEP                                                                                       \
  NPROF_KEY_COLUMN (NPROF_TEXT, "step", "", "its name, or the program and which execution of it")

/* clang-format off */
const struct nprof_table step_breakdown_table = {
  .size = sizeof step_breakdown_table, .name = "step_breakdown", .title = "Steps, cut into parts",
  .note = "compute, exposed_communication, exposed_copy, control, idle and lost add up to window; "
          "the causes of idle add up to it. Work belongs to the step that launched it.",
  .columns = NPROF_COLUMNS (
      DEVICE, STEP,
      NPROF_DOUBT_COLUMN (NPROF_BOOL, "cut", "", "the profile cut it: it is in no mean"),
      PS ("start_ns", "of the window: of the step on the host, or the end of the window before"),
      PS ("window_ns", "until the end of the step on the host, or of the last work that it launched"),
      PS ("host_ns", "duration of the step on the host"),
      PS ("compute_ns", "some computing under way"),
      PS ("exposed_communication_ns", "communication while nothing computes"),
      PS ("exposed_copy_ns", "copies while nothing computes or communicates"),
      PS ("control_ns", "control and setup while nothing computes, communicates or copies"),
      PS ("idle_ns", "the rest"),
      PS ("idle_host_ns", "what ended the gap was not launched yet"),
      PS ("idle_launch_ns", "it was launched in the gap, and had not begun"),
      PS ("idle_wait_ns", "it was launched before; with dma and collective of devices without launches"),
      PS ("idle_unlinked_ns", "its launch is not in the file"),
      PS ("lost_ns", "no work recorded, and rows missing: busy or idle, unknown"),
      PS ("foreign_ns", "busy with work of other steps alone"),
      PS ("unlinked_ns", "busy with work whose launch is not in the file"),
      INT ("rows", "work of the step on the device"),
      INT ("shown", "of these rows those that the selection does not leave out"),
      PS ("launched_ns", "sum of its durations"),
      PS ("outside_window_ns", "part of that sum outside of the window"),
      PS ("infeed_ns", "of exposed_copy: a TPU's input under way (infeed)"),
      PS ("period_ns", "from the end of the last computing or communication of the step before to "
                       "that of its own, by launch; of the first step from its start"),
      NPROF_VALUE_COLUMN (NPROF_BOOL, "lag", "",
                          "the first one, whose period holds what the device still had to do"),
      PS ("counted_ns", "of that the verdict is: its period, or its window where it is alone; "
                        "unknown: it does not count")),
};

const struct nprof_table idle_causes_table = {
  .size = sizeof idle_causes_table, .name = "idle_causes", .title = "Idle time of steps by cause",
  .note = "the rows of one step on one device add up to its idle_ns",
  .columns = NPROF_COLUMNS (
      DEVICE, STEP,
      NPROF_KEY_COLUMN (NPROF_STRING, "cause", "", "host, launch, wait, dma, collective, unlinked"),
      NPROF_KEY_COLUMN (NPROF_STRING, "where", "",
                        "cause host: innermost span under way on the thread that launched what ended the gap"),
      INT ("gaps", "gaps with such a part"),
      PS ("duration_ns", "sum of these parts"),
      NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", "of the step's idle time")),
};
/* clang-format on */

/* -- Windows of a device ----------------------------------------------------------------------- */

static GArray *
windows_of_process (const Steps *self, const Process *p)
{
  GArray *windows = g_array_new (FALSE, TRUE, sizeof (Window));
  for (guint i = 0; i < p->steps->len; i++) {
    guint number = g_array_index (p->steps, guint, i);
    const HostStep *s = host_step_at (self, number);
    const Window w = { .name = g_strdup (nprof_text (self->host, s->name)),
                       .start = s->window_start,
                       .end = s->window_end,
                       .host = s->end - s->start,
                       .host_end = s->end,
                       .has_host = true,
                       .cut = s->cut,
                       .shown = s->shown,
                       .owner = OWNER_STEP + number,
                       .thread = s->thread };
    g_array_append_val (windows, w);
  }
  return windows;
}

static GArray *
windows_of_series (const Steps *self, guint number)
{
  GArray *windows = g_array_new (FALSE, TRUE, sizeof (Window));
  const Series *series = series_at (self, number);
  const guint32 *key = an_key_table_key (&self->series_keys, number);
  gint64 before = G_MININT64;
  for (guint i = 0; i < series->n; i++) {
    const Step *s = step_at (self, series->first + i);
    const char *name = nprof_text (self->host, s->name);
    Window w
        = { .start = MAX (s->start, before), .cut = s->cut, .shown = s->shown, .begun = &s->begun };
    w.name = key[S_SOURCE] == STEP_MODULE ? g_strdup_printf ("%s#%u", name, s->ordinal)
                                          : g_strdup (name);
    w.end = before = MAX (s->end, w.start);
    g_array_append_val (windows, w);
  }
  return windows;
}

/* The window goes from the first work to the last of all devices of the input. */
static GArray *
whole_window (const Steps *self, const Device *of)
{
  GArray *windows = g_array_new (FALSE, TRUE, sizeof (Window));
  const OfInput *input = &g_array_index (self->of_inputs, OfInput, of->input);
  const Window w = { .start = input->first, .end = input->end, .shown = true, .whole = true };
  g_array_append_val (windows, w);
  return windows;
}

/* -- Rows of tables ---------------------------------------------------------------------------- */

/* Returns whether the selection shows the step: it does if it shows some of its work, or the step
 * itself, where that has none on a device of which it shows some, or may be idle in the range of
 * --clip. */
static bool
is_shown (const Steps *self, const Device *d, const Window *w, const Parts *p)
{
  if (!self->any_hidden || p->begun.shown)
    return true;
  return w->shown && (self->clip.cuts || (!p->begun.rows && d->shown.n));
}

static void
put_keys (const Steps *self, const Device *d, const Window *w, struct nprof_cell *cells)
{
  cells[0] = nprof_cell_str (self->host->input (self->host, d->input)->label);
  cells[1] = nprof_cell_str (d->label);
  cells[2] = nprof_cell_text (w->name);
}

/* These are rows of step_breakdown and idle_causes, each behind the number of its window among
 * those of the device, from 1 on. */
typedef struct {
  guint64 window;
  Parts parts;
  gint64 counted; /* of the window */
} PartsRow;

typedef struct {
  guint64 window;
  gint64 all; /* idle time of the window  */
  Where where;
} CauseRow;

static struct nprof_cell
period_cell (const struct nprof_window *clip, const Period *period)
{
  return period->known
             ? nprof_cell_int (nprof_cut (clip, period->end) - nprof_cut (clip, period->start))
             : nprof_cell_null ();
}

static nprof_status
write_parts (Steps *self, const Device *d, const Window *w, gconstpointer row)
{
  const Parts *p = &((const PartsRow *) row)->parts;
  const gint64 counted = ((const PartsRow *) row)->counted;
  const gint64 *idle = p->idle;
  gint64 start = nprof_cut (&self->clip, w->start), end = nprof_cut (&self->clip, w->end);
  gint64 waits = idle[AN_IDLE_WAIT] + idle[AN_IDLE_DMA] + idle[AN_IDLE_COLLECTIVE];
  struct nprof_cell cells[] = {
    { 0 },
    { 0 },
    { 0 },
    { .type = NPROF_BOOL, .v.u = w->cut },
    nprof_cell_int (start),
    nprof_cell_int (end - start),
    w->has_host ? nprof_cell_int (w->host) : nprof_cell_null (),
    an_sure_cell (!d->unsure, p->busy[BUSY_COMPUTE]),
    an_sure_cell (!d->unsure, p->busy[BUSY_COMMUNICATION] + p->busy[BUSY_BUBBLE]),
    an_sure_cell (!d->unsure, p->busy[BUSY_COPY] + p->busy[BUSY_INFEED]),
    an_sure_cell (!d->unsure, p->busy[BUSY_CONTROL]),
    an_sure_cell (!d->unsure, p->busy[BUSY_NOT]),
    an_sure_cell (!d->unsure, idle[AN_IDLE_HOST]),
    an_sure_cell (!d->unsure, idle[AN_IDLE_LAUNCH]),
    an_sure_cell (!d->unsure, waits),
    an_sure_cell (!d->unsure, idle[AN_IDLE_UNLINKED]),
    an_sure_cell (!d->unsure, p->lost),
    nprof_cell_int (p->foreign),
    nprof_cell_int (p->unlinked),
    nprof_cell_int ((gint64) p->begun.rows),
    nprof_cell_int ((gint64) p->begun.shown),
    nprof_cell_int (p->begun.launched),
    nprof_cell_int (p->begun.outside),
    an_sure_cell (!d->unsure, p->busy[BUSY_INFEED]),
    period_cell (&self->clip, &p->period),
    { .type = NPROF_BOOL, .v.u = p->period.lag },
    counted > 0 ? nprof_cell_int (counted) : nprof_cell_null (),
  };
  put_keys (self, d, w, cells);
  return an_rows_add (&self->rows, &step_breakdown_table, cells);
}

static nprof_status
write_cause (Steps *self, const Device *d, const Window *w, gconstpointer row)
{
  const Where *where = &((const CauseRow *) row)->where;
  const struct nprof_host *h = self->host;
  struct nprof_cell cells[] = {
    { 0 },
    { 0 },
    { 0 },
    nprof_cell_str (nprof_intern (h, an_idle_name (where->cause))),
    where->known ? nprof_cell_str (where->name ? where->name : nprof_intern (h, "(no span)"))
                 : nprof_cell_null (),
    nprof_cell_int ((gint64) where->gaps),
    nprof_cell_int (where->duration),
    nprof_cell_double ((double) where->duration / (double) ((const CauseRow *) row)->all),
  };
  put_keys (self, d, w, cells);
  return an_rows_add (&self->rows, &idle_causes_table, cells);
}

/* -- Devices ----------------------------------------------------------------------------------- */

typedef nprof_status (*WriteRow) (Steps *self, const Device *d, const Window *w, gconstpointer row);

/* Windows are cut once, those of several devices at the same time, when rows of both tables are
 * kept; for each table they are found once more. */
typedef struct {
  Steps *steps;
  Device *device;
  WriteRow write;       /* NULL: windows are cut               */
  AnSeriesReader *kept; /* rows that `write` writes            */
  const guint64 *next;  /* the next of them; NULL: no more     */
  guint64 n_windows;    /* of the device, up to here           */
} Writing;

static void
keep_rows (const Writing *out, const Window *w, const Parts *p, const GArray *where)
{
  Device *d = out->device;
  AnStore *store = &out->steps->store;
  *(PartsRow *) an_series_add (&d->parts, store) = (PartsRow){ out->n_windows, *p, w->counted };
  for (guint i = 0; i < where->len && !d->unsure; i++)
    *(CauseRow *) an_series_add (&d->causes, store)
        = (CauseRow){ out->n_windows, p->busy[BUSY_NOT], g_array_index (where, Where, i) };
}

static void
cut_windows (Writing *out, GArray *windows)
{
  Partition *partition = partition_new (out->steps, out->device, windows);
  st_judge_windows (out->steps, out->device, windows, partition_periods (partition),
                    partition_begun (partition));
  for (guint i = 0; i < windows->len; i++) {
    Parts parts;
    const GArray *where = partition_next (partition, &parts);
    const Window *w = &g_array_index (windows, Window, i);
    out->n_windows++;
    if (is_shown (out->steps, out->device, w, &parts))
      keep_rows (out, w, &parts, where);
  }
  partition_free (partition);
}

static nprof_status
write_rows (Writing *out, const GArray *windows)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < windows->len; i++) {
    out->n_windows++;
    while (out->next && *out->next == out->n_windows && status == NPROF_OK) {
      status = out->write (out->steps, out->device, &g_array_index (windows, Window, i), out->next);
      out->next = an_series_next (out->kept);
    }
  }
  return status;
}

static nprof_status
write_windows (Writing *out, GArray *windows)
{
  nprof_status status = NPROF_OK;
  if (out->write)
    status = write_rows (out, windows);
  else
    cut_windows (out, windows);
  for (guint i = 0; i < windows->len; i++)
    g_free (g_array_index (windows, Window, i).name);
  g_array_unref (windows);
  return status;
}

/* When several processes have steps, those of the processes that launched on the device count; of
 * others only where the file may lack the launches.  A TPU runs programs long after the host has
 * asked for them, so steps of the host say nothing of its time. */
static nprof_status
write_processes (Writing *out, bool *any)
{
  Steps *self = out->steps;
  const Device *d = out->device;
  const GPtrArray *processes = g_array_index (self->of_inputs, OfInput, d->input).processes;
  nprof_status status = NPROF_OK;
  for (guint all = 0; all < (d->n_launchable ? 2 : 1) && !*any; all++)
    for (guint i = 0; i < processes->len && status == NPROF_OK; i++) {
      const Process *p = g_ptr_array_index (processes, i);
      if (!all && !st_works_on (d, p))
        continue;
      *any = true;
      status = write_windows (out, windows_of_process (self, p));
    }
  return status;
}

static nprof_status
write_all_windows (Writing *out)
{
  bool any = false;
  nprof_status status = write_processes (out, &any);
  if (status != NPROF_OK || any)
    return status;
  guint series = out->device->best_series;
  return write_windows (out, series == G_MAXUINT ? whole_window (out->steps, out->device)
                                                 : windows_of_series (out->steps, series));
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Device *x = *(Device *const *) a, *y = *(Device *const *) b;
  return st_place_compare (x->steps->host, x->track, y->track);
}

static nprof_status
cut_device (void *user, uint32_t number)
{
  Steps *self = user;
  Writing out = { .steps = self, .device = g_ptr_array_index (self->devices, number) };
  an_series_init (&out.device->parts, sizeof (PartsRow));
  an_series_init (&out.device->causes, sizeof (CauseRow));
  return out.device->n_work ? write_all_windows (&out) : NPROF_OK;
}

static nprof_status
write_device (Steps *self, Device *d, const AnSeries *rows, WriteRow write)
{
  AnSeriesReader kept;
  an_series_read (&kept, rows, &self->store);
  Writing out = { self, d, write, &kept, an_series_next (&kept), 0 };
  nprof_status status = write_all_windows (&out);
  an_series_reader_clear (&kept);
  return status == NPROF_OK ? an_store_check (&self->store) : status;
}

/* rows: where those of the table lie in a Device. */
static nprof_status
write_table (Steps *self, const struct nprof_table *table, gsize rows, WriteRow write)
{
  nprof_status status = self->host->table (self->host, table);
  for (guint i = 0; i < self->devices->len && status == NPROF_OK; i++) {
    Device *d = g_ptr_array_index (self->devices, i);
    if (d->n_work)
      status = write_device (self, d, G_STRUCT_MEMBER_P (d, rows), write);
  }
  return status;
}

static bool
is_better (const Steps *self, guint series, guint than)
{
  if (than == G_MAXUINT)
    return true;
  const guint32 *a = an_key_table_key (&self->series_keys, series),
                *b = an_key_table_key (&self->series_keys, than);
  return a[S_SOURCE] < b[S_SOURCE]
         || (a[S_SOURCE] == b[S_SOURCE]
             && series_at (self, series)->total > series_at (self, than)->total);
}

/* Finds of each device its steps, else the executions of the program that took most of its time,
 * else its annotations. */
static void
find_best_series (Steps *self)
{
  for (guint i = 0; i < self->devices->len; i++)
    ((Device *) g_ptr_array_index (self->devices, i))->best_series = G_MAXUINT;
  for (guint i = 0; i < self->series_keys.n; i++) {
    guint32 track = an_key_table_key (&self->series_keys, i)[S_DEVICE];
    Device *d = an_of_track (self->device_of, track);
    if (d && is_better (self, i, d->best_series))
      d->best_series = i;
  }
}

nprof_status
st_cut_devices (Steps *self)
{
  g_ptr_array_sort (self->devices, by_place);
  st_find_of_inputs (self);
  find_best_series (self);
  nprof_status status = self->host->parallel (self->host, self->devices->len, cut_device, self);
  return status == NPROF_OK ? an_store_check (&self->store) : status;
}

nprof_status
write_breakdown (Steps *self)
{
  nprof_status status = NPROF_OK;
  const struct {
    const struct nprof_table *table;
    gsize rows;
    WriteRow write;
  } tables[] = { { &step_breakdown_table, G_STRUCT_OFFSET (Device, parts), write_parts },
                 { &idle_causes_table, G_STRUCT_OFFSET (Device, causes), write_cause } };
  for (guint i = 0; i < G_N_ELEMENTS (tables) && status == NPROF_OK; i++)
    status = write_table (self, tables[i].table, tables[i].rows, tables[i].write);
  return status;
}
