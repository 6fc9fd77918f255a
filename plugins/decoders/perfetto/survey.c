/* SPDX-License-Identifier: Apache-2.0 */
/* survey.c - the first walk: learns what holds for the whole file wherever it stands there: texts,
 * defaults, clocks, tracks, GPUs. */
#include "perfetto.h"

static void
defaults_free (gpointer data)
{
  PfDefaults *d = data;
  if (d->counters)
    g_array_unref (d->counters);
  if (d->doubles)
    g_array_unref (d->doubles);
  g_free (d);
}

static GArray *
tracks_of (PbSpan event, guint32 field)
{
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint64 uuid;
  for (PfNumbers it = pf_numbers (event, field, false); pf_next_number (&it, &uuid);)
    g_array_append_val (tracks, uuid);
  return tracks;
}

static void
learn_defaults (Perfetto *pf, PbSpan body)
{
  PfDefaults *d = g_new0 (PfDefaults, 1);
  const PbSpan event = pf_bytes (body, 11);
  PbField f;
  d->clock = (guint32) pf_number (body, PACKET_CLOCK, 0);
  if (event.p) {
    d->counters = tracks_of (event, EVENT_MORE_TRACK);
    d->doubles = tracks_of (event, EVENT_MORE_DOUBLE_TRACK);
  }
  for (PbSpan rest = event; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);)
    if (f.tag == PB_VARINT (EVENT_TRACK)) {
      d->has_track = true;
      d->track = f.value;
    }
  g_ptr_array_add (pf->defaults, d);
}

static void
learn_interned (Perfetto *pf, const PfPacket *k)
{
  PbField f;
  for (const guint8 *p = k->p; p < k->end && pb_field (&p, k->end, &f);)
    if (f.tag == PB_BYTES (PACKET_INTERNED))
      pf_intern (pf, k->state->generation, f.span, k->in_block);
}

/* The queues of the older form are numbered over all packets. */
static void
learn_old_queues (Perfetto *pf, PbSpan stage)
{
  PbField f;
  PbSpan body = pf_bytes (stage, 7);
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag != PB_BYTES (2))
      continue;
    const PbSpan name = pf_bytes (f.span, 1);
    g_ptr_array_add (pf->old_queues, GUINT_TO_POINTER (name.p ? pf_text (pf->host, name) : 0));
  }
}

static void
learn_gpus (Perfetto *pf, PbSpan body)
{
  PbField f;
  for (gint64 number = 0; body.p < body.end && pb_field (&body.p, body.end, &f); number++) {
    const PbSpan name = f.tag == PB_BYTES (1) ? pf_bytes (f.span, 1) : (PbSpan){ NULL, NULL };
    if (name.p)
      g_hash_table_insert (pf->gpu_names, g_memdup2 (&number, sizeof number),
                           GUINT_TO_POINTER (pf_text (pf->host, name)));
  }
}

static nprof_status
survey_packet (PfWalk *w, PfPacket *k)
{
  Perfetto *pf = w->pf;
  if (k->has_sequence && k->has_defaults)
    learn_defaults (pf, k->defaults);
  if (k->has_interned && k->has_sequence && k->state->valid)
    learn_interned (pf, k);
  if (k->has_clocks)
    pf_snapshot (w, k->state, k->clocks, true);
  else if (k->field == PACKET_TRACK)
    pf_describe_track (w, k);
  else if (k->field == PACKET_PROCESS_TREE)
    pf_process_tree (pf, k->body);
  else if (k->field == PACKET_STAGE)
    learn_old_queues (pf, k->body);
  else if (k->field == PACKET_GPU_COUNTER)
    pf_learn_specs (pf, &(PfSpecKey){ .generation = PF_ANY_GENERATION }, pf_bytes (k->body, 1));
  else if (k->field == PACKET_GPU_INFO)
    learn_gpus (pf, k->body);
  else if (k->field == PACKET_UUID) {
    pf->has_uuid = true;
    pf->uuid[0] = pf_number (k->body, 1, 0);
    pf->uuid[1] = pf_number (k->body, 2, 0);
  }
  return NPROF_OK;
}

nprof_status
pf_survey (Perfetto *pf)
{
  PfWalk w;
  pf->defaults = g_ptr_array_new_with_free_func (defaults_free);
  g_ptr_array_add (pf->defaults, g_new0 (PfDefaults, 1)); /* of sequences that state none */
  pf_walk_init (&w, PF_SURVEY, pf, pf->host, survey_packet);
  guint64 at = 0;
  nprof_status status = pf_walk (&w, &at, (guint64) (pf->end - pf->data));
  pf_walk_clear (&w);
  pf_clocks_settle (pf);
  return status;
}
