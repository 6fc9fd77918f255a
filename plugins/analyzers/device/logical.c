/* SPDX-License-Identifier: Apache-2.0 */
/* logical.c - adds up when any of the physical cores worked that are one logical core of Neuron. */
#include "device.h"

#include "devicekit/logical-core.h"

NPROF_TABLE (
    logical_cores, "Logical cores",
    "Physical cores of Neuron that run one execution together. Times are those in which any "
    "of them did so; what overlaps counts once. Table devices has each core.",
    LOGICAL_CORES)

static void
passed (gpointer user, gint64 from, gint64 to, const AnActive *active)
{
  DvLogical *logical = user;
  dv_moments_add (&logical->all, to - from, active);
}

DvLogical *
dv_logical_of (DvRun *run, nprof_track core)
{
  nprof_track above = run->host->track_info (run->host, core)->parent;
  if (!above || an_logical_cores (run->host, core) < 2)
    return NULL;
  for (guint i = 0; i < run->logical->len; i++) {
    DvLogical *known = g_ptr_array_index (run->logical, i);
    if (known->track == above)
      return known;
  }
  DvLogical *logical = g_new0 (DvLogical, 1);
  logical->track = above;
  const AnSweepCalls calls = { .passed = passed, .user = logical };
  logical->sweep = an_sweep_new (&calls);
  an_sweep_cut (logical->sweep, &run->work.window);
  g_ptr_array_add (run->logical, logical);
  return logical;
}

void
dv_logical_free (gpointer data)
{
  DvLogical *logical = data;
  an_sweep_free (logical->sweep);
  g_free (logical);
}

void
dv_logical_work (DvLogical *logical, gint64 start, gint64 duration, AnKind kind)
{
  an_sweep_pass (logical->sweep, start);
  an_sweep_add (logical->sweep, start, duration, kind);
}

/* What its cores have in common. */
typedef struct {
  guint cores;
  gint64 first, last;
  const char *reason, *idle_reason; /* why busy, and idle, are unknown; NULL: they are not */
} Together;

static Together
together (const DvRun *run, const DvLogical *logical)
{
  Together all = { .first = G_MAXINT64, .last = G_MININT64 };
  for (guint i = 0; i < run->devices->len; i++) {
    const Device *d = g_ptr_array_index (run->devices, i);
    if (d->logical != logical || d->first > d->last)
      continue;
    all.cores++;
    all.first = MIN (all.first, d->first);
    all.last = MAX (all.last, d->last);
    if (!dv_is_sure (d) && !all.reason)
      all.reason = dv_why_unsure (d);
    if (d->gaps.lost)
      all.idle_reason = "rows of a core are missing";
  }
  return all;
}

static nprof_status
write_row (DvRun *run, DvLogical *logical)
{
  const Together all = together (run, logical);
  an_sweep_end (logical->sweep);
  if (!all.cores)
    return NPROF_OK;
  const struct nprof_track_info *info = run->host->track_info (run->host, logical->track);
  const gint64 span = all.last - all.first;
  const DvTotals t = dv_moments_sum (&logical->all);
  const bool sure = !all.reason;
  const struct logical_cores_row row = {
    .device = nprof_some_str (nprof_track_label (info)),
    .cores = nprof_some_int (all.cores),
    .span = nprof_some_int (span),
    .busy = nprof_int_if (sure, t.busy),
    .idle = nprof_int_if (sure && !all.idle_reason, span - t.busy),
    .compute = nprof_int_if (sure, t.of[AN_COMPUTE]),
    .communication = nprof_some_int (t.of[AN_COMMUNICATION]),
    .copy = nprof_some_int (t.of[AN_MEMORY]),
    .exposed = nprof_int_if (sure, t.exposed),
    .overlap = nprof_int_if (sure, t.overlap),
    .reason = nprof_some_text (sure ? all.idle_reason : all.reason),
  };
  return an_rows_add (
      &run->rows, &logical_cores_table,
      logical_cores_cells (nprof_cell_str (run->host->input (run->host, info->input)->label), &row)
          .cells);
}

nprof_status
dv_logical_write (DvRun *run)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < run->logical->len && status == NPROF_OK; i++)
    status = write_row (run, g_ptr_array_index (run->logical, i));
  return status;
}
