/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - gives each row of work to what lay around its launch. */
#include "modules.h"

#include <nprof/sdk.h>

/* Rows that wait for a launch; beyond that the oldest are taken as rows without. */
#define WAITING 65536u

void
device_free (gpointer data)
{
  Device *d = data;
  for (Kind kind = 0; kind < N_KINDS; kind++)
    g_array_unref (d->sums[kind]);
  g_free (d);
}

Device *
device_new (uint32_t input)
{
  Device *d = g_new0 (Device, 1);
  d->input = input;
  for (Kind kind = 0; kind < N_KINDS; kind++)
    d->sums[kind] = g_array_new (FALSE, TRUE, sizeof (Sum));
  return d;
}

static Device *
device_of (Modules *self, const AnPlace *place)
{
  for (guint i = 0; i < self->devices->len; i++) {
    Device *d = g_ptr_array_index (self->devices, i);
    if (d->track == place->device)
      return d;
  }
  Device *d = device_new (place->input);
  d->track = place->device;
  d->label = place->label;
  g_ptr_array_add (self->devices, d);
  return d;
}

static void
add (Sum *sum, gint64 duration)
{
  sum->time += duration;
  sum->rows++;
}

static void
add_at (Device *d, Kind kind, guint32 node, gint64 duration)
{
  if (node >= d->sums[kind]->len)
    g_array_set_size (d->sums[kind], node + 1);
  add (&g_array_index (d->sums[kind], Sum, node), duration);
}

static void
add_linked (Modules *self, const Waiting *row)
{
  const AnLaunchSite *site = an_launch_table_find (&self->sites, &row->key, row->start);
  if (!site) {
    add (&row->device->unlinked, row->duration);
    return;
  }
  add_at (row->device, MODULES, site->node, row->duration);
  add_at (row->device, RANGES, site->call, row->duration);
  add_at (row->device, SOURCES, site->step, row->duration);
}

void
work_linked (gpointer modules, guint number, const AnLaunchSite *site)
{
  Modules *self = modules;
  (void) site;
  if (number < self->waiting_from)
    return;
  Waiting *row = &g_array_index (self->waiting, Waiting, number - self->waiting_from);
  if (row->device)
    add_linked (self, row);
  row->device = NULL;
}

static void
give_up (Modules *self, guint n)
{
  for (guint i = 0; i < n; i++) {
    const Waiting *row = &g_array_index (self->waiting, Waiting, i);
    if (row->device)
      add (&row->device->unlinked, row->duration);
  }
  g_array_remove_range (self->waiting, 0, n);
  self->waiting_from += n;
}

/* Takes only rows that are launched: those of queues. */
void
work_row (Modules *self, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  AnLaunchSite site;
  if (an_class (self->classes, batch->category[i], batch->name[i], FALSE) == AN_AROUND
      || batch->duration[i] < 0 || !an_is_work_category (self->places, batch->category[i]))
    return;
  guint64 correlation = an_links_correlation (self->links, batch, i);
  bool found = an_links_find (self->links, place->input, correlation, batch->start[i], &site);
  if (nprof_hidden (batch, i))
    return;
  const Waiting row = {
    device_of (self, place), { correlation, place->input }, batch->start[i], batch->duration[i]
  };
  add (&row.device->all, row.duration);
  if (found) {
    add_linked (self, &row);
  } else if (!correlation) {
    add (&row.device->unlinked, row.duration);
  } else {
    an_links_wait (self->links, place->input, correlation, self->waiting_from + self->waiting->len);
    g_array_append_val (self->waiting, row);
    if (self->waiting->len == 2 * WAITING)
      give_up (self, WAITING);
  }
}

void
work_end (Modules *self)
{
  give_up (self, self->waiting->len);
}
