/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - sums up work by replay, family and operator.  Rows of a device come by start. */
#include "devicekit/by-track.h"
#include "layers.h"

#include <string.h>

static guint32
device_of (Graphs *g, const AnPlace *place)
{
  const guint number = GPOINTER_TO_UINT (an_of_track (g->by_track, place->device));
  if (number)
    return number - 1;
  const Device d = { .track = place->device, .label = place->label, .input = place->input };
  g_array_append_val (g->devices, d);
  an_put_of_track (g->by_track, place->device, GUINT_TO_POINTER (g->devices->len));
  return g->devices->len - 1;
}

static nprof_str
family_of (Graphs *g, nprof_str name)
{
  gpointer known = g_hash_table_lookup (g->family, GUINT_TO_POINTER (name));
  if (known)
    return GPOINTER_TO_UINT (known);
  nprof_str family = nprof_intern (g->host, an_family (g->families, nprof_text (g->host, name)));
  g_hash_table_insert (g->family, GUINT_TO_POINTER (name), GUINT_TO_POINTER (family));
  return family;
}

static void
add (AnKeyTable *keys, NpLargeArray *sums, const guint32 *key, gint64 busy)
{
  guint number = an_key_table_get (keys, key);
  if (number == sums->len)
    np_large_array_extend (sums, number + 1);
  Sum *sum = &g_array_index (sums, Sum, number);
  sum->kernels++;
  sum->busy += busy;
}

/* What a row of a replay states beside its operator. */
typedef struct {
  gint64 replay; /* -1: it is of none */
  nprof_str layer;
} Stated;

static Stated
stated_of (const Graphs *g, const struct nprof_batch *batch, uint32_t i)
{
  Stated s = { .replay = -1 };
  for (uint32_t j = batch->attr_at ? batch->attr_at[i] : 0;
       batch->attr_at && j < batch->attr_at[i + 1]; j++) {
    const nprof_str key = batch->attr_key[j];
    if (key == g->key_replay && batch->attr_type[j] == NPROF_INT64)
      s.replay = batch->attr_value[j].i;
    else if (key == g->key_layer && batch->attr_type[j] == NPROF_STRING)
      s.layer = batch->attr_value[j].s;
  }
  return s;
}

/* Returns the last part of a path of modules. */
static nprof_str
innermost (const Graphs *g, nprof_str layer)
{
  const char *path = nprof_text (g->host, layer), *last = strrchr (path, '/');
  return last ? nprof_intern (g->host, last + 1) : layer;
}

/* -- Replays ----------------------------------------------------------------------------------- */

static Replay *
replay_of (Graphs *g, guint32 device, uint32_t input, gint64 number)
{
  const guint32 key[] = { device, input, (guint32) number, (guint32) (number >> 32) };
  guint n = an_key_table_get (&g->replay_keys, key);
  if (n == g->replays->len) {
    np_large_array_extend (g->replays, n + 1);
    g_array_index (g->replays, Replay, n)
        = (Replay){ .device = device, .input = input, .match = GRAPH_EXACT, .idle = -1 };
  }
  return &g_array_index (g->replays, Replay, n);
}

static void
take_first (Device *d, Replay *r, gint64 start, guint64 correlation)
{
  r->first = start;
  r->correlation = correlation;
  r->idle = d->any ? MAX (0, start - d->end) : -1;
  r->outside = d->outside;
  d->outside = (Sum){ 0 };
}

