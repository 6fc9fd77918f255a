/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - the first pass: where planes, lines, events and metadata lie, by their lengths
 * alone.  Metadata follows the lines that need it, so nothing is decoded here; but all of
 * it is checked, so that what reads it later cannot fail. */
#include "xplane.h"

#define REPORT (UINT64_C (4) << 20) /* bytes between two calls of progress */

nprof_status
xp_damage (Xplane *x, const uint8_t *p, const uint8_t *end, XpMessage in)
{
  char why[256];
  xp_why (x->data, p, end, in, why, sizeof why);
  return x->host->damage (x->host, xp_at (x, p), why);
}

static nprof_status
report (Xplane *x, const uint8_t *p)
{
  nprof_status status = x->host->progress (x->host, xp_at (x, x->reported), xp_at (x, p));
  x->reported = p;
  return status;
}

/* -- Lines ------------------------------------------------------------------ */

static int64_t
event_offset (PbSpan event)
{
  PbField f;
  int64_t offset = 0;
  while (event.p < event.end && pb_field (&event.p, event.end, &f))
    if (f.tag == PB_VARINT (2))
      offset = (int64_t) f.value;
  return offset;
}

static void
line_event (XpLine *line, const uint8_t *at, const uint8_t *body, const uint8_t *end)
{
  if (line->n_events++ == 0) {
    line->first = at;
    line->first_offset = event_offset ((PbSpan){ body, end });
  }
  line->last = end;
}

static void
line_field (XpLine *line, const PbField *f)
{
  switch (f->tag) {
  case PB_VARINT (1):
    line->id = (int64_t) f->value;
    break;
  case PB_BYTES (2):
    line->name = f->span;
    break;
  case PB_VARINT (3):
    line->timestamp_ns = (int64_t) f->value;
    break;
  case PB_VARINT (10):
    line->display_id = (int64_t) f->value;
    break;
  case PB_BYTES (11):
    line->display_name = f->span;
    break;
  default: /* duration_ps, and what later versions add */
    break;
  }
}

static void
step_to (XpLine *line, uint64_t n, const uint8_t *p)
{
  line->n_events += n;
  line->last = p;
}

static const uint8_t *
step_over (XpLine *line, const uint8_t *p, const uint8_t *end)
{
  uint64_t n = 0;
  while (xp_step (&p, end))
    n++;
  if (n)
    step_to (line, n, p);
  return p;
}

/* Steps over the events of a segment until one is too long for it, or something else comes. */
static const uint8_t *
short_events (Xplane *x, XpLine *line, const uint8_t *p, const uint8_t *border)
{
  const XpAhead *run = xp_ahead_of (x, p);
  if (run && run->from < border) {
    p = step_over (line, p, run->from);
    if (p == run->from)
      step_to (line, run->n, p = run->to);
  }
  return step_over (line, p, border);
}

static nprof_status
index_line (Xplane *x, uint32_t plane, const uint8_t *at, PbSpan body)
{
  XpLine line = { .at = at, .plane = plane };
  uint32_t number = x->lines->len;
  const uint8_t *p = body.p, *segment = NULL, *border = p;
  nprof_status status = NPROF_OK;
  while (p < body.end && status == NPROF_OK) {
    PbField f;
    const uint8_t *field = p;
    if (!pb_field (&p, body.end, &f)) {
      status = xp_damage (x, p, body.end, XP_LINE);
      break;
    }
    if (f.tag != PB_BYTES (4)) {
      line_field (&line, &f);
      continue;
    }
    line_event (&line, field, f.span.p, f.span.end);
    if (!segment) {
      segment = field;
      border = xp_border (body, field);
    }
    p = short_events (x, &line, p, border);
    if (p < border)
      continue;
    xp_segment_add (x, number, segment, p);
    segment = NULL;
    if ((uint64_t) (p - x->reported) >= REPORT)
      status = report (x, p);
  }
  if (segment)
    xp_segment_add (x, number, segment, line.last);
  g_array_append_val (x->lines, line);
  return status;
}

/* -- Metadata ---------------------------------------------------------------- */

/* Reads a message to its end; stats in it as well. */
static bool
readable (PbSpan body, XpMessage in, const uint8_t **bad, XpMessage *bad_in,
          const uint8_t **bad_end)
{
  PbField f;
  const uint8_t *p = body.p;
  while (p < body.end) {
    if (!pb_field (&p, body.end, &f)) {
      *bad = p;
      *bad_in = in;
      *bad_end = body.end;
      return false;
    }
    if (in == XP_META && f.tag == PB_BYTES (5) && !readable (f.span, XP_STAT, bad, bad_in, bad_end))
      return false;
  }
  return true;
}

