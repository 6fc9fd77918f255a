/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer samples: measures what each kernel takes at each place of a step, and how
 * much that differs from step to step; `nprof diff` compares it. */
#include "samples.h"

#include "devicekit/bytes.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

enum { FRAMEWORK_OP, HLO_OP, COLLECTIVE };
static const char *const keys[] = { NPROF_KEY_FRAMEWORK_OP, NPROF_KEY_HLO_OP, NPROF_KEY_COLLECTIVE,
                                    AN_LAUNCH_KEYS,         AN_GRAPH_KEYS,    NPROF_KEY_WORK,
                                    NULL };
enum { OF_DEVICES, OF_HOSTS };

/* Rows that wait for a launch; beyond that the oldest are taken as rows without. */
#define WAITING 65536u

/* -- Launches that come late ------------------------------------------------------------ */

static SmWaiting *
waiting_at (const Samples *self, guint number)
{
  return number < self->waiting_from
             ? NULL
             : &g_array_index (self->waiting, SmWaiting, number - self->waiting_from);
}

static void
linked (gpointer user, guint number, const AnLaunchSite *launch)
{
  SmWaiting *waiting = waiting_at (user, number);
  if (!waiting || !waiting->device)
    return;
  sm_launched (waiting->device, &waiting->row, launch);
  waiting->device = NULL;
}

static void
give_up (Samples *self, guint n)
{
  for (guint i = 0; i < n; i++) {
    SmWaiting *waiting = &g_array_index (self->waiting, SmWaiting, i);
    if (waiting->device)
      sm_unlinked (waiting->device, &waiting->row);
  }
  g_array_remove_range (self->waiting, 0, n);
  self->waiting_from += n;
  an_links_give_up (self->links, self->waiting_from);
}

static void
wait_for_launch (Samples *self, SmDevice *device, const SmRow *row, guint64 correlation)
{
  const SmWaiting waiting = { *row, device };
  an_links_wait (self->links, device->input, correlation, self->waiting_from + self->waiting->len);
  g_array_append_val (self->waiting, waiting);
  if (self->waiting->len == 2 * WAITING)
    give_up (self, WAITING);
}

/* -- Rows -------------------------------------------------------------------------------- */

static SmRow
row_of (Samples *self, const struct nprof_batch *batch, uint32_t i)
{
  return (SmRow){ .order = batch->start[i],
                  .start = batch->start[i],
                  .duration = batch->duration[i],
                  .inside = nprof_inside (&self->window, batch->start[i], batch->duration[i]),
                  .number = self->number++,
                  .kernel = batch->name[i],
                  .of_graph = an_graph_row (batch, i, &self->graph_keys).operator,
                  .hidden = nprof_hidden (batch, i) };
}

static SmWindow
window_of (const struct nprof_batch *batch, uint32_t i)
{
  return (SmWindow){ .name = batch->name[i],
                     .start = batch->start[i],
                     .end = batch->start[i] + batch->duration[i],
                     .hidden = nprof_hidden (batch, i) };
}

static void
note_class (Samples *self, nprof_str kernel, AnClass class)
{
  guint8 *known = an_byte_of (self->class_of, kernel);
  *known = *known ? *known : (guint8) (class + 1);
}

static nprof_status
work (Samples *self, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
      uint32_t i, AnClass class)
{
  SmDevice *device = sm_device (self, place->device, place->label, place->input);
  SmRow row = row_of (self, batch, i);
  AnLaunchSite launch;
  note_class (self, row.kernel, class);
  device->rows += !row.hidden;
  nprof_str path = nprof_reader_str (&self->pick, FRAMEWORK_OP),
            op = nprof_reader_str (&self->pick, HLO_OP);
  row.operator= path ? path : op;
  if (!(traits.is & AN_IS_BESIDE))
    return sm_nest_row (self, place->track, device, &row);
  device->work += row.hidden ? 0 : row.inside;
  guint64 correlation = an_links_correlation (self->links, batch, i);
  device->launchable |= correlation || (traits.is & AN_IS_LAUNCHABLE);
  if (an_links_find (self->links, place->input, correlation, row.start, &launch))
    sm_launched (device, &row, &launch);
  else if (correlation)
    wait_for_launch (self, device, &row, correlation);
  else
    sm_unlinked (device, &row);
  return NPROF_OK;
}

