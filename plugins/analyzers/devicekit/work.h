/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - reads the numbers that a row of work states: flops, bytes, its step and layer.  Each is
 * known or it is not; the meaning of a format's keys is decided here. */
#ifndef AN_WORK_H
#define AN_WORK_H

#include "devicekit/device-sweep.h"
#include "devicekit/flops.h"
#include "devicekit/row-launch.h"
#include "devicekit/set-memory.h"
#include "devicekit/traits.h"

#include <nprof/draft/clip.h>

typedef struct {
  struct nprof_reader pick;
  bool all;              /* AN_WORK_KEYS too; else AN_AMOUNT_KEYS               */
  guint8 reads;          /* AN_OWN_...: which of a row's own attributes may add to its numbers */
  nprof_str custom_call; /* the category "custom-call"                          */
  nprof_str crosses;     /* the key that marks rows at the edges of a selection */
  struct nprof_window window;
  AnNumbers row;  /* of a row that adds to its set                       */
  /* AN_SETS: whose numbers are remembered in of_set, of those that no traits hold; NULL: no such
   * set came */
  nprof_set *set;
  AnNumbers *of_set;
  GArray *layers; /* of guint32, by handle of a path: 1 + its layer; 0: not looked at */
} AnWork;

/* A component that uses this lists these in `wants`, before its own keys: what was computed and
 * moved, and who launched it; or that, and where it belongs. */
#define AN_AMOUNT_KEYS                                                                             \
  AN_FLOPS_KEYS, NPROF_KEY_BYTES_ACCESSED, NPROF_KEY_BYTES_READ, NPROF_KEY_BYTES_WRITTEN,          \
      AN_KEY_HBM_READ, AN_KEY_HBM_WRITTEN, NPROF_KEY_BYTES, AN_LAUNCH_KEYS, NPROF_KEY_COLLECTIVE,  \
      NPROF_KEY_WORK
#define AN_WORK_KEYS                                                                               \
  AN_AMOUNT_KEYS, NPROF_KEY_HLO_CATEGORY, NPROF_KEY_DEVICE_DURATION, NPROF_KEY_LAYER,              \
      NPROF_KEY_FRAMEWORK_OP

/* And this in `row_wants`: of rows that state it. To give a step to all others costs a decoder of
 * trace events a tenth of its time, for rows that state no flops. */
#define AN_WORK_STATED_KEY NPROF_KEY_STEP

/* These are keys of Neuron's tools (neuron-profile-schema.md, Summary and Instruction). */
#define AN_KEY_HBM_READ "hbm_read_bytes"
#define AN_KEY_HBM_WRITTEN "hbm_write_bytes"

/* all: reads AN_WORK_KEYS and AN_WORK_STATED_KEY; else the other numbers stay unknown, which costs
 * less. */
nprof_status an_work_init (AnWork *work, const struct nprof_host *host, bool all);
/* The same for whoever reads sets alone. */
nprof_status an_work_init_sets (AnWork *work, const struct nprof_host *host);
void an_work_clear (AnWork *work);

/* Reads the numbers of a set. */
void an_work_set (AnWork *work, nprof_set set, AnNumbers *numbers);
/* Returns what an_work_row does, of rows that say more than a set that shares its numbers. */
const AnNumbers *an_work_other_row (AnWork *work, const AnBatchTraits *traits,
                                    const struct nprof_batch *batch, uint32_t i);

/* Adds the time of the row by its device's clock to the numbers of its set. */
static inline const AnNumbers *
an_work_by_clock (AnWork *work, const AnNumbers *of_set, const struct nprof_batch *batch,
                  uint32_t i)
{
  work->row = *of_set;
  work->row.device_duration = an_clock_at (batch, batch->attr_at[i]).duration;
  work->row.known |= AN_KNOWS_DEVICE_TIME;
  return &work->row;
}

/* Returns the numbers of row i of a device, the share of what lies in the window where sums are
 * cut; valid until the next row. */
static inline const AnNumbers *
an_work_row (AnWork *work, const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_set set = batch->shared ? batch->shared[i] : 0;
  const guint8 own = traits->of[i].own & work->reads;
  if (G_UNLIKELY (set >= AN_SHARED_SETS || own & ~AN_OWN_CLOCK || work->window.cuts))
    return an_work_other_row (work, traits, batch, i);
  return own ? an_work_by_clock (work, &traits->of_set[set], batch, i) : &traits->of_set[set];
}

/* gcc 12 takes a function that only prefetches for one without effect, and leaves out its calls. */
#define AN_PREFETCHES inline __attribute__ ((always_inline))

/* Prefetches row i, which will be read soon; any number will do. */
static AN_PREFETCHES void
an_work_soon (const AnBatchTraits *traits, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->shared && i < batch->n_rows)
    __builtin_prefetch (&traits->of_set[batch->shared[i] % AN_SHARED_SETS]);
}
#define AN_WORK_AHEAD 16 /* rows: what memory takes, several times */

/* Returns whether row i reaches beyond the range that the user selected (NPROF_KEY_CROSSES_EDGE,
 * which the component wants).  When it lies around work, the work beyond was not delivered: there
 * it says nothing of busy and idle.  Where sums are cut at the edges no row does. */
bool an_work_crosses (const AnWork *work, const struct nprof_batch *batch, uint32_t i);

#endif