static guint64
mix (guint64 hash, guint32 word)
{
  return (hash ^ word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + (hash >> 29);
}

static void
add_operator (Graphs *g, guint32 device, uint32_t input, const AnGraphRow *row, const Stated *s,
              gint64 busy)
{
  const guint32 key[OPERATOR_WORDS]
      = { device, row->operator, s->layer ? innermost (g, s->layer) : 0,
          g->keys.words[row->match] };
  add (&g->operator_keys, g->operator_sums, key, busy);
  guint number = an_key_table_get (&g->operator_keys, key), before = g->calls.n;
  g_array_set_size (g->operator_calls, MAX (g->operator_calls->len, number + 1));
  if (!row->call)
    return;
  const guint32 call[] = { number, input, (guint32) row->call, (guint32) (row->call >> 32) };
  an_key_table_get (&g->calls, call);
  g_array_index (g->operator_calls, guint64, number) += g->calls.n - before;
}

static void
replay_row (Graphs *g, guint32 device, const struct nprof_batch *batch, uint32_t i,
            const Stated *s, gint64 busy)
{
  const AnGraphRow row = an_graph_row (batch, i, &g->keys);
  Device *d = &g_array_index (g->devices, Device, device);
  Replay *r = replay_of (g, device, batch->input, s->replay);
  if (!r->kernels++)
    take_first (d, r, batch->start[i], an_row_launch (batch, i, g->launch_keys, 0).correlation);
  const guint number = (guint) (r - (Replay *) (gpointer) g->replays->data);
  const guint before = g->streams.n;
  an_key_table_get (&g->streams, (const guint32[]){ number, batch->track[i] });
  r->streams += g->streams.n - before;
  if (r->kernels > 1)
    r->within += MAX (0, batch->start[i] - r->last);
  r->last = MAX (r->last, batch->start[i] + batch->duration[i]);
  r->hash = mix (mix (r->hash, batch->name[i]), batch->track[i]);
  r->busy += busy;
  add (&g->content_keys, g->content_sums,
       (const guint32[]){ number, family_of (g, batch->name[i]) }, busy);
  const bool named = !g_str_has_prefix (nprof_text (g->host, row.operator), GRAPH_UNKNOWN);
  r->named += named ? busy : 0;
  r->match = MIN (r->match, row.match);
  layers_add (g, number, named ? row.operator: batch->name[i], s->layer, busy);
  add_operator (g, device, batch->input, &row, s, busy);
}

/* -- Rows -------------------------------------------------------------------------------------- */

static void
work_row (Graphs *g, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  const guint32 device = device_of (g, place);
  const Stated s = stated_of (g, batch, i);
  Device *d = &g_array_index (g->devices, Device, device);
  if (!nprof_hidden (batch, i)) {
    gint64 busy = nprof_inside (&g->clip, batch->start[i], batch->duration[i]);
    const guint32 family[FAMILY_WORDS]
        = { device, family_of (g, batch->name[i]), s.replay >= 0 },
                  outside[OUTSIDE_WORDS] = { device, batch->name[i] };
    d->busy += busy;
    add (&g->family_keys, g->family_sums, family, busy);
    if (s.replay >= 0)
      replay_row (g, device, batch, i, &s, busy);
    else {
      add (&g->outside_keys, g->outside_sums, outside, busy);
      d->outside.kernels++;
      d->outside.busy += busy;
    }
  }
  gint64 end = batch->start[i] + batch->duration[i];
  d->end = d->any ? MAX (d->end, end) : end;
  d->any = true;
}

static void
host_row (Graphs *g, const struct nprof_batch *batch, uint32_t i)
{
  if (batch->duration[i] >= 0 && an_names_server_step (g->known, g->host, batch->name[i])) {
    const AnServerStep step = { .name = batch->name[i],
                                .start = batch->start[i],
                                .end = batch->start[i] + batch->duration[i],
                                .said = inference_said (nprof_text (g->host, batch->name[i])) };
    an_server_steps_add (an_server_steps_of (g->host_steps, batch->input), &step);
    return;
  }
  const AnListedLaunch launch
      = { .id = an_row_launch (batch, i, g->launch_keys, 0).correlation,
          .start = batch->start[i],
          .input = batch->input };
  if (launch.id)
    an_launch_list_add (&g->launches, &launch);
}

nprof_status
graphs_rows (Graphs *g, const struct nprof_batch *batch)
{
  const AnBatchTraits *traits = an_traits_of (&g->traits, batch);
  g->any |= (traits->has & AN_HAS_REPLAYS) != 0;
  if (!g->any)
    return NPROF_OK;
  batch = traits->rows;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    const AnPlace *place = an_place (g->places, batch->track[i]);
    if (!place->device)
      host_row (g, batch, i);
    else if (traits->of[i].role == AN_WORK && traits->of[i].class != AN_AROUND
             && batch->duration[i] >= 0)
      work_row (g, place, batch, i);
  }
  return NPROF_OK;
}

void
graphs_choose_rows (Graphs *g, const struct nprof_batch *batch, uint8_t *rows)
{
  an_choose (g->places, AN_CHOOSE_WORK, batch, rows);
  const bool any = an_any_has_launch (batch, g->launch_keys);
  for (uint32_t i = 0; i < batch->n_rows; i++)
    if (batch->kind[i] == NPROF_SPAN && !an_is_chosen (rows, i)
        && (an_names_server_step (g->known, g->host, batch->name[i])
            || (any && an_row_launch (batch, i, g->launch_keys, 0).correlation)))
      an_choose_row (rows, i);
}
