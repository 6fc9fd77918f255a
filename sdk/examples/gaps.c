/* SPDX-License-Identifier: Apache-2.0 */
/* gaps.c - a whole analyzer with a finding: a row for each long gap between spans of a track; what
 * is said of them on the first screen stands in gaps.answers/tracks/long-gap.sql. */
#include <nprof/table.h>

#define GAPS(COLUMN)                                                                               \
  COLUMN (KEY, track, "label of the track")                                                        \
  COLUMN (PS, start, "where it begins")                                                            \
  COLUMN (PS, gap, "how long it is")
NPROF_TABLE_ROW (gaps, GAPS)
NPROF_TABLE_OF (gaps, "acme.gaps", "Gaps between spans", "Overlapping spans leave none.", GAPS)

struct gaps {
  const struct nprof_host *host;
  int64_t least, end; /* ps: shorter gaps are none; where the track's spans end so far */
  nprof_track track;
};

static nprof_status
gaps_open (void *self, const struct nprof_host *host)
{
  ((struct gaps *) self)->host = host;
  return host->table (host, &gaps_table);
}

static nprof_status
gaps_add (const struct gaps *g, int64_t gap)
{
  const struct nprof_track_info *track = g->host->track_info (g->host, g->track);
  const struct nprof_cell input = nprof_cell_str (g->host->input (g->host, track->input)->label);
  const struct gaps_row row = { nprof_some_str (nprof_track_label (track)), nprof_some_int (g->end),
                                nprof_some_int (gap) };
  return g->host->row (g->host, &gaps_table, gaps_cells (input, &row).cells);
}

static nprof_status
gaps_consume (void *self, const struct nprof_batch *b)
{
  struct gaps *g = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < b->n_rows; i++) {
    if (b->kind[i] != NPROF_SPAN || b->duration[i] < 0)
      continue;
    const int64_t start = b->start[i], end = start + b->duration[i];
    const bool same = b->track[i] == g->track;
    if (same && start > g->end && (uint64_t) start - (uint64_t) g->end >= (uint64_t) g->least)
      status = gaps_add (g, start - g->end);
    g->end = same && g->end > end ? g->end : end;
    g->track = b->track[i];
  }
  return status;
}

static const struct nprof_component gaps = {
  .size = sizeof gaps,
  .kind = NPROF_ANALYZER,
  .name = "acme.gaps",
  .summary = "long gaps between spans of a track",
  .options = NPROF_OPTIONS (NPROF_DURATION_OPTION (struct gaps, least, "least", "1ms", "1ns..1000s",
                                                   "shorter ones are none")),
  .tables = (const struct nprof_table *const[]){ &gaps_table, NULL },
  .order = NPROF_ORDER_TRACK,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (struct gaps),
  .open = gaps_open,
  .consume = gaps_consume,
};

NPROF_PLUGIN ("gaps", "1.0", "Apache-2.0", &gaps)
