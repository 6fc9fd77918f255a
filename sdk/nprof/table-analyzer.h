/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/table-analyzer.h - what analyzers that add one table have in common, header-only: the
 * table, declared once as nprof/table.h has it, open, and the row of a track.  The instance is of a
 * type whose first member is the host.  C only.
 *
 *   #define GAPS(C)                                    \
 *     C (KEY, track, "label of the track")             \
 *     C (PS, gap, "how long it is")
 *   NPROF_OWN_TABLE (gaps, "vendor.gaps", "Gaps", "A note, or NULL.", GAPS)
 *
 *   struct gaps { const struct nprof_host *host; ... };
 *
 *   gaps_add (g->host, track, &(struct gaps_row){
 *       .track = nprof_some_track (g->host, track), .gap = nprof_some_int (gap) });
 *
 *   static const struct nprof_component gaps = {
 *     NPROF_TABLE_ANALYZER (gaps, struct gaps), .name = "vendor.gaps", .summary = "...",
 *     .consume = gaps_consume,
 *   }; */
#ifndef NPROF_TABLE_ANALYZER_H
#define NPROF_TABLE_ANALYZER_H

#include <nprof/table.h>

#ifndef __cplusplus

/* What NPROF_TABLE_ROW and NPROF_TABLE_OF make; NAME_open, which announces the table; and NAME_add,
 * which adds a row of the input of a track. */
#define NPROF_OWN_TABLE(ident_, name_, title_, note_, COLUMNS)                                     \
  NPROF_TABLE_ROW (ident_, COLUMNS)                                                                \
  static inline nprof_status ident_##_open (void *self, const struct nprof_host *host)             \
  {                                                                                                \
    *(const struct nprof_host **) self = host;                                                     \
    return host->table (host, &ident_##_table);                                                    \
  }                                                                                                \
  static inline nprof_status ident_##_add (const struct nprof_host *host, nprof_track track,       \
                                           const struct ident_##_row *row)                         \
  {                                                                                                \
    const uint32_t input = host->track_info (host, track)->input;                                  \
    const struct nprof_cell label = nprof_cell_str (host->input (host, input)->label);             \
    return host->row (host, &ident_##_table, ident_##_cells (label, row).cells);                   \
  }                                                                                                \
  NPROF_TABLE_OF (ident_, name_, title_, note_, COLUMNS)

/* The members of a component whose instance is of type T; it adds no rows, and reads no links. */
#define NPROF_TABLE_ANALYZER(ident_, T)                                                            \
  .size = sizeof (struct nprof_component), .kind = NPROF_ANALYZER, .instance_size = sizeof (T),    \
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS, .open = ident_##_open,                \
  .tables = (const struct nprof_table *const[]){ &ident_##_table, NULL }

/* Returns the label of the track. */
static inline struct nprof_maybe_str
nprof_some_track (const struct nprof_host *host, nprof_track track)
{
  return nprof_some_str (nprof_track_label (host->track_info (host, track)));
}

#endif
#endif