static nprof_status
index_entry (Xplane *x, PbSpan body, XpMessage in, XpMessage value, GArray *entries)
{
  XpEntry entry = { .body = { body.end, body.end } };
  const uint8_t *p = body.p;
  PbField f;
  while (p < body.end) {
    if (!pb_field (&p, body.end, &f))
      return xp_damage (x, p, body.end, in);
    if (f.tag == PB_VARINT (1))
      entry.id = (int64_t) f.value;
    else if (f.tag == PB_BYTES (2))
      entry.body = f.span;
  }
  const uint8_t *bad, *bad_end;
  XpMessage bad_in;
  if (!readable (entry.body, value, &bad, &bad_in, &bad_end))
    return xp_damage (x, bad, bad_end, bad_in);
  g_array_append_val (entries, entry);
  return NPROF_OK;
}

static nprof_status
index_plane_stat (Xplane *x, PbSpan body, GArray *stats)
{
  const uint8_t *bad, *bad_end;
  XpMessage bad_in;
  if (!readable (body, XP_STAT, &bad, &bad_in, &bad_end))
    return xp_damage (x, bad, bad_end, bad_in);
  g_array_append_val (stats, body);
  return NPROF_OK;
}

/* -- Planes ------------------------------------------------------------------- */

static nprof_status
plane_field (Xplane *x, XpPlane *plane, uint32_t number, const uint8_t *at, const PbField *f)
{
  switch (f->tag) {
  case PB_VARINT (1):
    plane->id = (int64_t) f->value;
    return NPROF_OK;
  case PB_BYTES (2):
    plane->name = f->span;
    return NPROF_OK;
  case PB_BYTES (3):
    plane->n_lines++;
    return index_line (x, number, at, f->span);
  case PB_BYTES (4):
    return index_entry (x, f->span, XP_META_ENTRY, XP_META, plane->metas);
  case PB_BYTES (5):
    return index_entry (x, f->span, XP_STAT_ENTRY, XP_STAT_META, plane->stats);
  case PB_BYTES (6):
    return index_plane_stat (x, f->span, plane->plane_stats);
  default:
    return NPROF_OK;
  }
}

static nprof_status
index_plane (Xplane *x, const uint8_t *at, PbSpan body)
{
  XpPlane plane = { .at = at, .name = { at, at }, .first_line = x->lines->len };
  plane.metas = g_array_new (FALSE, FALSE, sizeof (XpEntry));
  plane.stats = g_array_new (FALSE, FALSE, sizeof (XpEntry));
  plane.plane_stats = g_array_new (FALSE, FALSE, sizeof (PbSpan));
  uint32_t number = x->planes->len;
  nprof_status status = NPROF_OK;
  const uint8_t *p = body.p;
  while (p < body.end && status == NPROF_OK) {
    PbField f;
    const uint8_t *field = p;
    if (!pb_field (&p, body.end, &f)) {
      status = xp_damage (x, p, body.end, XP_PLANE);
      break;
    }
    status = plane_field (x, &plane, number, field, &f);
    if (status == NPROF_OK && (uint64_t) (p - x->reported) >= REPORT)
      status = report (x, p);
  }
  g_array_append_val (x->planes, plane);
  return status;
}

/* -- The file ----------------------------------------------------------------- */

static void
say (Xplane *x, const char *what, PbSpan text)
{
  nprof_log (x->host, NPROF_WARNING, "the profiler recorded the %s: %.*s", what,
             (int) MIN (xp_len (text), 800), (const char *) text.p);
}

/* Protobuf writes fields by their numbers, all planes before the first host: what follows a host is
 * of another message. */
static void
add_host (Xplane *x, PbSpan name)
{
  g_ptr_array_add (x->hosts, g_strndup ((const char *) name.p, xp_len (name)));
  bool other = x->behind_hosts != NULL;
  for (guint i = 0; i < x->hosts_before && other; i++)
    other = strcmp (x->hosts->pdata[i], x->hosts->pdata[x->hosts->len - 1]) != 0;
  if (other && !x->later_hosts)
    x->later_hosts = x->behind_hosts;
}

static nprof_status
space_field (Xplane *x, const uint8_t *at, const PbField *f)
{
  switch (f->tag) {
  case PB_BYTES (1):
    if (x->hosts->len && !x->behind_hosts) {
      x->behind_hosts = at;
      x->hosts_before = x->hosts->len;
    }
    return index_plane (x, at, f->span);
  case PB_BYTES (2):
    say (x, "error", f->span);
    return NPROF_OK;
  case PB_BYTES (3):
    say (x, "warning", f->span);
    return NPROF_OK;
  case PB_BYTES (4):
    add_host (x, f->span);
    return NPROF_OK;
  default:
    return NPROF_OK;
  }
}

nprof_status
xp_index (Xplane *x)
{
  if (x->data == x->data_end)
    return nprof_fail (x->host, NPROF_E_FORMAT,
                       "the file is empty: expected an XSpace message; was the profile written?");
  nprof_status status = xp_walk_ahead (x);
  const uint8_t *p = x->data;
  while (p < x->data_end && status == NPROF_OK) {
    PbField f;
    const uint8_t *field = p;
    if (!pb_field (&p, x->data_end, &f))
      return xp_damage (x, p, x->data_end, XP_SPACE);
    status = space_field (x, field, &f);
  }
  return status == NPROF_OK ? report (x, x->data_end) : status;
}