/* Takes what lies around work: steps, their repetitions, executions of programs. */
static void
around (Samples *self, const AnPlace *place, const struct nprof_batch *batch, uint32_t i,
        SmSource source)
{
  const SmWindow window = window_of (batch, i);
  sm_window (sm_device (self, place->device, place->label, place->input), source,
             source == SM_PROGRAM ? window.name : 0, &window);
}

static nprof_status
device_row (Samples *self, const AnPlace *place, AnTraits traits, const struct nprof_batch *batch,
            uint32_t i)
{
  const AnRole role = (AnRole) traits.role;
  if (role != AN_WORK && role != AN_MODULE && role != AN_STEP)
    return NPROF_OK;
  if (batch->duration[i] < 0) {
    self->unclosed += role == AN_WORK;
    return NPROF_OK;
  }
  if (role != AN_WORK) {
    around (self, place, batch, i,
            role == AN_MODULE                            ? SM_PROGRAM
            : an_names_step (self->host, batch->name[i]) ? SM_NOTES
                                                         : SM_LINE);
    return NPROF_OK;
  }
  nprof_reader_row (&self->pick, batch, i);
  AnClass class = an_class_of (traits, self->pick.field[COLLECTIVE].type != NPROF_NULL);
  if (class == AN_AROUND)
    around (self, place, batch, i, SM_PROGRAM);
  return class == AN_AROUND || class == AN_CONTROL ? NPROF_OK
                                                   : work (self, place, traits, batch, i, class);
}

/* Takes a row of a host: in a profile of hosts alone their own time is compared. */
static nprof_status
host_row (Samples *self, const AnPlace *place, AnRole role, const struct nprof_batch *batch,
          uint32_t i)
{
  const struct nprof_track_info *info = self->host->track_info (self->host, place->track);
  if (info->kind == NPROF_TRACK_ASYNC || info->kind == NPROF_TRACK_COUNTER)
    return NPROF_OK;
  if (batch->duration[i] < 0) {
    self->unclosed++;
    return NPROF_OK;
  }
  nprof_track process = info->process ? info->process : place->track;
  SmDevice *device
      = sm_device (self, process, nprof_track_label (self->host->track_info (self->host, process)),
                   place->input);
  if (role == AN_STEP) {
    const SmWindow window = window_of (batch, i);
    sm_window (device, SM_LINE, 0, &window);
    return NPROF_OK;
  }
  SmRow row = row_of (self, batch, i);
  note_class (self, row.kernel, AN_COMPUTE);
  device->rows += !row.hidden;
  return sm_together_add (self, place->track, device, &row);
}

static nprof_status
span (Samples *self, AnTraits traits, const struct nprof_batch *batch, uint32_t i)
{
  const AnPlace *place = an_place (self->places, batch->track[i]);
  const AnRole role = (AnRole) traits.role;
  if (self->of_hosts)
    return place->device ? NPROF_OK : host_row (self, place, role, batch, i);
  if (place->device)
    return device_row (self, place, traits, batch, i);
  an_links_host (self->links, place, role, batch, i);
  if (batch->duration[i] >= 0 && role == AN_STEP) {
    const struct nprof_track_info *info = self->host->track_info (self->host, place->track);
    const SmWindow window = window_of (batch, i);
    sm_host_step (self, place->input, info->process ? info->process : place->track, &window);
  }
  return NPROF_OK;
}

static nprof_status
samples_consume (void *instance, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&((Samples *) instance)->traits, batch);
  batch = traits->rows;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; i < batch->n_rows && status == NPROF_OK; i++)
    if (batch->kind[i] == NPROF_SPAN)
      status = span (instance, traits->of[i], batch, i);
  return status;
}

static nprof_status
samples_choose (void *instance, const struct nprof_batch *batch, uint8_t *rows)
{
  Samples *self = instance;
  an_choose (self->places,
             self->of_hosts ? AN_CHOOSE_HOSTS | AN_CHOOSE_AROUND
                            : AN_CHOOSE_WORK | AN_CHOOSE_AROUND,
             batch, rows);
  if (!self->of_hosts)
    an_links_choose (self->links, batch, rows);
  return NPROF_OK;
}

