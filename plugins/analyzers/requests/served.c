/* SPDX-License-Identifier: Apache-2.0 */
/* served.c - keeps the steps of devices, and the times at which these were busy, overlapping work
 * as one: which clock requests have is known behind the last row. */
#include "served.h"

#include "devicekit/server-steps.h"

static void
device_clear (gpointer data)
{
  ServedDevice *d = data;
  g_array_unref (d->steps);
  np_large_array_free (d->busy);
}

nprof_status
served_init (Served *s, const struct nprof_host *host)
{
  s->host = host;
  s->places = an_places_new (host);
  s->names = g_byte_array_new ();
  s->devices = g_array_new (FALSE, FALSE, sizeof (ServedDevice));
  g_array_set_clear_func (s->devices, device_clear);
  return an_traits_init (&s->traits, host, false);
}

void
served_clear (Served *s)
{
  an_traits_clear (&s->traits);
  an_places_free (s->places);
  g_clear_pointer (&s->names, g_byte_array_unref);
  g_clear_pointer (&s->devices, g_array_unref);
}

/* -- Rows -------------------------------------------------------------------------------------- */

bool
served_is_step (Served *s, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->kind[i] != NPROF_SPAN || batch->duration[i] < 0)
    return false;
  return an_names_server_step (s->names, s->host, batch->name[i])
         && an_place (s->places, batch->track[i])->device;
}

/* Work of a run of one input is of no use: its requests would have to lie in another. */
static bool
wants_work (const Served *s)
{
  return s->host->run (s->host)->n_inputs > 1;
}

void
served_choose (Served *s, const struct nprof_batch *batch, uint8_t *rows)
{
  if (wants_work (s))
    an_choose (s->places, AN_CHOOSE_WORK, batch, rows);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (served_is_step (s, batch, i))
      an_choose_row (rows, i);
}

static ServedDevice *
device_of (Served *s, const AnPlace *place)
{
  for (guint i = 0; i < s->devices->len; i++) {
    ServedDevice *d = &g_array_index (s->devices, ServedDevice, i);
    if (d->device == place->device)
      return d;
  }
  const ServedDevice d = { .device = place->device,
                           .label = place->label,
                           .input = place->input,
                           .steps = g_array_new (FALSE, FALSE, sizeof (ServedStep)),
                           .busy = np_large_array_new (sizeof (ServedBusy)) };
  g_array_append_val (s->devices, d);
  return &g_array_index (s->devices, ServedDevice, s->devices->len - 1);
}

static void
take_step (Served *s, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  const Said said = inference_said (nprof_text (s->host, batch->name[i]));
  const ServedStep step
      = { .start = batch->start[i],
          .end = batch->start[i] + batch->duration[i],
          .requests = said.requests,
          .makes_first = said.phase == PHASE_PREFILL || said.phase == PHASE_MIXED };
  ServedDevice *d = device_of (s, place);
  d->decodes |= said.phase != PHASE_PREFILL;
  d->longest = MAX (d->longest, batch->duration[i]);
  g_array_append_val (d->steps, step);
}

/* Most work touches that of the row before it, so few times are kept. */
static void
take_work (Served *s, const AnPlace *place, gint64 start, gint64 end)
{
  NpLargeArray *busy = device_of (s, place)->busy;
  ServedBusy *last = busy->len ? &g_array_index (busy, ServedBusy, busy->len - 1) : NULL;
  if (last && start <= last->end && end >= last->start) {
    last->start = MIN (last->start, start);
    last->end = MAX (last->end, end);
    return;
  }
  np_large_array_extend (busy, busy->len + 1);
  g_array_index (busy, ServedBusy, busy->len - 1) = (ServedBusy){ .start = start, .end = end };
}

