/* SPDX-License-Identifier: Apache-2.0 */
/* nested.c - takes apart rows that lie within others on their track, as operators within a loop:
 * each has the time that is its own, so that sums are true. */
#include "samples.h"

#include <nprof/sdk.h>

static nprof_status
closed (void *user, const struct nprof_open *span, const struct nprof_open *parent, uint32_t depth)
{
  SmNest *nest = user;
  SmRow row = nest->open[depth].row;
  row.duration = nprof_self (span);
  /* A span of a host is known by the one around it. */
  if (nest->device->samples->of_hosts)
    row.operator= parent ? nest->open[depth - 1].row.kernel : 0;
  nest->device->work += row.hidden ? 0 : row.inside;
  sm_unlinked (nest->device, &row);
  return NPROF_OK;
}

static SmNest *
nest_of (Samples *self, nprof_track track, SmDevice *device)
{
  SmNest *nest = g_hash_table_lookup (self->nests, GUINT_TO_POINTER (track));
  if (nest)
    return nest;
  nest = g_new0 (SmNest, 1);
  nest->device = device;
  nest->sweep = (struct nprof_sweep){ .closed = closed, .user = nest };
  g_ptr_array_add (self->nest_list, nest);
  g_hash_table_insert (self->nests, GUINT_TO_POINTER (track), nest);
  return nest;
}

void
sm_nest_free (gpointer data)
{
  SmNest *nest = data;
  nprof_sweep_clear (&nest->sweep);
  g_free (nest->open);
  g_free (nest);
}

nprof_status
sm_nest_row (Samples *self, nprof_track track, SmDevice *device, const SmRow *row)
{
  SmNest *nest = nest_of (self, track, device);
  if (nprof_sweep_span (&nest->sweep, row->start, row->duration, 0))
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for spans within each other");
  if (nest->sweep.n > nest->max) {
    nest->max = MAX (16, 2 * nest->max);
    nest->open = g_renew (SmNested, nest->open, nest->max);
  }
  gint64 start = nprof_cut (&self->window, row->start);
  SmNested *top = nest->open + nest->sweep.n - 1;
  *top = (SmNested){ *row, start };
  if (top > nest->open)
    top[-1].row.inside -= nprof_sweep_behind (start, start + row->inside, &top[-1].covered);
  return NPROF_OK;
}

nprof_status
sm_nest_end (Samples *self)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->nest_list->len && !status; i++)
    status = nprof_sweep_end (&((SmNest *) g_ptr_array_index (self->nest_list, i))->sweep);
  return status;
}

/* -- Spans of hosts -------------------------------------------------------------------------- */

static int
longer_first (gconstpointer a, gconstpointer b)
{
  const SmTogether *x = a, *y = b;
  if (x->row.duration != y->row.duration)
    return x->row.duration > y->row.duration ? -1 : 1;
  return (x->row.number > y->row.number) - (x->row.number < y->row.number);
}

nprof_status
sm_together_end (Samples *self)
{
  nprof_status status = NPROF_OK;
  if (self->together->len > 1)
    g_array_sort (self->together, longer_first);
  for (guint i = 0; i < self->together->len && !status; i++) {
    const SmTogether *t = &g_array_index (self->together, SmTogether, i);
    status = sm_nest_row (self, t->track, t->device, &t->row);
  }
  g_array_set_size (self->together, 0);
  return status;
}

nprof_status
sm_together_add (Samples *self, nprof_track track, SmDevice *device, const SmRow *row)
{
  const SmTogether new = { track, device, *row };
  nprof_status status = NPROF_OK;
  if (self->together->len && g_array_index (self->together, SmTogether, 0).row.start != row->start)
    status = sm_together_end (self);
  g_array_append_val (self->together, new);
  return status;
}
