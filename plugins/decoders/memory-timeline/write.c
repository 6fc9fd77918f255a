/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes what is held by category as counters, and sums them up at the peak. */
#include "timeline.h"

#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FAR (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND)
#define EXACT (G_GINT64_CONSTANT (1) << 53)

NPROF_TABLE (memory_timeline, "Memory over time", "of one device, which the file does not name.",
             MEMORY_TIMELINE)
NPROF_TABLE (memory_categories, "What memory was for", "at the peak of all categories together.",
             MEMORY_CATEGORIES)

typedef struct {
  Timeline *t;
  nprof_track track;
  nprof_set unit;
  nprof_str name[MT_CATEGORIES], all;
  gint64 held, by[MT_CATEGORIES], largest[MT_CATEGORIES], at_peak[MT_CATEGORIES];
  gint64 peak, peak_ns, lowest, before;
  guint64 count[MT_ACTIONS];
} Sums;

static gint64
first_time (const Timeline *t)
{
  for (guint i = 0; i < t->rows->len; i++)
    if (g_array_index (t->rows, MtRow, i).ns >= 0)
      return g_array_index (t->rows, MtRow, i).ns;
  return 0;
}

static nprof_status
begin (Sums *s)
{
  Timeline *t = s->t;
  const struct nprof_host *host = t->host;
  const gint64 first = first_time (t);
  t->base_ns = s->peak_ns = first - first % SECOND;
  nprof_status status = host->origin (host, first > 0 ? t->base_ns : NPROF_NO_EPOCH);
  s->track = host->track (host, 0, NPROF_TRACK_PROCESS, nprof_intern (host, "device"), 0, 0);
  s->unit = nprof_unit (host, "byte");
  s->all = nprof_intern (host, "memory/all");
  for (guint i = 0; i < MT_CATEGORIES; i++) {
    g_autofree char *name = g_strconcat ("memory/", mt_categories[i], NULL);
    s->name[i] = nprof_intern (host, name);
  }
  if (!status && !s->track)
    status = nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
  return status;
}

static void
add_up (Sums *s, const MtRow *row, gint64 ns)
{
  s->count[row->action]++;
  s->before += row->ns < 0 ? row->bytes : 0;
  s->held += row->bytes;
  s->by[row->category] += row->bytes;
  s->largest[row->category] = MAX (s->largest[row->category], s->by[row->category]);
  s->lowest = MIN (s->lowest, s->held);
  if (s->held <= s->peak)
    return;
  s->peak = s->held;
  s->peak_ns = ns;
  memcpy (s->at_peak, s->by, sizeof s->by);
}

static nprof_status
put_counters (Sums *s, const MtRow *row, gint64 ps)
{
  struct nprof_writer *w = s->t->w;
  nprof_status status = nprof_counter_in (w, s->track, s->name[row->category], s->unit, ps,
                                          (double) s->by[row->category]);
  return status ? status
                : nprof_counter_in (w, s->track, s->all, s->unit, ps, (double) s->held);
}

static nprof_status
put_rows (Sums *s)
{
  Timeline *t = s->t;
  const gint64 first = first_time (t);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < t->rows->len && !status; i++) {
    const MtRow *row = &g_array_index (t->rows, MtRow, i);
    const gint64 ns = row->ns < 0 ? first : row->ns, since = ns - t->base_ns;
    add_up (s, row, ns);
    if (s->held >= EXACT || s->held <= -EXACT || since > FAR)
      return nprof_fail (t->host, NPROF_E_FORMAT,
                         "row %u of this memory timeline, in the order of time: it lies months "
                         "behind the first, or more than 8 PiB are held",
                         i);
    status = put_counters (s, row, since * 1000);
  }
  return status;
}

/* -- Tables ---------------------------------------------------------------- */

static nprof_status
put_timeline (const Sums *s)
{
  const struct nprof_host *host = s->t->host;
  const bool any = s->peak > 0;
  const struct memory_timeline_row row = {
    .rows = nprof_some_int (s->t->rows->len),
    .preexisting = nprof_some_int ((gint64) s->count[MT_PREEXISTING]),
    .create = nprof_some_int ((gint64) s->count[MT_CREATE]),
    .version = nprof_some_int ((gint64) s->count[MT_VERSION]),
    .destroy = nprof_some_int ((gint64) s->count[MT_DESTROY]),
    .preexisting_bytes = nprof_some_int (s->before),
    .peak = nprof_some_int (s->peak),
    .peak_at = nprof_int_if (any, (s->peak_ns - s->t->base_ns) * 1000),
    .end = nprof_some_int (s->held),
    .lowest = nprof_some_int (s->lowest),
  };
  return host->row (host, &memory_timeline_table,
                    memory_timeline_cells (nprof_cell_own_input (host), &row).cells);
}

static nprof_status
put_category (const Sums *s, guint i)
{
  const struct nprof_host *host = s->t->host;
  const struct memory_categories_row row = {
    .category = nprof_some_str (nprof_intern (host, mt_categories[i])),
    .at_peak = nprof_some_int (s->at_peak[i]),
    .share = nprof_double_if (s->peak > 0, (double) s->at_peak[i] / (double) MAX (s->peak, 1)),
    .largest = nprof_some_int (s->largest[i]),
    .end = nprof_some_int (s->by[i]),
  };
  return host->row (host, &memory_categories_table,
                    memory_categories_cells (nprof_cell_own_input (host), &row).cells);
}

nprof_status
mt_write (Timeline *t)
{
  Sums s = { .t = t };
  nprof_status status = begin (&s);
  if (!status)
    status = t->host->table (t->host, &memory_timeline_table);
  if (!status)
    status = t->host->table (t->host, &memory_categories_table);
  if (!status)
    status = put_rows (&s);
  if (!status)
    status = put_timeline (&s);
  for (guint i = 0; i < MT_CATEGORIES && !status; i++)
    status = put_category (&s, i);
  return status;
}
