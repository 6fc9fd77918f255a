/* SPDX-License-Identifier: Apache-2.0 */
/* launched.c - puts work of devices below the calls that launched it.  Tracks come one after the
 * other, so work waits until all calls are known. */
#include "devicekit/row-launch.h"
#include "flame.h"

guint64
fl_correlation (const Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  return an_row_launch (batch, i, f->launch_keys, 0).correlation;
}

void
fl_work (Flame *f, const struct nprof_batch *batch, uint32_t i)
{
  const Launched work
      = { batch->input, fl_clean (f, batch->name[i]), fl_correlation (f, batch, i), batch->start[i],
          nprof_inside (&f->clip, batch->start[i], batch->duration[i]),
          an_graph_row (batch, i, &f->graph_keys).operator };
  g_array_append_val (f->launched, work);
}

void
fl_join (Flame *f)
{
  for (guint i = 0; i < f->launched->len; i++) {
    const Launched *work = &g_array_index (f->launched, Launched, i);
    const AnListedLaunch *call
        = an_launch_list_find (&f->calls, work->input, work->correlation, work->start);
    guint32 frame = call ? call->value : fl_root (f, work->input, f->lost);
    if (work->operator)
      frame = fl_frame (f, frame, work->operator);
    fl_add (f, fl_frame (f, frame, work->name), work->duration, 1);
  }
  g_array_set_size (f->launched, 0);
}
