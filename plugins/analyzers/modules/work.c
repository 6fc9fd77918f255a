/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - gives each row of work to what lay around its launch. */
#include "devicekit/by-track.h"
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
  g_array_unref (d->backward);
  g_free (d);
}

Device *
device_new (uint32_t input)
{
  Device *d = g_new0 (Device, 1);
  d->input = input;
  for (Kind kind = 0; kind < N_KINDS; kind++)
    d->sums[kind] = g_array_new (FALSE, TRUE, sizeof (Sum));
  d->backward = g_array_new (FALSE, TRUE, sizeof (Sum));
  return d;
}

Device *
work_device (Modules *self, const AnPlace *place)
{
  Device *d = an_of_track (self->by_track, place->device);
  if (d)
    return d;
  d = device_new (place->input);
  d->track = place->device;
  d->label = place->label;
  g_ptr_array_add (self->devices, d);
  an_put_of_track (self->by_track, d->track, d);
  return d;
}

static void
add (Sum *sum, gint64 duration)
{
  sum->time += duration;
  sum->rows++;
}

static void
add_at (GArray *sums, guint32 node, gint64 duration)
{
  if (node >= sums->len)
    g_array_set_size (sums, node + 1);
  add (&g_array_index (sums, Sum, node), duration);
}

static void
add_backward (const Modules *self, Device *d, guint32 node, gint64 duration)
{
  add_at (d->backward, node, duration);
  add (&d->backward_classes[class_of_node (self->host, &self->paths[MODULES], node)], duration);
}

/* The places that a row states win over those around its launch: one launch may be of a whole
 * program, whose rows belong to many modules. */
void
work_add (const Modules *self, Device *d, const Stated *stated, const AnLaunchSite *site,
          gint64 duration)
{
  const AnLaunchSite none = { 0 };
  const AnLaunchSite *at = site ? site : &none;
  bool says = stated->node[MODULES] || stated->class;
  guint32 module = says ? stated->node[MODULES] : at->node;
  guint32 source = stated->node[SOURCES] ? stated->node[SOURCES] : at->step;
  Class class = stated->class ? stated->class
                              : class_of_node (self->host, &self->paths[MODULES], module);
  add_at (d->sums[MODULES], module, duration);
  add_at (d->sums[RANGES], at->call, duration);
  add_at (d->sums[SOURCES], source, duration);
  if (!module && at->module)
    add_backward (self, d, at->module, duration);
  add (&d->classes[class], duration);
}

/* Takes a row whose launch will not come. */
static void
add_unlinked (const Modules *self, const Waiting *row)
{
  if (row->stated)
    work_add (self, row->device, stated_at (self, row->stated), NULL, row->duration);
  else
    add (&row->device->unlinked, row->duration);
}

static void
add_linked (const Modules *self, const Waiting *row)
{
  const AnLaunchSite *site = an_launch_table_find (&self->sites, &row->key, row->start);
  if (site)
    work_add (self, row->device, stated_at (self, row->stated), site, row->duration);
  else
    add_unlinked (self, row);
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
      add_unlinked (self, row);
  }
  g_array_remove_range (self->waiting, 0, n);
  self->waiting_from += n;
  an_links_give_up (self->links, self->waiting_from);
}

/* Takes a row that is launched; what programs hold is not. */
static void
launched_row (Modules *self, const AnPlace *place, const struct nprof_batch *batch, uint32_t i,
              guint64 correlation)
{
  AnLaunchSite site;
  bool found = an_links_find (self->links, place->input, correlation, batch->start[i], &site);
  if (nprof_hidden (batch, i))
    return;
  const Waiting row = { work_device (self, place),
                        { correlation, place->input },
                        batch->start[i],
                        nprof_inside (&self->clip, batch->start[i], batch->duration[i]),
                        stated_of (self, batch, i) };
  add (&row.device->all, row.duration);
  if (found) {
    add_linked (self, &row);
  } else if (!correlation) {
    add_unlinked (self, &row);
  } else {
    an_links_wait (self->links, place->input, correlation, self->waiting_from + self->waiting->len);
    g_array_append_val (self->waiting, row);
    if (self->waiting->len == 2 * WAITING)
      give_up (self, WAITING);
  }
}

nprof_status
work_row (Modules *self, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
          uint32_t i)
{
  if (traits.class == AN_AROUND || batch->duration[i] < 0)
    return NPROF_OK;
  guint64 correlation = an_links_correlation (self->links, batch, i);
  if (!correlation && !(traits.is & AN_IS_LAUNCHABLE))
    return stated_row (self, place, batch, i);
  launched_row (self, place, batch, i, correlation);
  return NPROF_OK;
}

void
work_end (Modules *self)
{
  give_up (self, self->waiting->len);
}
