/* SPDX-License-Identifier: Apache-2.0 */
/* gaps.c - a whole analyzer with a finding: a row for each long gap between spans of a track; what
 * is said of them on the first screen stands in gaps.answers/tracks/long-gap.sql. */
#include <nprof/table-analyzer.h>

#define GAPS(COLUMN)                                                                               \
  COLUMN (KEY, track, "label of the track")                                                        \
  COLUMN (PS, start, "where it begins")                                                            \
  COLUMN (PS, gap, "how long it is")
NPROF_OWN_TABLE (gaps, "acme.gaps", "Gaps between spans", "Overlapping spans leave none.", GAPS)

struct gaps {
  const struct nprof_host *host;
  int64_t least, end; /* ps: shorter gaps are none; where the track's spans end so far */
  nprof_track track;
};

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
      status = gaps_add (g->host, g->track,
                         &(struct gaps_row){ .track = nprof_some_track (g->host, g->track),
                                             .start = nprof_some_int (g->end),
                                             .gap = nprof_some_int (start - g->end) });
    g->end = same && g->end > end ? g->end : end;
    g->track = b->track[i];
  }
  return status;
}

static const struct nprof_component gaps = {
  NPROF_TABLE_ANALYZER (gaps, struct gaps),
  .name = "acme.gaps",
  .summary = "long gaps between spans of a track",
  .options = NPROF_OPTIONS (NPROF_DURATION_OPTION (struct gaps, least, "least", "1ms", "1ns..1000s",
                                                   "shorter ones are none")),
  .order = NPROF_ORDER_TRACK,
  .consume = gaps_consume,
};

NPROF_PLUGIN ("gaps", "1.0", "Apache-2.0", &gaps)