static nprof_status
take_table (void *instance, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  sm_cut_table (instance, table, cells, n_rows);
  return NPROF_OK;
}

static nprof_status
announce (const Samples *self)
{
  const struct nprof_host *h = self->host;
  nprof_status status = h->table (h, &samples_table);
  if (!status)
    status = h->table (h, &kernel_steps_table);
  return status ? status : h->table (h, &kernel_places_table);
}

static nprof_status
samples_finish (void *instance)
{
  Samples *self = instance;
  an_links_end (self->links);
  give_up (self, self->waiting->len);
  nprof_status status = sm_together_end (self);
  if (!status)
    status = sm_nest_end (self);
  if (self->unclosed)
    nprof_log (self->host, NPROF_WARNING,
               "spans without an end in the file: %" G_GUINT64_FORMAT "; they are in no sample",
               self->unclosed);
  return status ? status : sm_write (self);
}

/* -- Life -------------------------------------------------------------------------------- */

static nprof_status
samples_open (void *instance, const struct nprof_host *host)
{
  Samples *self = instance;
  self->host = host;
  self->places = an_places_new (host);
  self->window = nprof_window_of (host);
  self->graph_keys = an_graph_keys (host);
  self->links = an_links_new (host, self->places, &(AnLinkCalls){ .linked = linked }, self);
  if (self->modules)
    an_links_want_modules (self->links);
  self->devices = g_ptr_array_new_with_free_func (sm_device_free);
  self->by_track = g_ptr_array_new ();
  self->nest_list = g_ptr_array_new_with_free_func (sm_nest_free);
  self->nests = g_hash_table_new (NULL, NULL);
  self->class_of = g_byte_array_new ();
  self->waiting = g_array_new (FALSE, FALSE, sizeof (SmWaiting));
  self->together = g_array_new (FALSE, FALSE, sizeof (SmTogether));
  self->host_steps = g_array_new (FALSE, FALSE, sizeof (SmHostStep));
  self->cuts = g_array_new (FALSE, FALSE, sizeof (SmCut));
  g_array_set_clear_func (self->cuts, sm_cut_clear);
  nprof_status status = an_traits_init (&self->traits, host, false);
  if (!status)
    status = nprof_reader_init (&self->pick, host, keys);
  return status ? status : announce (self);
}

static void
samples_close (void *instance)
{
  Samples *self = instance;
  an_links_free (self->links);
  an_traits_clear (&self->traits);
  an_places_free (self->places);
  g_ptr_array_unref (self->devices);
  g_ptr_array_unref (self->by_track);
  g_ptr_array_unref (self->nest_list);
  g_hash_table_unref (self->nests);
  g_byte_array_unref (self->class_of);
  g_array_unref (self->waiting);
  g_array_unref (self->together);
  g_array_unref (self->host_steps);
  g_array_unref (self->cuts);
  nprof_reader_clear (&self->pick);
}

/* clang-format off */
static const struct nprof_component component = {
  .size = sizeof component,
  .kind = NPROF_ANALYZER,
  .name = "samples",
  .summary = "what each kernel takes at each place of a step, and how that differs between steps",
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (Samples, of_hosts, "of", "device", "device|host",
                           "work of devices, or spans of hosts with the time that is their own"),
      NPROF_BOOL_OPTION (Samples, modules, "modules", "no",
                         "tell modules by frames of Python; else, where the framework has paths, by these")),
  .tables = (const struct nprof_table *const[]) { &samples_table, &kernel_steps_table, &kernel_places_table, NULL },
  .wants = keys,
  .order = NPROF_ORDER_DEVICE,
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_CONTEXT | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Samples),
  .open = samples_open,
  .consume = samples_consume,
  .table = take_table,
  .table_wants = (const char *const[]) { "step_breakdown?", NULL },
  .finish = samples_finish,
  .close = samples_close,
  .choose = samples_choose,
};
/* clang-format on */

NPROF_PLUGIN ("samples", NPROF_VERSION, "Apache-2.0", &component)
