/* SPDX-License-Identifier: Apache-2.0 */
/* packets.c - walks the packets of a trace, also those within compressed ones, and keeps the state
 * of each sequence: what it has interned, its defaults, its clocks.  Every walk comes to the same
 * state at the same packet. */
#include "perfetto.h"

#define REPORT (8u << 20) /* bytes between two reports of progress */
#define AHEAD 2048        /* bytes that are fetched ahead */

/* Places within a compressed packet: the number of the packet, and the byte in what it holds. */
#define IN_BLOCK (G_GUINT64_CONSTANT (1) << 63)
#define BLOCK_SHIFT 30

/* -- Life -------------------------------------------------------------------------------------- */

void
pf_walk_init (PfWalk *w, PfPass pass, Perfetto *pf, const struct nprof_host *host, PfVisit *visit)
{
  *w = (PfWalk){ .pass = pass, .pf = pf, .host = host, .visit = visit };
  w->states = g_array_new (FALSE, FALSE, sizeof (PfState));
  w->seen = g_new0 (PfSeen, PF_SEEN);
  w->names = g_new0 (PfNames, 1);
  w->runs = g_new0 (PfRun, PF_RUNS);
}

void
pf_walk_clear (PfWalk *w)
{
  g_clear_pointer (&w->states, g_array_unref);
  g_clear_pointer (&w->seen, g_free);
  g_clear_pointer (&w->names, g_free);
  g_clear_pointer (&w->runs, g_free);
  g_clear_pointer (&w->block, g_free);
}

void
pf_walk_resume (PfWalk *w, const PfWalk *at)
{
  g_array_append_vals (w->states, at->states->data, at->states->len);
  w->last = at->last;
  w->n_blocks = at->n_blocks;
  w->n_generations = at->n_generations;
  w->n_defaults = at->n_defaults;
  w->n_halves = at->n_halves;
  w->n_flows = at->n_flows;
  w->n_counts = at->n_counts;
  w->n_samples = at->n_samples;
  w->n_states = at->n_states;
}

guint64
pf_byte (const Perfetto *pf, guint64 place)
{
  if (!(place & IN_BLOCK))
    return place;
  guint64 number = (place & ~IN_BLOCK) >> BLOCK_SHIFT;
  return (guint64) (g_array_index (pf->blocks, PbSpan, number).p - pf->data);
}

nprof_status
pf_damaged (PfWalk *w, PfPass pass, const PfPacket *packet, const char *what)
{
  return w->pass == pass ? w->host->damage (w->host, pf_byte (w->pf, packet->place), what)
                         : NPROF_OK;
}

/* -- One packet -------------------------------------------------------------------------------- */

/* Takes bytes of a field that is none of a packet's own. */
static inline void
take_bytes (PfPacket *k, guint64 field, PbSpan span)
{
  if (k->field && field != PACKET_COMPRESSED && field != PACKET_ZSTD)
    return;
  k->field = (guint) MIN (field, G_MAXUINT);
  k->body = span;
}

/* Reads all of the top level before anything below it: fields come in any order. */
static bool
read_packet (PfPacket *k)
{
  PbField f;
  for (const guint8 *p = k->p; p < k->end;) {
    if (!pb_field_hot (&p, k->end, &f))
      return false;
    switch (f.tag) {
    case PB_VARINT (PACKET_TIME):
      k->has_time = true;
      k->time = f.value;
      break;
    case PB_VARINT (PACKET_CLOCK):
      k->clock = (guint32) f.value;
      break;
    case PB_VARINT (PACKET_SEQUENCE):
      k->has_sequence = true;
      k->sequence = (guint32) f.value;
      break;
    case PB_VARINT (PACKET_FLAGS):
      k->flags = (guint32) f.value;
      break;
    case PB_VARINT (PACKET_CLEARED):
      k->cleared = f.value;
      break;
    case PB_VARINT (PACKET_DROPPED):
      k->lost = f.value;
      break;
    case PB_VARINT (PACKET_MACHINE):
      k->machine = (guint32) f.value;
      break;
    case PB_BYTES (PACKET_DEFAULTS):
      k->has_defaults = true;
      k->defaults = f.span;
      break;
    case PB_BYTES (PACKET_CLOCKS):
      k->has_clocks = true;
      k->clocks = f.span;
      break;
    case PB_BYTES (PACKET_INTERNED):
      k->has_interned = true;
      break;
    default:
      if ((f.tag & 7) == 2)
        take_bytes (k, f.tag >> 3, f.span);
      break;
    }
  }
  k->cleared |= k->flags & FLAG_CLEARED;
  return true;
}

