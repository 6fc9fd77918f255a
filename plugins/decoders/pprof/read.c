/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - reads the messages of a profile. */
#include "pprof.h"

#include <string.h>

nprof_status
pp_damage (const Pprof *p, const guint8 *at, const char *why)
{
  return nprof_fail (p->host, NPROF_E_FORMAT,
                     "byte %" G_GUINT64_FORMAT ": this profile of pprof is damaged: %s",
                     (guint64) (at - p->data), why);
}

/* -- Small messages: their numbers by field ---------------------------------------------------- */

#define MOST_FIELDS 8

static bool
numbers_of (PbSpan span, guint64 *to)
{
  PbField f;
  memset (to, 0, MOST_FIELDS * sizeof *to);
  while (span.p < span.end) {
    if (!pb_field (&span.p, span.end, &f))
      return false;
    if (f.tag >> 3 < MOST_FIELDS && (f.tag & 7) == 0)
      to[f.tag >> 3] = f.value;
  }
  return true;
}

static void
index_by_id (GHashTable *table, guint64 id, guint index)
{
  g_hash_table_replace (table, g_memdup2 (&id, sizeof id), GUINT_TO_POINTER (index + 1));
}

static bool
take_type (Pprof *p, PbSpan span)
{
  guint64 n[MOST_FIELDS];
  if (!numbers_of (span, n) || p->types->len == MOST_TYPES)
    return false;
  const PpType type = { n[1], n[2] };
  g_array_append_val (p->types, type);
  return true;
}

static bool
take_function (Pprof *p, PbSpan span)
{
  guint64 n[MOST_FIELDS];
  if (!numbers_of (span, n))
    return false;
  const PpFunction function = { n[2], n[4] };
  index_by_id (p->function_of, n[1], p->functions->len);
  g_array_append_val (p->functions, function);
  return true;
}

static bool
take_location (Pprof *p, PbSpan span)
{
  PbField f;
  guint64 n[MOST_FIELDS], id = 0;
  PpLocation location = { p->lines->len, 0 };
  while (span.p < span.end) {
    if (!pb_field (&span.p, span.end, &f))
      return false;
    if (f.tag == PB_VARINT (1))
      id = f.value;
    if (f.tag != PB_BYTES (4))
      continue;
    if (!numbers_of (f.span, n))
      return false;
    const PpLine line = { n[1], (gint64) n[2] };
    g_array_append_val (p->lines, line);
    location.n++;
  }
  index_by_id (p->location_of, id, p->locations->len);
  g_array_append_val (p->locations, location);
  return true;
}

/* -- The profile ------------------------------------------------------------------------------- */

static const char *
take_field (Pprof *p, const PbField *f)
{
  switch (f->tag) {
  case PB_BYTES (1):
    return take_type (p, f->span) ? NULL : "a sample_type, or there are more than 64";
  case PB_BYTES (2):
    g_array_append_val (p->samples, f->span);
    return NULL;
  case PB_BYTES (4):
    return take_location (p, f->span) ? NULL : "a location";
  case PB_BYTES (5):
    return take_function (p, f->span) ? NULL : "a function";
  case PB_BYTES (6):
    g_array_append_val (p->strings, f->span);
    return NULL;
  case PB_VARINT (9):
    p->time_ns = (gint64) f->value;
    return NULL;
  case PB_VARINT (10):
    p->duration_ns = (gint64) f->value;
    return NULL;
  default:
    return NULL;
  }
}

nprof_status
pp_load (Pprof *p)
{
  PbField f;
  for (const guint8 *at = p->data; at < p->end;) {
    const guint8 *from = at;
    if (!pb_field (&at, p->end, &f))
      return pp_damage (p, from, "a field that is cut off or no field of protobuf; write it again");
    const char *why = take_field (p, &f);
    if (why)
      return pp_damage (p, from, why);
  }
  p->frames_left = 1000000 + 16 * (guint64) (p->end - p->data);
  return p->types->len ? NPROF_OK : pp_damage (p, p->data, "it has no sample_type");
}

/* -- Strings ----------------------------------------------------------------------------------- */

const char *
pp_text_of (const Pprof *p, guint64 string, gsize *len)
{
  *len = 0;
  if (string >= p->strings->len)
    return "";
  const PbSpan *span = &g_array_index (p->strings, PbSpan, string);
  *len = (gsize) (span->end - span->p);
  return (const char *) span->p;
}

nprof_str
pp_str (const Pprof *p, guint64 string)
{
  gsize len;
  const char *text = pp_text_of (p, string, &len);
  return len ? p->host->intern (p->host, text, len) : 0;
}

/* -- A sample ---------------------------------------------------------------------------------- */

static const char *
add_location (Pprof *p, PpSample *s, guint64 id)
{
  const guint at = GPOINTER_TO_UINT (g_hash_table_lookup (p->location_of, &id));
  if (!at)
    return "it names a location that is not there";
  const PpLocation *l = &g_array_index (p->locations, PpLocation, at - 1);
  const PpLine none = { 0, 0 };
  if (s->n_frames + MAX (l->n, 1) > MOST_FRAMES)
    return "its stack has more than 4096 frames";
  if (p->frames_left < MAX (l->n, 1))
    return "the stacks of the file name more frames than one of its size could";
  p->frames_left -= MAX (l->n, 1);
  for (guint i = 0; i < l->n; i++)
    s->frame[s->n_frames++] = g_array_index (p->lines, PpLine, l->first + i);
  if (!l->n)
    s->frame[s->n_frames++] = none;
  return NULL;
}

static const char *
add_value (PpSample *s, guint64 value)
{
  if (s->n_values == MOST_TYPES)
    return "it has more than 64 values";
  s->value[s->n_values++] = (gint64) value;
  return NULL;
}

static const char *
add_number (Pprof *p, PpSample *s, bool location, guint64 value)
{
  return location ? add_location (p, s, value) : add_value (s, value);
}

/* A repeated number stands alone or packed. */
static const char *
add_numbers (Pprof *p, PpSample *s, const PbField *f)
{
  const bool location = f->tag >> 3 == 1;
  const char *why = NULL;
  guint64 value;
  if ((f->tag & 7) == 0)
    return add_number (p, s, location, f->value);
  if ((f->tag & 7) != 2)
    return "a number of another type";
  for (const guint8 *at = f->span.p; !why && at < f->span.end;) {
    at = pb_varint (at, f->span.end, &value);
    if (!at)
      return "packed numbers that are cut off";
    why = add_number (p, s, location, value);
  }
  return why;
}

static const char *
add_label (PpSample *s, PbSpan span)
{
  guint64 n[MOST_FIELDS];
  if (!numbers_of (span, n))
    return "a label that is cut off";
  const PpLabel label = { n[1], n[2], (gint64) n[3] };
  g_array_append_val (s->labels, label);
  return NULL;
}

nprof_status
pp_sample (Pprof *p, PbSpan span, PpSample *s)
{
  PbField f;
  s->n_values = s->n_frames = 0;
  g_array_set_size (s->labels, 0);
  for (const guint8 *at = span.p; at < span.end;) {
    const guint8 *from = at;
    if (!pb_field (&at, span.end, &f))
      return pp_damage (p, from, "a sample that is cut off");
    const char *why = f.tag >> 3 == 1 || f.tag >> 3 == 2 ? add_numbers (p, s, &f)
                      : f.tag == PB_BYTES (3)            ? add_label (s, f.span)
                                                         : NULL;
    if (why)
      return pp_damage (p, from, why);
  }
  return s->n_values == p->types->len
             ? NPROF_OK
             : pp_damage (p, span.p, "a sample has not a value for each sample_type");
}
