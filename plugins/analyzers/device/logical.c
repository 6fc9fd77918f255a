/* SPDX-License-Identifier: Apache-2.0 */
/* logical.c - adds up when any of the physical cores worked that are one logical core of Neuron. */
#include "device.h"

#include "devicekit/logical-core.h"

NPROF_TABLE (
    logical_cores, "Logical cores",
    "Physical cores of Neuron that run one execution together. Times are those in which any "
    "of them did so; what overlaps counts once. Table devices has each core.",
    LOGICAL_CORES)

Device *
dv_whole_of (DvRun *run, nprof_track core)
{
  const nprof_track above = an_logical_core_of (run->host, core);
  if (above == core)
    return NULL;
  for (guint i = 0; i < run->wholes->len; i++) {
    Device *known = g_ptr_array_index (run->wholes, i);
    if (known->track == above)
      return known;
  }
  Device *whole = dv_whole_new (run, above);
  g_ptr_array_add (run->wholes, whole);
  return whole;
}

/* What its cores have in common. */
typedef struct {
  guint cores;
  const char *reason, *idle_reason; /* why busy, and idle, are unknown; NULL: they are not */
} Together;

static Together
together (const DvRun *run, const Device *whole)
{
  Together all = { 0 };
  for (guint i = 0; i < run->devices->len; i++) {
    const Device *d = g_ptr_array_index (run->devices, i);
    if (d->whole != whole || d->first > d->last)
      continue;
    all.cores++;
    if (!dv_is_sure (d) && !all.reason)
      all.reason = dv_why_unsure (d);
    if (d->gaps.lost)
      all.idle_reason = "rows of a core are missing";
  }
  return all;
}

static nprof_status
write_row (DvRun *run, Device *whole)
{
  const Together all = together (run, whole);
  dv_device_end (whole);
  dv_gaps_end (whole);
  whole->any_work = !all.reason;
  if (!all.cores)
    return NPROF_OK;
  const gint64 span = whole->last - whole->first;
  const DvTotals t = dv_moments_sum (&whole->all);
  const bool sure = !all.reason;
  const struct logical_cores_row row = {
    .device = nprof_some_str (whole->label),
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
  const nprof_status status = an_rows_add (
      &run->rows, &logical_cores_table,
      logical_cores_cells (nprof_cell_str (run->host->input (run->host, whole->input)->label), &row)
          .cells);
  return status ? status : dv_categories_rows (whole, &t);
}

nprof_status
dv_logical_write (DvRun *run)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < run->wholes->len && status == NPROF_OK; i++)
    status = write_row (run, g_ptr_array_index (run->wholes, i));
  return status;
}
