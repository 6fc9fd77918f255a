/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - pairs the instructions of an engine: each end closes the open start of its pc.  Lost
 * ones are counted and said; no end and no start is made up. */
#include "ntff.h"

#define MOST_OPEN 128u
/* An engine works in order, so the end of a start that is older than this many ends is lost. */
#define STALE 16u

NPROF_TABLE (ntff_engines, "Engines of an NTFF",
             "what was read of each engine; lost: the other record of the pair is not in "
             "the file",
             NTFF_ENGINE_COLUMNS)

static NtffLane *
find_lane (const Ntff *n, const NtffArray *array, uint32_t engine)
{
  for (guint i = 0; i < n->lanes->len; i++) {
    NtffLane *lane = g_ptr_array_index (n->lanes, i);
    if (lane->core == array->core && lane->engine == engine && lane->cc_core == array->cc_core)
      return lane;
  }
  return NULL;
}

NtffLane *
ntff_lane (Ntff *n, NtffArray *array, uint32_t engine)
{
  if (array->lanes[engine])
    return array->lanes[engine];
  NtffLane *lane = find_lane (n, array, engine);
  if (!lane) {
    nprof_track track = array->cc_core >= 0 ? ntff_cc_track (n, array->core, array->cc_core)
                                            : ntff_engine_track (n, array->core, engine);
    if (!track)
      return NULL;
    lane = g_new0 (NtffLane, 1);
    lane->core = array->core;
    lane->engine = engine;
    lane->cc_core = array->cc_core;
    lane->track = track;
    lane->open = g_array_new (FALSE, FALSE, sizeof (NtffOpen));
    g_ptr_array_add (n->lanes, lane);
  }
  return array->lanes[engine] = lane;
}

void
ntff_lane_free (gpointer p)
{
  NtffLane *lane = p;
  g_array_unref (lane->open);
  g_free (lane);
}

/* -- Rows ------------------------------------------------------------------------------------ */

static nprof_status
start_attrs (Ntff *n, const NtffRecord *start)
{
  nprof_status status = ntff_attr (n, NTFF_KEY_PC, start->meta & 0xfffff);
  status = status ? status : ntff_attr (n, NTFF_KEY_WAIT, start->meta2 >> 16);
  if (!status && start->meta >> 20 & 15)
    status = ntff_attr (n, NTFF_KEY_HINT, start->meta >> 20 & 15);
  if (!status && start->meta2 & 0xffff)
    status = ntff_attr (n, NTFF_KEY_SOFT_RESET, start->meta2 & 0xffff);
  return status;
}

static nprof_status
span (Ntff *n, const NtffLane *lane, const NtffRecord *start, int64_t duration)
{
  nprof_str name, category;
  nprof_set shared;
  nprof_status status
      = ntff_instruction (n, lane, start->meta & 0xfffff, &name, &category, &shared);
  status = status ? status
                  : nprof_span (n->w, lane->track, name, ntff_when (n, start->time), duration);
  if (status)
    return status;
  n->rows++;
  nprof_set_category (n->w, category);
  nprof_set_shared (n->w, shared);
  return start_attrs (n, start);
}

/* Loses the oldest k starts, which have no end in the file. */
static nprof_status
lose_starts (Ntff *n, NtffLane *lane, guint at, guint k)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < k && !status; i++)
    status = span (n, lane, &g_array_index (lane->open, NtffOpen, at + i).start, -1);
  lane->lost_ends += k;
  g_array_remove_range (lane->open, at, k);
  return status;
}

/* -- Records ----------------------------------------------------------------------------------- */

/* Finds the newest open start of this pc; lane->open->len: none. */
static guint
find_open (const NtffLane *lane, uint32_t pc)
{
  for (guint i = lane->open->len; i-- > 0;)
    if ((g_array_index (lane->open, NtffOpen, i).start.meta & 0xfffff) == pc)
      return i;
  return lane->open->len;
}