void
served_take (Served *s, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&s->traits, batch);
  const bool work = wants_work (s);
  if (!work && !(traits->has & AN_HAS_SERVER_STEPS))
    return;
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN || batch->duration[i] < 0)
      continue;
    const AnPlace *place = an_place (s->places, batch->track[i]);
    if (served_is_step (s, batch, i))
      take_step (s, place, batch, i);
    else if (work && place->device && traits->of[i].role == AN_WORK
             && traits->of[i].class != AN_AROUND)
      take_work (s, place, batch->start[i], batch->start[i] + batch->duration[i]);
  }
}

/* -- Behind the last row ----------------------------------------------------------------------- */

static int
by_start (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b; /* both begin with start */
  return (x > y) - (x < y);
}

static void
join_busy (ServedDevice *d)
{
  ServedBusy *busy = (ServedBusy *) (gpointer) d->busy->data;
  guint n = 0;
  qsort (busy, d->busy->len, sizeof *busy, by_start);
  for (guint i = 0; i < d->busy->len; i++)
    if (n && busy[i].start <= busy[n - 1].end)
      busy[n - 1].end = MAX (busy[n - 1].end, busy[i].end);
    else
      busy[n++] = busy[i];
  for (guint i = 0; i < n; i++) {
    busy[i].before = d->all;
    d->all += busy[i].end - busy[i].start;
  }
  d->busy->len = n;
}

void
served_end (Served *s)
{
  for (guint i = 0; i < s->devices->len; i++) {
    ServedDevice *d = &g_array_index (s->devices, ServedDevice, i);
    g_array_sort (d->steps, by_start);
    join_busy (d);
  }
}

GArray *
served_first_ends (const Served *s, guint32 input)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < s->devices->len; i++) {
    const ServedDevice *d = &g_array_index (s->devices, ServedDevice, i);
    for (guint k = 0; d->input == input && k < d->steps->len; k++) {
      const ServedStep *step = &g_array_index (d->steps, ServedStep, k);
      if (step->makes_first)
        g_array_append_val (ends, step->end);
    }
  }
  g_array_sort (ends, by_start);
  return ends;
}

bool
served_goes_before (const Served *s, const ServedDevice *a, const ServedDevice *b)
{
  if (a->all != b->all)
    return a->all > b->all;
  return an_place_compare (s->host, a->device, b->device) < 0;
}

const ServedDevice *
served_busiest (const Served *s, guint32 input)
{
  const ServedDevice *most = NULL;
  for (guint i = 0; i < s->devices->len; i++) {
    const ServedDevice *d = &g_array_index (s->devices, ServedDevice, i);
    if (d->input != input || !d->steps->len)
      continue;
    if (!most || served_goes_before (s, d, most))
      most = d;
  }
  return most;
}

/* Returns how long the device was busy until a moment. */
static gint64
busy_until (const ServedDevice *d, gint64 moment)
{
  guint low = 0, high = d->busy->len; /* the first that begins there or behind */
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (d->busy, ServedBusy, middle).start < moment)
      low = middle + 1;
    else
      high = middle;
  }
  if (!low)
    return 0;
  const ServedBusy *busy = &g_array_index (d->busy, ServedBusy, low - 1);
  return busy->before + MIN (moment, busy->end) - busy->start;
}

/* Returns the number of the first step that may have its middle there or behind. */
static guint
first_step (const ServedDevice *d, gint64 from)
{
  guint low = 0, high = d->steps->len;
  while (low < high) {
    const guint middle = low + (high - low) / 2;
    if (g_array_index (d->steps, ServedStep, middle).start < from - d->longest)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

ServedPart
served_part (const ServedDevice *d, gint64 from, gint64 to)
{
  ServedPart part = { .busy = busy_until (d, to) - busy_until (d, from) };
  for (guint i = first_step (d, from); i < d->steps->len; i++) {
    const ServedStep *step = &g_array_index (d->steps, ServedStep, i);
    const gint64 middle = step->start + (step->end - step->start) / 2;
    if (step->start >= to)
      break;
    if (middle < from || middle >= to)
      continue;
    part.steps++;
    if (step->requests < 0)
      continue;
    part.requests += step->requests;
    part.counted++;
  }
  return part;
}