/* -- Sequences --------------------------------------------------------------------------------- */

static PfState *
state_of (PfWalk *w, const PfPacket *k)
{
  GArray *states = w->states;
  for (guint i = 0, at = w->last; i < states->len; i++) {
    PfState *state = &g_array_index (states, PfState, at);
    if (state->number == k->sequence && state->machine == k->machine) {
      w->last = at;
      return state;
    }
    at = at + 1 < states->len ? at + 1 : 0;
  }
  PfState fresh = { .machine = k->machine, .number = k->sequence, .last = PF_NO_TIME };
  fresh.generation = ++w->n_generations;
  w->last = states->len;
  g_array_append_val (states, fresh);
  return &g_array_index (states, PfState, w->last);
}

/* Clears first, then takes defaults; what a packet interns is taken by the first walk. */
static void
enter_state (PfWalk *w, PfPacket *k)
{
  PfState *state = k->state = state_of (w, k);
  state->n++;
  state->had_loss = k->lost && state->n > 1;
  if (k->has_sequence && k->cleared) {
    state->generation = ++w->n_generations;
    state->defaults = 0;
    state->valid = true;
  } else if (k->has_sequence && k->lost) {
    state->generation = ++w->n_generations;
    state->thread.known = false;
    state->valid = false;
  }
  if (k->has_sequence && k->has_defaults)
    state->defaults = ++w->n_defaults;
}

/* A thread descriptor says from where the times of its sequence count. */
static void
enter_thread (PfPacket *k)
{
  if (k->field == PACKET_THREAD) {
    k->state->thread = pf_thread (k->body);
  } else if (k->field == PACKET_TRACK) {
    const PbSpan thread = pf_bytes (k->body, 4);
    if (!thread.p)
      return;
    const PfThread said = pf_thread (thread);
    if (said.now || (k->state->valid && !k->state->thread.known))
      k->state->thread = said;
  }
}

static nprof_status walk_packet (PfWalk *w, PbSpan span, guint64 place, bool in_block);

/* -- Compressed packets ------------------------------------------------------------------------ */

static inline const char *
read_frame (const guint8 **p, const guint8 *end, PbSpan *packet)
{
  PbField f;
  const guint8 *q = *p;
  *packet = (PbSpan){ NULL, NULL };
  if (!pb_field_hot (&q, end, &f))
    return "no packet begins here, or it goes on beyond the end";
  if (f.tag == PB_BYTES (1))
    *packet = f.span;
  *p = q;
  return NULL;
}

static nprof_status
walk_block (PfWalk *w, const PfPacket *outer)
{
  gsize len;
  const guint64 number = w->n_blocks++;
  if (w->pass == PF_SURVEY)
    g_array_append_val (w->pf->blocks, outer->body);
  guint8 *data;
  nprof_status status = pf_inflate (outer->body, &data, &len);
  if (status == NPROF_E_NOMEM)
    return nprof_fail (w->host, status, "no memory for compressed packets");
  if (status)
    return pf_damaged (w, PF_SURVEY, outer,
                       "compressed_packets: no stream of zlib or zstd that can be read to its end");
  g_free (w->block);
  w->block = data;
  for (const guint8 *p = data, *end = data + len; p < end && !status;) {
    PbSpan packet;
    const guint8 *at = p;
    const char *why = read_frame (&p, end, &packet);
    if (why)
      return pf_damaged (w, PF_SURVEY, outer, why);
    if (packet.p < packet.end)
      status
          = walk_packet (w, packet, IN_BLOCK | number << BLOCK_SHIFT | (guint64) (at - data), true);
  }
  return status;
}

