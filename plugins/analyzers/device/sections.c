/* SPDX-License-Identifier: Apache-2.0 */
/* sections.c - the gaps of sections.  A timeline of torch-neuronx shows the work of a device by
 * processes: where the one that computes pauses, mostly another transfers, and the device is
 * busy. */
#include "device.h"

NPROF_TABLE (section_gaps, "Gaps of sections",
             "Only devices whose work the file shows by processes. A section that computes does "
             "nothing from its first work to its last. filled: transfers of other sections under "
             "way meanwhile.",
             SECTION_GAPS)

/* This is work of a section; `most` is the last end of the transfers up to it. */
typedef struct {
  nprof_track section;
  nprof_str name;
  gint64 start, end, most;
  bool computes, transfers;
} Work;

void
dv_sections_begin (DvTrack *t)
{
  const struct nprof_host *host = t->device->run->host;
  nprof_track parent = host->track_info (host, t->place->track)->parent;
  if (parent && host->track_info (host, parent)->kind == NPROF_TRACK_PROCESS)
    t->section = parent;
}

void
dv_sections_work (DvTrack *t, nprof_str name, gint64 start, gint64 end, AnClass class)
{
  Device *d = t->device;
  const Work work = { .section = t->section,
                      .name = name,
                      .start = start,
                      .end = end,
                      .computes = class == AN_COMPUTE,
                      .transfers = class == AN_MEMORY || class == AN_COMMUNICATION };
  if (!d->sections)
    d->sections = g_array_new (FALSE, FALSE, sizeof (Work));
  g_array_append_val (d->sections, work);
}

static const Work *
work_at (const Device *d, guint i)
{
  return &g_array_index (d->sections, Work, i);
}

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Work *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->section > y->section) - (x->section < y->section);
}

static void
find_ends (Device *d)
{
  gint64 most = G_MININT64;
  for (guint i = 0; i < d->sections->len; i++) {
    Work *work = &g_array_index (d->sections, Work, i);
    if (work->transfers)
      most = MAX (most, work->end);
    work->most = most;
  }
}

/* Returns how long transfers were under way from `start` on until the work `next` begins, and which
 * was so longest; those before `*first` have ended. */
static gint64
filled (const Device *d, guint *first, gint64 start, guint next, nprof_str *transfer)
{
  gint64 sum = 0, covered = start, longest = 0;
  const gint64 end = work_at (d, next)->start;
  while (*first < next && work_at (d, *first)->most <= start)
    ++*first;
  for (guint i = *first; i < next; i++) {
    const Work *work = work_at (d, i);
    const gint64 from = MAX (work->start, start), to = MIN (work->end, end);
    if (!work->transfers || to <= from)
      continue;
    sum += MAX (0, to - MAX (from, covered));
    covered = MAX (covered, to);
    if (to - from > longest) {
      longest = to - from;
      *transfer = work->name;
    }
  }
  return sum;
}

static nprof_status
write_gap (Device *d, guint *first, gint64 start, guint next)
{
  const struct nprof_host *host = d->run->host;
  const Work *work = work_at (d, next);
  nprof_str transfer = 0;
  const gint64 duration = work->start - start, by = filled (d, first, start, next, &transfer);
  const struct section_gaps_row row = {
    .device = nprof_any_str (d->label),
    .section = nprof_any_str (nprof_track_label (host->track_info (host, work->section))),
    .start = nprof_some_int (start),
    .duration = nprof_some_int (duration),
    .filled = nprof_some_int (by),
    .share = nprof_some_double ((double) by / (double) duration),
    .transfer = nprof_some_str (transfer),
  };
  return an_rows_add (&d->run->rows, &section_gaps_table,
                      section_gaps_cells (nprof_cell_str (host->input (host, d->input)->label),
                                          &row)
                          .cells);
}

static nprof_status
write_section (Device *d, nprof_track section)
{
  gint64 covered = G_MAXINT64;
  guint first = 0;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < d->sections->len && status == NPROF_OK; i++) {
    const Work *work = work_at (d, i);
    if (work->section != section)
      continue;
    if (work->start > covered && work->start - covered >= dv_gaps_least (d->run))
      status = write_gap (d, &first, covered, i);
    covered = covered == G_MAXINT64 ? work->end : MAX (covered, work->end);
  }
  return status;
}

nprof_status
dv_sections_rows (Device *d)
{
  g_autoptr (GHashTable) written = g_hash_table_new (NULL, NULL);
  nprof_status status = NPROF_OK;
  if (!d->sections)
    return NPROF_OK;
  g_array_sort (d->sections, by_start);
  find_ends (d);
  for (guint i = 0; i < d->sections->len && status == NPROF_OK; i++) {
    const Work *work = work_at (d, i);
    if (work->computes && g_hash_table_add (written, GUINT_TO_POINTER (work->section)))
      status = write_section (d, work->section);
  }
  return status;
}
