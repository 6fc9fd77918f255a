/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer modules: sums the time of devices by module of the model, by annotated
 * range and by line of source. */
#include "modules.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

static nprof_status
modules_open (void *instance, const struct nprof_host *host)
{
  Modules *self = instance;
  self->host = host;
  self->clip = nprof_window_of (host);
  self->places = an_places_new (host);
  const AnLinkCalls calls = { .linked = work_linked, .span = hosts_span, .note = hosts_note };
  self->links = an_links_new (host, self->places, &calls, self);
  self->devices = g_ptr_array_new_with_free_func (device_free);
  self->by_track = g_ptr_array_new ();
  self->waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
  hosts_init (self);
  nprof_status status = an_traits_init (&self->traits, host, false);
  return status ? status : stated_init (self);
}

static nprof_status
modules_choose (void *instance, const struct nprof_batch *batch, uint8_t *rows)
{
  Modules *self = instance;
  an_choose (self->places, AN_CHOOSE_WORK | AN_CHOOSE_CATEGORIES, batch, rows);
  an_links_choose (self->links, batch, rows);
  return NPROF_OK;
}

static nprof_status
span (Modules *self, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
      uint32_t i)
{
  if (place->device)
    return traits.role == AN_WORK ? work_row (self, place, traits, batch, i) : NPROF_OK;
  if (an_links_followed (self->links))
    an_launch_table_follow (&self->sites);
  an_links_host (self->links, place, (AnRole) traits.role, batch, i);
  return NPROF_OK;
}

static nprof_status
modules_consume (void *instance, const struct nprof_batch *batch)
{
  Modules *self = instance;
  const AnBatchTraits *traits = an_traits_of (&self->traits, batch);
  batch = traits->rows;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; i < batch->n_rows && !status; i++)
    if (batch->kind[i] == NPROF_SPAN)
      status = span (self, an_place (self->places, batch->track[i]), traits->of[i], batch, i);
  return status;
}

static nprof_status
modules_finish (void *instance)
{
  Modules *self = instance;
  an_links_end (self->links);
  work_end (self);
  nprof_status status = stated_end (self);
  return status ? status : write_all (self);
}

static void
modules_close (void *instance)
{
  Modules *self = instance;
  hosts_clear (self);
  stated_clear (self);
  an_links_free (self->links);
  an_places_free (self->places);
  an_traits_clear (&self->traits);
  g_ptr_array_unref (self->by_track);
  g_ptr_array_unref (self->devices);
  g_array_unref (self->waiting);
}

static const struct nprof_row_want sequence_numbers = { .size = sizeof sequence_numbers,
                                                        .kinds = 1u << NPROF_SPAN,
                                                        .key = "args",
                                                        .member = "Sequence number" };

static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "modules",
  .summary = "time of devices by module of the model, annotated range and line of source",
  .tables = (const struct nprof_table *const[]){ &modules_table, &module_classes_table,
                                                 &ranges_table, &source_table, NULL },
  .wants
  = (const char *const[]){ NPROF_KEY_WORK, AN_LAUNCH_KEYS, NPROF_KEY_LAYER, NPROF_KEY_FRAMEWORK_OP,
                           NPROF_KEY_SOURCE, NPROF_KEY_SOURCE_STACK, NULL },
  .row_wants = (const struct nprof_row_want *const[]){ &sequence_numbers, NULL },
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Modules),
  .open = modules_open,
  .choose = modules_choose,
  .consume = modules_consume,
  .finish = modules_finish,
  .close = modules_close,
};

NPROF_PLUGIN ("modules", NPROF_VERSION, "Apache-2.0", &component)