static nprof_status
walk_compressed (PfWalk *w, const PfPacket *k)
{
  if (!k->in_block && (k->field == PACKET_COMPRESSED || pf_has_zstd ()))
    return walk_block (w, k);
  if (w->pass == PF_SURVEY)
    w->host->skip (w->host,
                   k->field == PACKET_ZSTD ? "zstd_compressed_packets" : "compressed_packets",
                   pf_byte (w->pf, k->place),
                   k->in_block ? "they are within compressed packets"
                               : "this nprof was built without zstd");
  return NPROF_OK;
}

/* -- The walk ---------------------------------------------------------------------------------- */

static nprof_status
walk_packet (PfWalk *w, PbSpan span, guint64 place, bool in_block)
{
  PfPacket k = { .p = span.p, .end = span.end, .place = place, .in_block = in_block };
  const PfHalf *half = w->pass == PF_ROWS ? pf_noted (w, place) : NULL;
  if (half && !(half->what & HALF_TAKES_ARGS))
    return pf_decode_noted (w, &k, half);
  if (!read_packet (&k))
    return pf_damaged (w, PF_SURVEY, &k,
                       "packet: a field is cut off, or of a type that does not occur");
  if (half)
    return pf_decode_noted (w, &k, half);
  if (k.field == PACKET_COMPRESSED || k.field == PACKET_ZSTD)
    return walk_compressed (w, &k);
  enter_state (w, &k);
  enter_thread (&k);
  return w->visit (w, &k);
}

nprof_status
pf_walk (PfWalk *w, guint64 *at_byte, guint64 to)
{
  Perfetto *pf = w->pf;
  nprof_status status = NPROF_OK;
  const guint8 *p = pf->data + *at_byte, *end = pf->data + to, *told = p;
  while (p < end && !status) {
    PbSpan packet;
    const guint8 *at = p;
    __builtin_prefetch (p + AHEAD);
    const char *why = read_frame (&p, pf->end, &packet);
    if (why) {
      pf->end = at; /* all before it counts */
      return w->host->damage (w->host, (guint64) (at - pf->data), why);
    }
    if (packet.p < packet.end)
      status = walk_packet (w, packet, (guint64) (at - pf->data), false);
    if (p - told >= REPORT && !status) {
      status = w->host->progress (w->host, (guint64) (told - pf->data), (guint64) (p - pf->data));
      told = p;
    }
  }
  *at_byte = (guint64) (p - pf->data);
  return status;
}

/* -- A packet again ---------------------------------------------------------------------------- */

static bool
frame_at (const guint8 *p, const guint8 *end, PfPacket *packet)
{
  PbSpan span;
  if (read_frame (&p, end, &span) || !span.p)
    return false;
  packet->p = span.p;
  packet->end = span.end;
  return read_packet (packet);
}

bool
pf_packet_at (const Perfetto *pf, guint64 place, PfBlock *block, PfPacket *packet)
{
  *packet = (PfPacket){ .place = place };
  if (!(place & IN_BLOCK))
    return frame_at (pf->data + place, pf->end, packet);
  const guint64 wanted = (place & ~IN_BLOCK) >> BLOCK_SHIFT;
  const gsize at = place & ((G_GUINT64_CONSTANT (1) << BLOCK_SHIFT) - 1);
  if (!block->data || block->number != wanted) {
    g_clear_pointer (&block->data, g_free);
    pf_inflate (g_array_index (pf->blocks, PbSpan, wanted), &block->data, &block->len);
    block->number = wanted;
  }
  return block->data && at < block->len
         && frame_at (block->data + at, block->data + block->len, packet);
}