nprof_status
ntff_lane_start (Ntff *n, NtffLane *lane, const NtffRecord *r, uint64_t at)
{
  nprof_status status = NPROF_OK;
  guint same = find_open (lane, r->meta & 0xfffff);
  if (same < lane->open->len)
    status = lose_starts (n, lane, same, 1);
  else if (lane->open->len == MOST_OPEN)
    status = lose_starts (n, lane, 0, 1);
  NtffOpen open = { *r, at, lane->ends };
  g_array_append_val (lane->open, open);
  return status;
}

static guint
count_stale (const NtffLane *lane)
{
  guint k = 0;
  while (k < lane->open->len && lane->ends - g_array_index (lane->open, NtffOpen, k).ends > STALE)
    k++;
  return k;
}

nprof_status
ntff_lane_end (Ntff *n, NtffLane *lane, const NtffRecord *r, uint64_t at)
{
  lane->ends++;
  guint stale = count_stale (lane);
  nprof_status status = stale ? lose_starts (n, lane, 0, stale) : NPROF_OK;
  if (status)
    return status;
  guint i = find_open (lane, r->meta & 0xfffff);
  if (i == lane->open->len || g_array_index (lane->open, NtffOpen, i).start.time > r->time) {
    lane->lost_starts++;
    n->host->skip (n->host, "end of an instruction", at, "its start is not in the file");
    return NPROF_OK;
  }
  NtffRecord start = g_array_index (lane->open, NtffOpen, i).start;
  g_array_remove_index (lane->open, i);
  lane->spans++;
  lane->busy += r->time - start.time;
  status = span (n, lane, &start, (int64_t) (r->time - start.time));
  if (!status && r->meta2 & 0xffff)
    status = ntff_attr (n, NTFF_KEY_CRC_IN, r->meta2 & 0xffff);
  if (!status && r->meta2 >> 16)
    status = ntff_attr (n, NTFF_KEY_CRC_OUT, r->meta2 >> 16);
  return status;
}

/* -- The end of the file ----------------------------------------------------------------------- */

static nprof_status
table_row (Ntff *n, const NtffLane *lane)
{
  const NtffCore *core = ntff_core (n->cores, lane->core);
  const struct nprof_host *h = n->host;
  const struct ntff_engines_row row = {
    .device = nprof_any_str (nprof_track_label (h->track_info (h, core->device_track))),
    .core = nprof_any_str (nprof_track_label (h->track_info (h, core->track))),
    .engine = nprof_any_str (nprof_track_label (h->track_info (h, lane->track))),
    .instructions = nprof_some_uint (lane->spans),
    .total_ns = nprof_some_uint (lane->busy),
    .lost_ends = nprof_some_uint (lane->lost_ends),
    .lost_starts = nprof_some_uint (lane->lost_starts),
  };
  return h->row (h, &ntff_engines_table,
                 ntff_engines_cells (nprof_cell_str (n->input_label), &row).cells);
}

static int
by_core_and_engine (gconstpointer a, gconstpointer b)
{
  const NtffLane *x = *(const NtffLane *const *) a, *y = *(const NtffLane *const *) b;
  if (x->core != y->core)
    return x->core < y->core ? -1 : 1;
  if (x->cc_core != y->cc_core)
    return x->cc_core < y->cc_core ? -1 : 1;
  return x->engine < y->engine ? -1 : x->engine > y->engine;
}

nprof_status
ntff_lanes_finish (Ntff *n)
{
  nprof_status status = n->host->table (n->host, &ntff_engines_table);
  uint64_t lost_ends = 0, lost_starts = 0;
  g_ptr_array_sort (n->lanes, by_core_and_engine);
  for (guint i = 0; i < n->lanes->len && !status; i++) {
    NtffLane *lane = g_ptr_array_index (n->lanes, i);
    status = lose_starts (n, lane, 0, lane->open->len);
    status = status ? status : table_row (n, lane);
    lost_ends += lane->lost_ends;
    lost_starts += lane->lost_starts;
  }
  if (!status && (lost_ends || lost_starts))
    nprof_log (
        n->host, NPROF_WARNING,
        "%" G_GUINT64_FORMAT " instructions have no end and %" G_GUINT64_FORMAT
        " ends no start: their records are not in the file (table ntff_engines: of which engines)",
        lost_ends, lost_starts);
  return status;
}
