/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - decides whether this is a trace of Perfetto.  Protobuf has no magic number, and XSpace
 * and pprof begin with the same byte: the first packets must have fields of the numbers and types
 * of TracePacket, one of which a trace needs. */
#include "perfetto.h"

#define MOST_PACKETS 16

/* Fields of TracePacket whose types tell; 0: they are unknown, and may be of any. */
static uint32_t
type_of (guint64 field)
{
  static const struct {
    guint16 field;
    guint8 type;
  } types[] = { { 1, 2 },  { 2, 2 },  { 3, 1 },  { 6, 2 },  { 8, 1 },  { 10, 1 }, { 11, 2 },
                { 12, 2 }, { 13, 1 }, { 41, 1 }, { 42, 1 }, { 43, 2 }, { 44, 2 }, { 50, 2 },
                { 52, 2 }, { 53, 2 }, { 58, 1 }, { 59, 2 }, { 60, 2 }, { 62, 2 }, { 69, 2 },
                { 79, 1 }, { 87, 1 }, { 89, 2 }, { 98, 1 }, { 133, 2 } };
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].field == field)
      return types[i].type;
  return 0;
}

/* XSpaces have stats of planes, and tensors of Neuron's models names of parameters, where packets
 * have snapshots of clocks, whose first field is a message. */
static bool
is_snapshot (PbSpan body)
{
  PbField f;
  if (body.p == body.end)
    return true;
  return pb_field (&body.p, body.end, &f) && (f.tag == PB_BYTES (1) || f.tag == PB_VARINT (2));
}

/* Returns how sure a packet makes it; -1: it is none.  It may go on beyond what we see. */
static int
score_packet (PbSpan packet, bool whole)
{
  int score = 0;
  PbField f;
  while (packet.p < packet.end) {
    const guint8 *from = packet.p;
    if (!pb_field (&packet.p, packet.end, &f)) {
      guint64 tag;
      const bool known
          = pb_varint (from, packet.end, &tag) && type_of (tag >> 3) == 2 && (tag & 7) == 2;
      return whole ? -1 : known ? MAX (score, 60) : score;
    }
    const guint64 field = f.tag >> 3;
    const uint32_t type = type_of (field);
    if (type && type != ((f.tag & 7) == 0 ? 1u : (f.tag & 7) == 2 ? 2u : 3u))
      return -1;
    if (field == PACKET_CLOCKS && !is_snapshot (f.span))
      return -1;
    if (type
        && (field == 8 || field == 10 || field == 6 || field == 60 || field == 11 || field == 12
            || field == 50 || field == 133))
      score = 90;
  }
  return score;
}

int
pf_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const guint8 *p = head, *end = p + len;
  int best = 0;
  (void) size, (void) path;
  for (int i = 0; i < MOST_PACKETS && p < end; i++) {
    guint64 tag, n;
    const guint8 *from = p;
    p = pb_varint (p, end, &tag);
    if (!p || (tag & 7) != 2 || tag >> 3 == 0) {
      PbField f;
      p = from;
      if (i == 0 || !pb_field (&p, end, &f))
        return best;
      continue;
    }
    p = pb_varint (p, end, &n);
    if (!p)
      return best;
    const bool whole = n <= (guint64) (end - p);
    const PbSpan packet = { p, whole ? p + n : end };
    const int score = tag >> 3 == 1 ? score_packet (packet, whole) : 0;
    if (score < 0)
      return 0;
    best = MAX (best, score);
    if (!whole || best == 90)
      return best;
    p += n;
  }
  return best;
}
