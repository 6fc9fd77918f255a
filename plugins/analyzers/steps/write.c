/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes tables steps and step_times. */
#include "steps.h"

#include "devicekit/cells.h"

static struct nprof_cell
input_cell (const Steps *self, const guint32 *key)
{
  const struct nprof_host *h = self->host;
  return nprof_cell_str (h->input (h, h->track_info (h, key[S_DEVICE])->input)->label);
}

static struct nprof_cell
device_cell (const Steps *self, const guint32 *key)
{
  const AnPlace *place = an_place (self->places, key[S_DEVICE]);
  return nprof_cell_str (
      place->device ? place->label
                    : nprof_track_label (self->host->track_info (self->host, key[S_DEVICE])));
}

static nprof_status
write_step (Steps *self, const Step *step)
{
  const guint32 *key = an_key_table_key (&self->series_keys, step->series);
  const char *name = nprof_text (self->host, step->name);
  g_autofree char *text = key[S_SOURCE] == STEP_MODULE
                              ? g_strdup_printf ("%s#%u", name, step->ordinal)
                              : g_strdup (name);
  const struct nprof_cell cells[] = {
    input_cell (self, key),
    device_cell (self, key),
    nprof_cell_text (text),
    nprof_cell_int (step->start),
    step->ended ? nprof_cell_int (step->end - step->start) : nprof_cell_null (),
    { .type = NPROF_BOOL, .v.u = step->cut },
    step->no_skew ? nprof_cell_null () : nprof_cell_int (step->skew),
    nprof_cell_text (step->no_skew),
    step->no_skew ? nprof_cell_null () : nprof_cell_int (step->begin_skew),
    step->no_skew ? nprof_cell_null () : nprof_cell_int (step->late),
  };
  return an_rows_add (&self->rows, &steps_table, cells);
}

nprof_status
write_steps (Steps *self)
{
  nprof_status status = self->host->table (self->host, &steps_table);
  for (guint i = 0; i < self->steps->len && status == NPROF_OK; i++)
    if (step_at (self, i)->shown && series_at (self, step_at (self, i)->series)->shown)
      status = write_step (self, step_at (self, i));
  return status;
}

static nprof_status
write_series (Steps *self, const guint32 *key, struct nprof_cell device, guint cut, Dist *d,
              Dist *skew, const char *no_skew)
{
  static const guint milles[] = { 500, 900, 950, 970, 990 };
  gint64 value[G_N_ELEMENTS (milles)];
  struct nprof_cell rank[G_N_ELEMENTS (milles)];
  if (d->count)
    dist_percentiles (d, milles, G_N_ELEMENTS (milles), false, value);
  for (guint i = 0; i < G_N_ELEMENTS (milles); i++)
    rank[i] = d->count ? nprof_cell_int (value[i]) : nprof_cell_null ();
  const struct nprof_cell cells[] = {
    input_cell (self, key),
    device,
    an_str_cell (key[S_PROGRAM]),
    nprof_cell_int ((gint64) d->count),
    nprof_cell_int (cut),
    d->count ? nprof_cell_int (d->min) : nprof_cell_null (),
    d->count ? nprof_cell_int (dist_mean (d)) : nprof_cell_null (),
    rank[0],
    rank[1],
    rank[2],
    rank[3],
    rank[4],
    d->count ? nprof_cell_int (d->max) : nprof_cell_null (),
    skew->count ? nprof_cell_int (dist_percentile (skew, 500, false)) : nprof_cell_null (),
    skew->count ? nprof_cell_int (skew->max) : nprof_cell_null (),
    nprof_cell_text (skew->count ? NULL : no_skew),
  };
  return an_rows_add (&self->rows, &step_times_table, cells);
}

static nprof_status
sum_up (Steps *self, guint number)
{
  const Series *series = series_at (self, number);
  Dist d = { 0 }, skew = { 0 };
  guint cut = 0;
  const char *no_skew = "no step was counted"; /* else that of the last one */
  for (guint i = 0; i < series->n; i++) {
    const Step *step = step_at (self, series->first + i);
    cut += step->shown && step->cut;
    if (!step->shown || !step->ended || (step->cut && !self->keep_cut))
      continue;
    dist_add (&d, step->end - step->start);
    if (step->no_skew)
      no_skew = step->no_skew;
    else
      dist_add (&skew, step->skew);
  }
  const guint32 *key = an_key_table_key (&self->series_keys, number);
  nprof_status status = write_series (self, key, device_cell (self, key), cut, &d, &skew, no_skew);
  dist_clear (&d);
  dist_clear (&skew);
  return status;
}

/* -- Steps of a host --------------------------------------------------------------------------- */

static nprof_status
write_periods (Steps *self, const guint32 *key, const Device *device, const GArray *periods)
{
  Dist d = { 0 }, skew = { 0 };
  for (guint i = 0; i < periods->len; i++)
    dist_add (&d, g_array_index (periods, gint64, i));
  nprof_status status = write_series (self, key, nprof_cell_str (device->label), 0, &d, &skew,
                                      "a period says how long a device took, not when it ended");
  dist_clear (&d);
  return status;
}

/* Writes the periods of the devices that worked in the steps, as the verdict counts them: when an
 * annotation ends says when its host was done.  *any: of one they are known. */
static nprof_status
write_devices (Steps *self, guint number, bool *any)
{
  const guint32 *key = an_key_table_key (&self->series_keys, number);
  const Process *p = g_hash_table_lookup (self->process_of, GUINT_TO_POINTER (key[S_DEVICE]));
  nprof_status status = NPROF_OK;
  for (guint i = 0; p && i < self->devices->len && status == NPROF_OK; i++) {
    const Device *d = g_ptr_array_index (self->devices, i);
    const GArray *periods = st_works_on (d, p) ? st_periods_of (self, d) : NULL;
    if (periods)
      status = write_periods (self, key, d, periods);
    *any |= periods != NULL;
  }
  return status;
}

static nprof_status
write_series_times (Steps *self, guint number)
{
  bool any = false;
  nprof_status status = write_devices (self, number, &any);
  return any || status ? status : sum_up (self, number);
}

/* Returns whether the selection leaves any of them. */
static bool
any_shown (const Steps *self, const Series *series)
{
  for (guint i = 0; i < series->n; i++)
    if (step_at (self, series->first + i)->shown)
      return true;
  return false;
}

/* Writes times in the order of the steps. */
nprof_status
write_times (Steps *self)
{
  nprof_status status = self->host->table (self->host, &step_times_table);
  for (guint i = 0; i < self->steps->len && status == NPROF_OK; i++) {
    const Step *step = step_at (self, i);
    const Series *series = series_at (self, step->series);
    if (step->ordinal == 0 && series->shown && any_shown (self, series))
      status = write_series_times (self, step->series);
  }
  return status;
}
