/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - cuts what is decoded in parallel: runs of events of about a megabyte, so that the parts
 * follow from the content alone, and each HLO proto for itself. */
#include "xplane.h"

void
xp_segment_add (Xplane *x, uint32_t line, const uint8_t *p, const uint8_t *end)
{
  g_array_append_val (x->segments, ((XpSegment){ line, p, end }));
}

/* Leaves out lines that cannot be placed in time, and those that neuron.c reads. */
static bool
usable (Xplane *x, guint segment)
{
  const XpLine *line = xp_line (x, g_array_index (x->segments, XpSegment, segment).line);
  return line->n_events > 0 && !xp_is_neuron (xp_group (x, xp_plane (x, line->plane)->group)->kind);
}

void
xp_cut (Xplane *x)
{
  XpPart part = { 0 };
  size_t bytes = 0;
  for (guint i = 0; i < x->segments->len; i++) {
    const XpSegment *s = &g_array_index (x->segments, XpSegment, i);
    if (part.n && (bytes >= XP_SEGMENT || !usable (x, i))) {
      g_array_append_val (x->parts, part);
      part.n = 0;
    }
    if (!usable (x, i))
      continue;
    if (part.n++ == 0) {
      part.first = i;
      bytes = 0;
    }
    bytes += (size_t) (s->end - s->p);
  }
  if (part.n)
    g_array_append_val (x->parts, part);
  for (guint i = 0; i < x->protos->len; i++)
    g_array_append_val (x->parts, ((XpPart){ i, 0 }));
}
